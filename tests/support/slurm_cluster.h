#pragma once

// A cluster of Slurm on this machine: munged, slurmctld and slurmd as ordinary processes with their files in a
// temporary folder, one node, a partition "test" and one that goes before it, "urgent". SLURM_CONF leads its commands
// there while this object lives.

#include "support/ssh_server.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QRandomGenerator>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <thread>

namespace stagecraft::test {

class SlurmCluster {
public:
    SlurmCluster() { m_reason = start(); }
    ~SlurmCluster()
    {
        for (QProcess *process : {&m_node, &m_controller, &m_munge})
            end(*process);
        qunsetenv("SLURM_CONF");
    }
    SlurmCluster(const SlurmCluster &) = delete;
    SlurmCluster &operator=(const SlurmCluster &) = delete;

    [[nodiscard]] QString whyNot() const { return m_reason; } // empty: it runs
    [[nodiscard]] QString node() const { return m_name; }
    [[nodiscard]] QString folder() const { return m_folder.path(); }

    // What one of its commands writes.
    static QString ask(const QString &program, const QStringList &arguments)
    {
        QProcess process;
        process.start(program, arguments);
        process.waitForFinished();
        return QString::fromUtf8(process.readAllStandardOutput()).trimmed();
    }
    // Name and state of each.
    static QString jobs() { return ask("squeue", {"--noheader", "--format=%j %T"}); }
    void endNode()
    {
        end(m_node);
        ask("scontrol", {"update", "NodeName=" + m_name, "State=DOWN", "Reason=test"});
    }
    bool startNode()
    {
        ask("scontrol", {"update", "NodeName=" + m_name, "State=RESUME"});
        return run(m_node, "slurmd", {"-D", "-f", m_folder.filePath("slurm.conf")}) && isUp();
    }

private:
    static QString found(const QString &program)
    {
        const QString inPath = QStandardPaths::findExecutable(program);
        return inPath.isEmpty() ? QStandardPaths::findExecutable(program, {"/usr/sbin", "/usr/local/sbin", "/sbin"})
                                : inPath;
    }
    static bool run(QProcess &process, const QString &program, const QStringList &arguments)
    {
        process.setStandardOutputFile(QProcess::nullDevice());
        process.setStandardErrorFile(QProcess::nullDevice());
        process.start(found(program), arguments);
        return process.waitForStarted();
    }
    static void end(QProcess &process)
    {
        if (process.state() == QProcess::NotRunning)
            return;
        process.terminate();
        if (!process.waitForFinished(30'000))
            process.kill();
        process.waitForFinished();
    }
    // A job that waited for the node may have it already.
    static bool isUp()
    {
        QElapsedTimer timer;
        timer.start();
        while (timer.elapsed() < 60'000) {
            if (QStringList{"idle", "mixed", "allocated"}.contains(
                    ask("sinfo", {"--noheader", "--partition=test", "--format=%T"})))
                return true;
            QTest::qWait(100);
        }
        return false;
    }
    QString start()
    {
        for (const char *program : {"munged", "slurmctld", "slurmd", "srun", "squeue"}) {
            if (found(program).isEmpty())
                return QString(program) + " is not installed (Debian: slurm-wlm, munge)";
        }
        const QDir folder(m_folder.path());
        for (const char *part : {"state", "spool"})
            folder.mkdir(part);
        const auto [first, second] = [] { // free from now on
            const ListeningPort one;
            const ListeningPort other;
            return std::pair(one.number(), other.number());
        }();
        QFile key(folder.filePath("key"));
        std::array<quint32, 32> random{};
        QRandomGenerator::system()->fillRange(random.data(), random.size());
        QFile file(folder.filePath("slurm.conf"));
        m_name = QSysInfo::machineHostName().section('.', 0, 0);
        if (!key.open(QIODevice::WriteOnly) || !key.setPermissions(QFile::ReadOwner | QFile::WriteOwner) ||
            key.write(reinterpret_cast<const char *>(random.data()), sizeof(random)) < 0 ||
            !file.open(QIODevice::WriteOnly))
            return "its files cannot be written";
        key.close();
        const QByteArray user = ask("id", {"-un"}).toUtf8();
        const QByteArray at = m_folder.path().toUtf8();
        const QByteArray host = m_name.toUtf8();
        file.write(
            "ClusterName=test\nSlurmctldHost=" + host + "(127.0.0.1)\nAuthType=auth/munge\nAuthInfo=socket=" + at +
            "/socket\nMpiDefault=none\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n"
            "ReturnToService=2\nSlurmctldPort=" +
            QByteArray::number(first) + "\nSlurmdPort=" + QByteArray::number(second) + "\nSlurmctldPidFile=" + at +
            "/controller.pid\nSlurmdPidFile=" + at + "/node.pid\nSlurmdSpoolDir=" + at +
            "/spool\nStateSaveLocation=" + at + "/state\nSlurmUser=" + user + "\nSlurmdUser=" + user +
            "\nSwitchType=switch/none\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n"
            "AccountingStorageType=accounting_storage/none\nJobAcctGatherType=jobacct_gather/"
            "none\nKillWait=1\nPreemptType=preempt/partition_prio\nPreemptMode=CANCEL\n"
            "NodeName=" +
            host + " NodeAddr=127.0.0.1 CPUs=" + QByteArray::number(std::thread::hardware_concurrency()) +
            "\nPartitionName=test Nodes=" + host +
            " Default=YES MaxTime=60 State=UP PriorityTier=1\nPartitionName=urgent Nodes=" + host +
            " MaxTime=60 State=UP PriorityTier=2\n");
        file.close();
        qputenv("SLURM_CONF", file.fileName().toUtf8());
        if (!run(m_munge, "munged",
                 {"--force", "--foreground", "--key-file=" + key.fileName(), "--socket=" + folder.filePath("socket"),
                  "--pid-file=" + folder.filePath("munge.pid"), "--log-file=" + folder.filePath("munge.log"),
                  "--seed-file=" + folder.filePath("seed")}))
            return "munged does not start";
        for (int i = 0; i < 1200 && !QFile::exists(folder.filePath("socket")); ++i)
            QTest::qWait(50);
        if (!run(m_controller, "slurmctld", {"-D", "-f", file.fileName()}))
            return "slurmctld does not start";
        return startNode() ? QString() : "its node does not come up, as without the rights of root";
    }

    QTemporaryDir m_folder;
    QProcess m_munge;
    QProcess m_controller;
    QProcess m_node;
    QString m_name;
    QString m_reason;
};

// A job "other" that has the whole node, while it lives.
class HeldNode {
public:
    HeldNode()
    {
        m_job.start("srun", {"--partition=test", "--exclusive", "--job-name=other", "sleep", "600"});
        for (int i = 0; i < 600 && SlurmCluster::jobs() != "other RUNNING"; ++i)
            QTest::qWait(100);
    }
    ~HeldNode()
    {
        SlurmCluster::ask("scancel", {"--name=other"});
        m_job.waitForFinished(60'000);
    }
    HeldNode(const HeldNode &) = delete;
    HeldNode &operator=(const HeldNode &) = delete;

private:
    QProcess m_job;
};

} // namespace stagecraft::test
