#pragma once

// Graphviz's dot as a child process: started with the first graph, reused for the next ones, killed with this object,
// when a stop is requested, and when it takes too long or writes too much.

#include "widgets/graph/drawing/dot_runner.h"

#include <QByteArray>
#include <QProcess>
#include <QString>

#include <chrono>

namespace stagecraft {

class DotProcess : public DotRunner {
public:
    // If empty, the first "dot" in $PATH.
    explicit DotProcess(QString program = {}, std::chrono::milliseconds watchdog = std::chrono::seconds(20));
    ~DotProcess() override;

    [[nodiscard]] Result<std::string> layOut(const std::string &graph, const std::stop_token &stop) override;

private:
    [[nodiscard]] Result<void> start();
    [[nodiscard]] tl::unexpected<Error> giveUp(const std::string &reason);
    void kill();

    QString m_program;
    std::chrono::milliseconds m_watchdog;
    QByteArray m_errorOutput; // the start of its standard error
    QProcess m_process;
};

} // namespace stagecraft
