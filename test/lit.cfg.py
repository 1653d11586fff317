"""lit configuration of Dragoman's textual tests."""

import os

import lit.formats

config.name = "Dragoman"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.dragoman_binary_dir, "test", "lit")

path = os.pathsep.join(
    [
        os.path.join(config.dragoman_binary_dir, "bin"),
        config.llvm_tools_dir,
        config.environment.get("PATH", ""),
    ]
)
config.environment["PATH"] = path
config.substitutions.append(("%models", os.path.join(config.dragoman_source_dir, "models")))
config.substitutions.append(("%source", config.dragoman_source_dir))
