// Ids of devices elsewhere, the command lines made of them, and how failures of ssh and srun are named.

#include "device/worker/transports/elsewhere.h"
#include "device/worker/transports/slurm_transport.h"
#include "device/worker/transports/ssh_transport.h"
#include "support/graph_making.h"
#include "support/suite.h"
#include "timing/device_id.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;
using namespace stagecraft::worker;

namespace tst_transports {

namespace {

constexpr int kExited(int status)
{
    return status << 8; // as of waitpid
}

std::shared_ptr<const Transport> ssh()
{
    return sshTransport({"gpu1", ""}, take(remoteWorker()));
}

std::shared_ptr<const Transport> slurm()
{
    return slurmTransport({"gpu", {}}, take(remoteWorker()));
}

// What `sh -c` of the command writes.
QByteArray outputOfShell(const std::string &command, const QByteArray &input = {}, const QStringList &environment = {})
{
    QProcess shell;
    shell.setEnvironment(QProcess::systemEnvironment() + environment);
    shell.start("sh", {"-c", QString::fromStdString(command)});
    shell.write(input);
    shell.closeWriteChannel();
    shell.waitForFinished();
    return shell.readAllStandardOutput() + "status " + QByteArray::number(shell.exitCode());
}

} // namespace

class TestTransports : public QObject {
    Q_OBJECT

private slots:
    void id_elsewhere_splitsAtTheFirstSlash_data();
    void id_elsewhere_splitsAtTheFirstSlash();
    void sshHost_inParts_isRead_data();
    void sshHost_inParts_isRead();
    void sshHost_whatAShellCouldRead_isRefused_data();
    void sshHost_whatAShellCouldRead_isRefused();
    void slurmJob_options_areThoseOfSrun_data();
    void slurmJob_options_areThoseOfSrun();
    void slurmJob_wrongOptions_areRefusedByName_data();
    void slurmJob_wrongOptions_areRefusedByName();
    void route_random_isTakenOff();
    void command_ofAWorker_findsItAndBegins();
    void command_ofPython_runsTheTextAndLeavesTheRest();
    void path_whatAShellCouldRead_isRefused_data();
    void path_whatAShellCouldRead_isRefused();
    void lost_sshFails_isNamed_data();
    void lost_sshFails_isNamed();
    void lost_srunFails_isNamed_data();
    void lost_srunFails_isNamed();
    void waitsFor_queuedJob_namesIt();
};

void TestTransports::id_elsewhere_splitsAtTheFirstSlash_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("device");
    QTest::newRow("ssh") << "ssh:me@gpu1:2222/pytorch:cuda:0"
                         << "ssh:me@gpu1:2222"
                         << "pytorch:cuda:0";
    QTest::newRow("slurm") << "slurm:gpu:time=30,gres=gpu:1/gpu:0:tf32"
                           << "slurm:gpu:time=30,gres=gpu:1"
                           << "gpu:0:tf32";
    QTest::newRow("place alone") << "ssh:gpu1"
                                 << "ssh:gpu1"
                                 << "";
}

void TestTransports::id_elsewhere_splitsAtTheFirstSlash()
{
    QFETCH(const QString, id);
    QFETCH(const QString, where);
    QFETCH(const QString, device);
    const std::string text = id.toStdString();
    QVERIFY(isElsewhere(text));
    QCOMPARE(elsewhereFrom(text).where, where.toStdString());
    QCOMPARE(elsewhereFrom(text).device, device.toStdString());
    QVERIFY(!isElsewhere("gpu:0") && ownDeviceId("gpu:0") == "gpu:0" && ownDeviceId("sim:a/b.json") == "sim:a/b.json");
}

void TestTransports::sshHost_inParts_isRead_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("arguments"); // from -p on, without the command
    QTest::newRow("name") << "gpu1" << QStringList{"--", "gpu1"};
    QTest::newRow("user and port") << "me@gpu1.lab:2222" << QStringList{"-p", "2222", "--", "me@gpu1.lab"};
    QTest::newRow("address") << "[fe80::1%eth0]:22" << QStringList{"-p", "22", "--", "fe80::1%eth0"};
    QTest::newRow("address without a port") << "a@[::1]" << QStringList{"--", "a@::1"};
}

void TestTransports::sshHost_inParts_isRead()
{
    QFETCH(const QString, text);
    QFETCH(const QStringList, arguments);
    const auto host = sshHostFrom(text.toStdString());
    QVERIFY2(host, host ? "" : host.error().message.c_str());
    const auto command = take(sshTransport(*host, take(remoteWorker()))->command());
    QStringList found;
    for (const std::string &argument : command)
        found.push_back(QString::fromStdString(argument));
    found.removeIf([](const QString &each) { return each.startsWith("-oConnectTimeout"); });
    QVERIFY2(found.front().endsWith("/ssh") &&
                 found.mid(found.size() - 1 - arguments.size(), arguments.size()) == arguments,
             qPrintable(found.join(' ')));
    QVERIFY(std::ranges::none_of(found, [](const QString &each) {
        return each.contains("KnownHosts") || each.contains("StrictHostKey") || each.contains("BatchMode");
    }));
}

void TestTransports::sshHost_whatAShellCouldRead_isRefused_data()
{
    QTest::addColumn<QString>("text");
    for (const char *text :
         {"",    "-oProxyCommand=x", "a b", "a;b", "a@-b", "-a@b",   "@b",     "a@",  "a$(b)", "a`b`", "a\nb",
          "a:0", "a:65536",          "a:x", "a:",  "[::1", "[::1]x", "[::1]:", "a'b", "a\"b",  "a|b",  "a&b"})
        QTest::newRow(text) << text;
}

void TestTransports::sshHost_whatAShellCouldRead_isRefused()
{
    QFETCH(const QString, text);
    const auto host = sshHostFrom(text.toStdString());
    QVERIFY(!host && host.error().code == ErrorCode::WrongUse);
    QVERIFY(host.error().remedy.find("ssh:HOST/DEVICE") != std::string::npos);
    QVERIFY(!sshHostFrom(std::string("a\0b", 3)));
}

void TestTransports::slurmJob_options_areThoseOfSrun_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("options");
    QTest::newRow("none") << "gpu" << QStringList{};
    QTest::newRow("some") << "gpu:time=30,gres=gpu:1" << QStringList{"--time=30", "--gres=gpu:1"};
    QTest::newRow("list") << "gpu:nodelist=n1,n2,n[4-7],cpus=4"
                          << QStringList{"--nodelist=n1,n2,n[4-7]", "--cpus-per-task=4"};
    QTest::newRow("time") << "gpu:time=1-12:00:00,mem=8G" << QStringList{"--time=1-12:00:00", "--mem=8G"};
}

void TestTransports::slurmJob_options_areThoseOfSrun()
{
    QFETCH(const QString, text);
    QFETCH(const QStringList, options);
    const auto job = slurmJobFrom(text.toStdString());
    QVERIFY2(job, job ? "" : job.error().message.c_str());
    QCOMPARE(job->partition, std::string("gpu"));
    QStringList found;
    for (const std::string &option : job->options)
        found.push_back(QString::fromStdString(option));
    QCOMPARE(found, options);
}

void TestTransports::slurmJob_wrongOptions_areRefusedByName_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("reason");
    QTest::newRow("no partition") << ""
                                  << "partition";
    QTest::newRow("option as a partition") << "--help"
                                           << "partition";
    QTest::newRow("unknown") << "gpu:tmie=3"
                             << "the option tmie is not known";
    QTest::newRow("no value") << "gpu:time="
                              << "the option time has no value";
    QTest::newRow("command") << "gpu:time=1;reboot"
                             << "the option time has no value";
    QTest::newRow("space") << "gpu:time=1 --uid"
                           << "the option time has no value";
    QTest::newRow("another of srun") << "gpu:uid=0"
                                     << "the option uid is not known";
    QTest::newRow("word first") << "gpu:n2"
                                << "the option n2 is not known";
}

void TestTransports::slurmJob_wrongOptions_areRefusedByName()
{
    QFETCH(const QString, text);
    QFETCH(const QString, reason);
    const auto job = slurmJobFrom(text.toStdString());
    QVERIFY(!job && job.error().code == ErrorCode::WrongUse);
    QVERIFY2(job.error().message.find(reason.toStdString()) != std::string::npos, job.error().message.c_str());
    QVERIFY(job.error().remedy.find("time") != std::string::npos);
}

void TestTransports::route_random_isTakenOff()
{
    for (const auto &[where, makesWeights] : {std::pair{"ssh:gpu1:2222:random", true},
                                              {"ssh:gpu1:random", true},
                                              {"ssh:random", false},
                                              {"slurm:gpu:time=3,random", true},
                                              {"slurm:gpu:random", true},
                                              {"slurm:gpu", false}}) {
        const auto route = routeTo(where, take(remoteWorker()));
        QVERIFY2(route && route->makesWeights == makesWeights, where);
    }
    QVERIFY(!routeTo("ssh:gpu1:rand", take(remoteWorker())));
}

void TestTransports::command_ofAWorker_findsItAndBegins()
{
    const std::string command = commandFor(take(remoteWorker()));
    const QTemporaryDir folder;
    QFile worker(folder.filePath("worker"));
    QVERIFY(worker.open(QIODevice::WriteOnly));
    worker.write("#!/bin/sh\necho worker $#; exit 3\n");
    QVERIFY(worker.setPermissions(QFile::ReadOwner | QFile::ExeOwner));
    worker.close();
    const QString named = "STAGECRAFT_WORKER=" + folder.filePath("worker");
    QCOMPARE(outputOfShell(command, {}, {named}), QByteArray("\nstagecraft: begin\nworker 0\nstatus 3"));
    QCOMPARE(outputOfShell(command, {}, {"STAGECRAFT_WORKER=/nowhere/worker"}), QByteArray("status 127"));
    QVERIFY(QDir().mkpath(folder.filePath(".local/bin")) &&
            QFile::copy(worker.fileName(), folder.filePath(".local/bin/stagecraft-worker")));
    QVERIFY(outputOfShell(command, {}, {"STAGECRAFT_WORKER=", "HOME=" + folder.path(), "PATH=/usr/bin:/bin"})
                .contains("worker 0"));
    QVERIFY(
        outputOfShell(commandFor(take(remoteWorker("~/.local/bin/stagecraft-worker"))), {}, {"HOME=" + folder.path()})
            .contains("worker 0"));
}

void TestTransports::command_ofPython_runsTheTextAndLeavesTheRest()
{
    const std::string text =
        "import os, sys\nprint('it''s', __name__, \"100 %\", '\\\\', os.read(0, 99))\nsys.exit(4)\n";
    const auto program = remotePython(text, "python3");
    QVERIFY(program);
    const QByteArray found = outputOfShell(commandFor(*program), QByteArray::fromStdString(program->prologue) + "rest");
    if (found == "status 127")
        QSKIP("python3 is not installed");
    QCOMPARE(found, QByteArray("\nstagecraft: begin\nits __main__ 100 % \\ b'rest'\nstatus 4"));
}

void TestTransports::path_whatAShellCouldRead_isRefused_data()
{
    QTest::addColumn<QString>("path");
    for (const char *path : {"a b", "a;b", "$(a)", "`a`", "-c", "a'b", "a\nb", "a|b"})
        QTest::newRow(path) << path;
}

void TestTransports::path_whatAShellCouldRead_isRefused()
{
    QFETCH(const QString, path);
    for (const auto &program : {remoteWorker(path.toStdString()), remotePython("", path.toStdString())})
        QVERIFY(!program && program.error().code == ErrorCode::WrongUse);
}

void TestTransports::lost_sshFails_isNamed_data()
{
    QTest::addColumn<int>("status"); // of waitpid; negative: it was killed for its silence
    QTest::addColumn<bool>("hasBegun");
    QTest::addColumn<QString>("said");
    QTest::addColumn<QString>("message");
    QTest::addColumn<int>("what");
    const int place = static_cast<int>(Loss::Place);
    const int connection = static_cast<int>(Loss::Connection);
    const int own = static_cast<int>(Loss::Worker);
    QTest::newRow("changed key")
        << kExited(255) << false
        << "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed."
        << "the key of gpu1 is not the one that known_hosts has" << place;
    QTest::newRow("keys") << kExited(255) << false << "Received disconnect: Too many authentication failures"
                          << "gpu1 refused too many keys" << place;
    QTest::newRow("route") << kExited(255) << false << "ssh: connect to host gpu1 port 22: No route to host"
                           << "gpu1 cannot be reached" << connection;
    QTest::newRow("network") << kExited(255) << false << "ssh: connect to host gpu1 port 22: Network is unreachable"
                             << "gpu1 cannot be reached" << connection;
    QTest::newRow("broken") << kExited(255) << true << "client_loop: send disconnect: Broken pipe"
                            << "the connection to gpu1 was lost" << connection;
    QTest::newRow("no answers") << kExited(255) << true << "Timeout, server gpu1 not responding."
                                << "it stopped answering" << connection;
    QTest::newRow("no shell") << kExited(1) << false << "This account is currently not available."
                              << "gpu1 did not start stagecraft-worker: its shell ended with status 1 (This account is "
                                 "currently not available.)"
                              << place;
    QTest::newRow("denied there") << kExited(126) << false << "sh: x: Permission denied"
                                  << "gpu1 does not let this account run stagecraft-worker" << place;
    QTest::newRow("unknown")
        << kExited(255) << false << "Bad configuration option: \x1b[31m"
        << "the connection to gpu1 did not come about: ssh failed (Bad configuration option: \\x1b[31m)" << connection;
    QTest::newRow("silence") << -1 << true << ""
                             << "nothing more came from gpu1" << connection;
    QTest::newRow("crash") << kExited(134) << true << ""
                           << "the worker on gpu1 was killed by signal 6" << own;
    QTest::newRow("end") << kExited(3) << true << ""
                         << "the worker on gpu1 ended with status 3" << own;
}

void TestTransports::lost_sshFails_isNamed()
{
    QFETCH(const int, status);
    QFETCH(const bool, hasBegun);
    QFETCH(const QString, said);
    QFETCH(const QString, message);
    QFETCH(const int, what);
    const auto lost = ssh()->lost({status < 0 ? std::nullopt : std::optional(status), said.toStdString(), hasBegun});
    QVERIFY2(QString::fromStdString(lost.error.message).contains(message), lost.error.message.c_str());
    QCOMPARE(static_cast<int>(lost.what), what);
}

void TestTransports::lost_srunFails_isNamed_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("said");
    QTest::addColumn<QString>("message");
    QTest::addColumn<int>("what");
    const int place = static_cast<int>(Loss::Place);
    const int connection = static_cast<int>(Loss::Connection);
    const QString step =
        "srun: Job step aborted\nslurmstepd-vm: error: *** STEP 12.0 ON vm CANCELLED AT 2026-11-28T03:52:27";
    QTest::newRow("time limit") << kExited(143) << step + " DUE TO TIME LIMIT ***\n"
                                << "the time limit of the job in partition gpu was reached" << connection;
    QTest::newRow("node failure") << kExited(143) << step + " DUE TO NODE FAILURE ***\n"
                                  << "vanished" << connection;
    QTest::newRow("preemption") << kExited(143) << step + " DUE TO PREEMPTION ***\n"
                                << "gave way" << connection;
    QTest::newRow("cancelled") << kExited(143) << step + " ***\n"
                               << "was cancelled" << place;
    QTest::newRow("partition") << kExited(1) << "srun: error: invalid partition specified: gpu"
                               << "Slurm has no partition gpu" << place;
    QTest::newRow("other") << kExited(1) << "srun: error: something new"
                           << "srun started nothing in partition gpu (srun: error: something new)" << place;
    QTest::newRow("no worker") << kExited(127) << "srun: error: vm: task 0: Exited with exit code 127"
                               << "partition gpu has no stagecraft-worker" << place;
}

void TestTransports::lost_srunFails_isNamed()
{
    QFETCH(const int, status);
    QFETCH(const QString, said);
    QFETCH(const QString, message);
    QFETCH(const int, what);
    const auto lost = slurm()->lost({status, said.toStdString(), false});
    QVERIFY2(QString::fromStdString(lost.error.message).contains(message), lost.error.message.c_str());
    QCOMPARE(static_cast<int>(lost.what), what);
}

void TestTransports::waitsFor_queuedJob_namesIt()
{
    QCOMPARE(slurm()->waitsFor(""), std::string("a node in partition gpu"));
    const std::string text = slurm()->waitsFor("srun: job 9 queued and waiting for resources\n");
    QVERIFY2(text.starts_with("job 9 in the queue of partition gpu"), text.c_str());
}

STAGECRAFT_SUITE(TestTransports)

} // namespace tst_transports
#include "tst_transports.moc"
