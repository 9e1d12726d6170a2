#pragma once

// OpenSSH's sshd on the loopback, with keys made for it, and an `ssh` first in PATH that knows how to reach it as the
// host "there". Both end with this object. Nothing of the person's own configuration is read or written, and workers
// there take no turns with other programs of this machine.

#include "support/places.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace stagecraft::test {

inline bool writeScript(const QString &path, const QByteArray &text)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() &&
           file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
}

// A program first in PATH while it lives.
class ProgramInPath {
public:
    ProgramInPath() : m_path(qgetenv("PATH")) { qputenv("PATH", folder().toUtf8() + ':' + m_path); }
    ~ProgramInPath() { qputenv("PATH", m_path); }
    ProgramInPath(const ProgramInPath &) = delete;
    ProgramInPath &operator=(const ProgramInPath &) = delete;

    [[nodiscard]] QString folder() const { return m_folder.path(); }
    // A shell script.
    bool make(const QString &name, const QByteArray &text) const
    {
        return writeScript(m_folder.filePath(name), "#!/bin/sh\n" + text);
    }

private:
    QTemporaryDir m_folder;
    QByteArray m_path;
};

// A port of the loopback that takes connections and says nothing.
class ListeningPort {
public:
    ListeningPort() : m_socket(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        m_address.sin_family = AF_INET;
        m_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(m_address);
        auto *any = reinterpret_cast<sockaddr *>(&m_address);
        if (bind(m_socket, any, size) != 0 || getsockname(m_socket, any, &size) != 0 || listen(m_socket, 8) != 0)
            m_address.sin_port = 0;
    }
    ~ListeningPort() { close(m_socket); }
    ListeningPort(const ListeningPort &) = delete;
    ListeningPort &operator=(const ListeningPort &) = delete;

    [[nodiscard]] int number() const { return ntohs(m_address.sin_port); } // 0: there is none

private:
    sockaddr_in m_address{};
    int m_socket;
};

class SshServer {
public:
    SshServer() { m_reason = start(); }
    ~SshServer() { stop(); }
    SshServer(const SshServer &) = delete;
    SshServer &operator=(const SshServer &) = delete;

    [[nodiscard]] QString whyNot() const { return m_reason; } // empty: it runs
    [[nodiscard]] QString folder() const { return m_folder.path(); }
    [[nodiscard]] QString weights() const { return m_folder.filePath("cache/stagecraft/weights"); }
    [[nodiscard]] int port() const { return m_port; }
    [[nodiscard]] QString client() const { return m_inPath.folder(); } // the folder of its `ssh`

    // What the server has as stagecraft-worker: a shell script.
    bool setWorker(const QByteArray &text) const
    {
        return writeScript(m_folder.filePath("worker"), "#!/bin/sh\n" + text);
    }
    bool setWorkerProgram(const QString &path, const QByteArray &arguments = {}) const
    {
        return setWorker("exec '" + path.toUtf8() + "' " + arguments + "\n");
    }
    // Adds to the client's configuration of the host "there".
    bool configure(const QByteArray &lines) const
    {
        QFile file(m_folder.filePath("config"));
        return file.open(QIODevice::WriteOnly) && file.write(m_config + lines) > 0;
    }
    // Ends the server and its connections, as a machine does that loses its power.
    void stop()
    {
        if (m_server.state() == QProcess::NotRunning)
            return;
        for (const int child : childrenOf(static_cast<int>(m_server.processId()))) {
            for (const int grandchild : childrenOf(child)) { // one of each connection gives up its rights
                if (programOf(grandchild) == "sshd")
                    ::kill(grandchild, SIGKILL);
            }
            ::kill(child, SIGKILL);
        }
        m_server.kill();
        m_server.waitForFinished();
    }
    bool startAgain() { return startServer().isEmpty(); }

private:
    // Of proc_pid_stat(5): number, name in brackets, state, parent.
    static QString statOf(int process)
    {
        QFile file(QStringLiteral("/proc/%1/stat").arg(process));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    static QString programOf(int process)
    {
        const QString stat = statOf(process);
        return stat.mid(stat.indexOf('(') + 1, stat.lastIndexOf(')') - stat.indexOf('(') - 1);
    }
    static std::vector<int> childrenOf(int parent)
    {
        std::vector<int> children;
        for (const QString &name : QDir("/proc").entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            const QString stat = statOf(name.toInt());
            if (stat.mid(stat.lastIndexOf(')') + 2).section(' ', 1, 1).toInt() == parent)
                children.push_back(name.toInt());
        }
        return children;
    }
    QString start()
    {
        m_program = QStandardPaths::findExecutable("sshd", {"/usr/sbin", "/usr/local/sbin", "/sbin"});
        if (m_program.isEmpty())
            return "sshd is not installed (Debian: openssh-server)";
        const QString client = QStandardPaths::findExecutable("ssh");
        if (client.isEmpty())
            return "ssh is not installed (Debian: openssh-client)";
        for (const char *key : {"host", "key"}) {
            if (QProcess::execute("ssh-keygen", {"-q", "-t", "ed25519", "-N", "", "-f", m_folder.filePath(key)}) != 0)
                return "ssh-keygen makes no keys";
        }
        if (geteuid() == 0) // where sshd gives up its rights
            mkdir("/run/sshd", 0755);
        m_port = ListeningPort().number(); // free from now on
        if (m_port == 0)
            return "no port is free on the loopback";
        const QByteArray folder = m_folder.path().toUtf8();
        QFile server(m_folder.filePath("sshd_config"));
        if (!server.open(QIODevice::WriteOnly))
            return "the configuration of sshd cannot be written";
        server.write("Port " + QByteArray::number(m_port) +
                     "\nListenAddress 127.0.0.1\nPidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
                     "PermitRootLogin yes\nHostKey " +
                     folder + "/host\nAuthorizedKeysFile " + folder + "/key.pub\nSetEnv STAGECRAFT_WORKER=" + folder +
                     "/worker XDG_CACHE_HOME=" + folder + "/cache STAGECRAFT_TEST_FOLDER=" + folder +
                     " TMPDIR=" + folder + "\n");
        server.close();
        m_config = "Host there\n HostName 127.0.0.1\n Port " + QByteArray::number(m_port) + "\n IdentityFile " +
                   folder + "/key\n IdentitiesOnly yes\n UserKnownHostsFile " + folder +
                   "/known_hosts\n StrictHostKeyChecking accept-new\n LogLevel ERROR\n";
        if (!configure({}) ||
            !m_inPath.make("ssh", "exec '" + client.toUtf8() + "' -F '" + folder + "/config' \"$@\"\n"))
            return "the configuration of ssh cannot be written";
        return startServer();
    }
    QString startServer()
    {
        m_server.start(m_program, {"-D", "-e", "-f", m_folder.filePath("sshd_config")});
        for (int i = 0; i < 100 && m_server.state() != QProcess::NotRunning; ++i) {
            if (canLogIn())
                return {};
            QTest::qWait(100);
        }
        return "sshd does not start: " + m_server.readAllStandardError();
    }

    static bool canLogIn()
    {
        QProcess ssh;
        ssh.start("ssh", {"there", "true"});
        return ssh.waitForFinished() && ssh.exitStatus() == QProcess::NormalExit && ssh.exitCode() == 0;
    }

    QTemporaryDir m_folder;
    ProgramInPath m_inPath;
    QProcess m_server;
    QString m_program;
    QByteArray m_config;
    int m_port = 0;
    QString m_reason;
};

} // namespace stagecraft::test
