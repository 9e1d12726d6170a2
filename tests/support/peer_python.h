#pragma once

// A Python with packages from PyPI that check what the program computes: STAGECRAFT_PYTHON, or build/peers, which
// packaging/test.sh creates.

#include "support/places.h"

#include <QProcess>
#include <QString>
#include <QStringList>

namespace stagecraft::test {

// `modules`: as after `import`. Empty if no Python has all of them.
inline QString pythonWith(const QString &modules)
{
    for (const QString &python : {qEnvironmentVariable("STAGECRAFT_PYTHON"), sourcePath("build/peers/bin/python")}) {
        if (!python.isEmpty() && QProcess::execute(python, {"-c", "import " + modules}) == 0)
            return python;
    }
    return {};
}

// The same with PyTorch, which Debian has, too.
inline QString pythonWithTorch()
{
    const QString debian = "/usr/bin/python3";
    const QString found = pythonWith("torch");
    return found.isEmpty() && QProcess::execute(debian, {"-c", "import torch"}) == 0 ? debian : found;
}

} // namespace stagecraft::test
