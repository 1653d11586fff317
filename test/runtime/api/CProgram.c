/*===- CProgram.c - The header from C -----------------------------*- C -*-===*\
|*                                                                            *|
|* Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.      *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "dragoman/dragoman.h"

#include <stdio.h>

/* Sums three numbers with the model at `path`; returns the code of the first
   failure, and its message. */
int capiHeaderIsC(const char *path, char *message, size_t room);

int capiHeaderIsC(const char *path, char *message, size_t room) {
  dg_model *model = NULL;
  dg_session *session = NULL;
  float a[3] = {1, 2, 3}, b[3] = {10, 20, 30}, total[3] = {0, 0, 0};
  const int64_t shape[1] = {3};
  dg_tensor inputs[2] = {{"a", DG_F32, 1, NULL, NULL},
                         {"b", DG_F32, 1, NULL, NULL}};
  dg_tensor output = {"total", DG_F32, 1, NULL, NULL};
  int code;
  dg_status *status = dg_model_open(path, NULL, &model);
  inputs[0].shape = inputs[1].shape = output.shape = shape;
  inputs[0].data = a;
  inputs[1].data = b;
  output.data = total;
  if (!status)
    status = dg_session_new(model, NULL, &session);
  if (!status)
    status = dg_run(session, "sum", inputs, 2, &output, 1, NULL);
  code = (int)dg_status_code(status);
  snprintf(message, room, "%s", dg_status_message(status));
  if (!status && total[2] != 133) {
    snprintf(message, room, "expected 133, found %g", (double)total[2]);
    code = -1;
  }
  dg_status_free(status);
  dg_session_free(session);
  dg_model_free(model);
  return code;
}
