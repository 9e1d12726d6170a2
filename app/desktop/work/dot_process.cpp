#include "desktop/work/dot_process.h"

#include <QByteArray>
#include <QDeadlineTimer>
#include <QDir>
#include <QProcessEnvironment>
#include <QStandardPaths>

#include <fmt/format.h>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kPollMs = 20; // the longest delay in noticing a stop
constexpr int kReapTimeoutMs = 2000;
constexpr qsizetype kLargestAnswer = 32 << 20; // the largest part given to dot needs a tenth of it
constexpr qsizetype kMaxErrorBytes = 400;
const char *const kEndOfAnswer = "\n}\n"; // of JSON as indented by dot

// Absolute folders only: with a relative one in $PATH, a program in the current folder could run.
QString dotInPath()
{
    QStringList folders = qEnvironmentVariable("PATH").split(QLatin1Char(':'), Qt::SkipEmptyParts);
    folders.removeIf([](const QString &folder) { return !QDir::isAbsolutePath(folder); });
    return folders.isEmpty() ? QString() : QStandardPaths::findExecutable(QStringLiteral("dot"), folders);
}

} // namespace

DotProcess::DotProcess(QString program, std::chrono::milliseconds watchdog)
    : m_program(std::move(program)), m_watchdog(watchdog)
{
}

DotProcess::~DotProcess()
{
    kill();
}

void DotProcess::kill()
{
    if (m_process.state() == QProcess::NotRunning)
        return;
    m_process.kill();
    m_process.waitForFinished(kReapTimeoutMs);
}

tl::unexpected<Error> DotProcess::giveUp(const std::string &reason)
{
    kill();
    const QByteArray line = m_errorOutput.left(m_errorOutput.indexOf('\n')).trimmed();
    return fail(ErrorCode::InvalidInput,
                "Graphviz's program dot " + reason + (line.isEmpty() ? "" : " (" + line.toStdString() + ")"),
                "run \"dot -V\" to see whether it is installed well");
}

Result<void> DotProcess::start()
{
    if (m_program.isEmpty())
        m_program = dotInPath();
    if (m_program.isEmpty())
        return fail(ErrorCode::InvalidInput, "Graphviz's program dot was not found", "install the package graphviz");
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C"));
    m_process.setProcessEnvironment(environment);
    m_process.setWorkingDirectory(QStringLiteral("/"));
    m_process.start(m_program, {QStringLiteral("-Tjson0")});
    if (!m_process.waitForStarted())
        return giveUp("cannot be started: " + m_process.errorString().toStdString());
    return {};
}

Result<std::string> DotProcess::layOut(const std::string &graph, const std::stop_token &stop)
{
    if (m_process.state() == QProcess::NotRunning) {
        TRY(start());
    }
    m_process.write(graph.data(), static_cast<qint64>(graph.size()));
    const QDeadlineTimer deadline(m_watchdog);
    m_errorOutput.clear();
    QByteArray answer;
    for (;;) {
        if (stop.stop_requested()) {
            kill();
            return fail(ErrorCode::Cancelled, "stopped");
        }
        m_process.waitForReadyRead(kPollMs);
        answer += m_process.readAllStandardOutput();
        m_errorOutput = (m_errorOutput + m_process.readAllStandardError()).left(kMaxErrorBytes);
        if (answer.size() > kLargestAnswer)
            return giveUp(fmt::format("answered with more than {} MiB", kLargestAnswer >> 20));
        if (answer.endsWith(kEndOfAnswer))
            return answer.toStdString();
        if (m_process.state() == QProcess::NotRunning)
            return giveUp(m_process.exitStatus() == QProcess::CrashExit
                              ? "crashed"
                              : fmt::format("ended with status {}", m_process.exitCode()));
        if (deadline.hasExpired())
            return giveUp(fmt::format("took longer than {:.4} s",
                                      fmt::format("{:f}", std::chrono::duration<double>(m_watchdog).count())));
    }
}

} // namespace stagecraft
