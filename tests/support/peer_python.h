#pragma once

// A Python with packages from PyPI that check what the program computes: STAGECRAFT_PYTHON, or build/peers, which
// packaging/test.sh creates.

#include "support/places.h"

#include <QMap>
#include <QProcess>
#include <QString>
#include <QStringList>

namespace stagecraft::test {

// `modules`: as after `import`. Empty if no Python has all of them. Found once: some take seconds to load.
inline QString pythonWith(const QString &modules)
{
    static QMap<QString, QString> found; // by what was asked for
    const QString asked = modules + '\n' + qEnvironmentVariable("STAGECRAFT_PYTHON");
    if (found.contains(asked))
        return found[asked];
    QString &answer = found[asked];
    for (const QString &python : {qEnvironmentVariable("STAGECRAFT_PYTHON"), sourcePath("build/peers/bin/python")}) {
        if (!python.isEmpty() && QProcess::execute(python, {"-c", "import " + modules}) == 0)
            return answer = python;
    }
    return answer;
}

// The same with PyTorch, which Debian has, too.
inline QString pythonWithTorch()
{
    if (const QString found = pythonWith("torch"); !found.isEmpty())
        return found;
    static const QString debian =
        QProcess::execute("/usr/bin/python3", {"-c", "import torch"}) == 0 ? "/usr/bin/python3" : "";
    return debian;
}

} // namespace stagecraft::test
