#pragma once

// Graphviz's dot as a child process: started with the first graph, kept for the next ones, killed with this object,
// when a stop is requested and when it takes too long or says too much.

#include "widgets/graph/dot_runner.h"

#include <QByteArray>
#include <QProcess>
#include <QString>

#include <chrono>

namespace stagecraft {

class DotProcess : public DotRunner {
public:
    // Empty: the first "dot" in $PATH.
    explicit DotProcess(QString program = {}, std::chrono::milliseconds watchdog = std::chrono::seconds(20));
    ~DotProcess() override;

    [[nodiscard]] Result<std::string> layOut(const std::string &graph, const std::stop_token &stop) override;

private:
    [[nodiscard]] Result<void> start();
    [[nodiscard]] tl::unexpected<Error> giveUp(const std::string &reason);
    void kill();

    QString m_program;
    std::chrono::milliseconds m_watchdog;
    QByteArray m_errorOutput; // the start of what it wrote to its standard error
    QProcess m_process;
};

} // namespace stagecraft
