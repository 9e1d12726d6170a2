#pragma once

// The command line with a terminal as its standard error, and what it shows there.

#include "support/places.h"

#include <QByteArray>
#include <QProcess>
#include <QStringList>

#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <sys/ioctl.h>
#include <unistd.h>

namespace stagecraft::test {

class PseudoTerminal {
public:
    explicit PseudoTerminal(unsigned short columns) : m_descriptor(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK))
    {
        const winsize size{24, columns, 0, 0};
        m_isOpen = m_descriptor >= 0 && grantpt(m_descriptor) == 0 && unlockpt(m_descriptor) == 0 &&
                   ioctl(m_descriptor, TIOCSWINSZ, &size) == 0;
        if (m_isOpen)
            m_other =
                ::open(ptsname(m_descriptor), O_RDWR | O_NOCTTY); // otherwise the output is lost when a program ends
    }

    ~PseudoTerminal()
    {
        ::close(m_other);
        ::close(m_descriptor);
    }

    PseudoTerminal(const PseudoTerminal &) = delete;
    PseudoTerminal &operator=(const PseudoTerminal &) = delete;

    void start(QProcess &process, const QStringList &arguments, const QString &kind = "xterm")
    {
        if (!m_isOpen)
            return;
        process.setEnvironment(QProcess::systemEnvironment() + QStringList{"TERM=" + kind});
        process.setStandardErrorFile(ptsname(m_descriptor), QIODevice::Append);
        process.start(programPath("stagecraft-cli"), arguments);
    }

    // The output so far, when it is enough or the program ends; empty if neither happens for minutes.
    [[nodiscard]] QByteArray seenUntil(QProcess &process, const std::function<bool(const QByteArray &)> &isEnough)
    {
        QByteArray seen;
        for (int i = 0; i < 6000; ++i) {
            const bool isDone = process.waitForFinished(20);
            char buffer[4096];
            for (ssize_t size = 0; (size = ::read(m_descriptor, buffer, sizeof buffer)) > 0;)
                seen.append(buffer, size);
            if (isDone || isEnough(seen))
                return seen;
        }
        return {};
    }

    // The whole output of a run.
    [[nodiscard]] QByteArray run(const QStringList &arguments, const QString &kind = "xterm")
    {
        QProcess process;
        start(process, arguments, kind);
        return seenUntil(process, [](const QByteArray &) { return false; });
    }

private:
    int m_descriptor;
    int m_other = -1;
    bool m_isOpen = false;
};

} // namespace stagecraft::test
