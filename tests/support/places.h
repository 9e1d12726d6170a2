#pragma once

#include <QString>

/**
 * Where tests find sources and programs. ctest says it in the environment (STAGECRAFT_SOURCE_DIR); for a test started
 * by hand the build folder it lies in does.
 */
namespace stagecraft::test {

QString sourcePath(const QString &path);      // "tests/data/onnx/residual.onnx"; "" is the checkout itself
QString programPath(const QString &name);     // "stagecraft-cli"
QString testProgramPath(const QString &name); // "faulty-worker"

} // namespace stagecraft::test
