//===- ExportModel.h - From trained parameters to graphs --------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRIVER_EXPORTMODEL_H
#define DRAGOMAN_TOOLS_DRIVER_EXPORTMODEL_H

#include "tools/driver/Compile.h"

namespace dragoman {

/// What to write as a folder of ONNX graphs.
struct ExportJob {
  std::string input;      ///< a training artifact
  std::string parameters; ///< file of P floats; "" = the initial ones
  std::string output;     ///< the folder
};

/// Writes the folder. Errors go to `message`; the returned Status repeats the
/// first.
Status exportModel(const ExportJob &job, const MessageSink &message);

} // namespace dragoman

#endif // DRAGOMAN_TOOLS_DRIVER_EXPORTMODEL_H
