// completion and man: scripts that shells accept and that complete what there is, and a page that man(1) accepts.

#include "support/cli_process.h"
#include "support/suite.h"

#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft::test;

namespace tst_cli_completion {

class TestCliCompletion : public QObject {
    Q_OBJECT

private slots:
    void bash_wordsTyped_areCompleted_data();
    void bash_wordsTyped_areCompleted();
    void script_ofEveryShell_isAccepted_data();
    void script_ofEveryShell_isAccepted();
    void script_ofEveryShell_namesEveryOption_data();
    void script_ofEveryShell_namesEveryOption();
    void man_everyOption_isThere();
    void completion_unknownShell_isRefused();
};

void TestCliCompletion::bash_wordsTyped_areCompleted_data()
{
    QTest::addColumn<QStringList>("typed");
    QTest::addColumn<QString>("completed"); // in order
    QTest::newRow("commands") << QStringList{"con"} << "convert";
    QTest::newRow("options") << QStringList{"export", "sample", "greedy", "--f"} << "--format --force";
    QTest::newRow("values") << QStringList{"export", "sample", "greedy", "--format", "c"} << "csv chrome-trace cpp";
    QTest::newRow("short option") << QStringList{"measure", "sample", "-d", "cp"} << "cpu cpu:library";
    QTest::newRow("devices elsewhere") << QStringList{"measure", "sample", "-d", "ss"} << "ssh:";
    QTest::newRow("models") << QStringList{"info", "squ"} << "squeezenet";
    QTest::newRow("parameters of a model")
        << QStringList{"info", "transformer:h"} << "transformer:heads= transformer:head=";
    QTest::newRow("schedules") << QStringList{"export", "sample", "ios-b"} << "ios-both";
    QTest::newRow("a command below a command") << QStringList{"latencies", "exp"} << "export";
    QTest::newRow("its options, not those of export") << QStringList{"latencies", "export", "--f"} << "--force";
    QTest::newRow("a flag takes no value") << QStringList{"--json", "mod"} << "models";
    QTest::newRow("words of this command's option") << QStringList{"compare", "a", "b", "--format", "j"} << "junit";
    QTest::newRow("simulated devices") << QStringList{"kit", "sample", "--like", "sim:v100:g"} << "sim:v100:graph";
    QTest::newRow("files") << QStringList{"convert", "own"} << "own.onnx";
}

void TestCliCompletion::bash_wordsTyped_areCompleted()
{
    QFETCH(const QStringList, typed);
    QFETCH(const QString, completed);
    const QTemporaryDir folder;
    write(folder.filePath("own.onnx"), "");
    write(folder.filePath("script"), cli({"completion", "bash"}).out);
    QProcess bash;
    bash.setWorkingDirectory(folder.path());
    bash.start("bash",
               QStringList{"--norc", "-c",
                           "source ./script; COMP_WORDS=(stagecraft-cli \"$@\"); COMP_CWORD=$#; _stagecraft_cli; "
                           "echo \"${COMPREPLY[*]}\"",
                           "bash"} +
                   typed);
    QVERIFY(bash.waitForFinished());
    QCOMPARE(QString(bash.readAllStandardOutput()).trimmed(), completed);
    QCOMPARE(bash.readAllStandardError(), QByteArray());
}

void TestCliCompletion::script_ofEveryShell_isAccepted_data()
{
    QTest::addColumn<QString>("shell");
    for (const char *shell : {"bash", "zsh", "fish"})
        QTest::newRow(shell) << shell;
}

void TestCliCompletion::script_ofEveryShell_isAccepted()
{
    QFETCH(const QString, shell);
    if (QStandardPaths::findExecutable(shell).isEmpty())
        QSKIP("this shell is not installed");
    const QTemporaryDir folder;
    write(folder.filePath("script"), cli({"completion", shell}).out);
    QProcess process;
    process.start(shell, {"-n", folder.filePath("script")}); // reads without executing
    QVERIFY(process.waitForFinished());
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError());
}

void TestCliCompletion::script_ofEveryShell_namesEveryOption_data()
{
    script_ofEveryShell_isAccepted_data();
}

void TestCliCompletion::script_ofEveryShell_namesEveryOption()
{
    QFETCH(const QString, shell);
    const Answer script = cli({"completion", shell});
    QCOMPARE(script.status, 0);
    for (const QByteArray option : {"format", "fail-below", "max-measurements", "single-source", "tensor", "json"})
        QVERIFY2(script.out.contains((shell == "fish" ? " -l " : "--") + option), option);
    for (const QByteArray word : {"latencies", "perfetto", "sim:v100", "squeezenet", "ios-parallel"})
        QVERIFY2(script.out.contains(word), word);
}

void TestCliCompletion::man_everyOption_isThere()
{
    const Answer page = cli({"man"});
    QCOMPARE(page.status, 0);
    QVERIFY(page.out.startsWith(".TH STAGECRAFT\\-CLI 1 "));
    for (const QByteArray text : {".SS \"latencies export\"", "\\fB\\-\\-fail\\-below\\fR \\fIRATIO\\fR",
                                  "\\fB\\-\\-device\\fR, \\fB\\-d\\fR \\fIDEVICE\\fR", "Exit status: 0 done"})
        QVERIFY2(page.out.contains(text), text);
    if (QStandardPaths::findExecutable("man").isEmpty())
        QSKIP("man is not installed");
    const QTemporaryDir folder;
    write(folder.filePath("page.1"), page.out);
    QProcess man;
    man.setProcessEnvironment([] {
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert("MANWIDTH", "100");
        return environment;
    }());
    man.start("man", {"--warnings", "-l", folder.filePath("page.1")});
    QVERIFY(man.waitForFinished());
    QCOMPARE(man.readAllStandardError(), QByteArray());
}

void TestCliCompletion::completion_unknownShell_isRefused()
{
    const Answer refused = cli({"completion", "fihs"});
    QCOMPARE(refused.status, 2);
    QVERIFY2(refused.err.contains("fihs is not known. Did you mean fish? Use bash, zsh or fish"), refused.err);
}

STAGECRAFT_SUITE(TestCliCompletion)

} // namespace tst_cli_completion
#include "tst_cli_completion.moc"
