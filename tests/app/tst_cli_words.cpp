// The texts of the command line: messages about wrong use, help, and that each option has one meaning.

#include "support/cli_process.h"
#include "support/places.h"
#include "support/suite.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft::test;

namespace tst_cli_words {

namespace {

const QList<QStringList> kCommands{{"models"},
                                   {"devices"},
                                   {"info"},
                                   {"optimize"},
                                   {"kit"},
                                   {"measure"},
                                   {"compare"},
                                   {"sweep"},
                                   {"reproduce"},
                                   {"specialize"},
                                   {"co-run"},
                                   {"convert"},
                                   {"run"},
                                   {"latencies"},
                                   {"latencies", "list"},
                                   {"latencies", "export"},
                                   {"latencies", "import"},
                                   {"latencies", "clear"},
                                   {"timeline"},
                                   {"profile"},
                                   {"verify"},
                                   {"help"}};

} // namespace

class TestCliWords : public QObject {
    Q_OBJECT

private slots:
    void wrongUse_saysWhatIsWrongAndWhatWasMeant_data();
    void wrongUse_saysWhatIsWrongAndWhatWasMeant();
    void help_ofEveryCommand_hasJsonAndFits_data();
    void help_ofEveryCommand_hasJsonAndFits();
    void help_ofOutputs_isOneOption_data();
    void help_ofOutputs_isOneOption();
    void helpCommand_explainsCommandsAndAnswers_data();
    void helpCommand_explainsCommandsAndAnswers();
    void version_saysWhatItWasBuiltWith();
    void run_outputIsAFile_aTensorIsNamedApart_data();
    void run_outputIsAFile_aTensorIsNamedApart();
    void batch_thatTheModelCannotTake_isBlamedOnTheOption();
};

void TestCliWords::wrongUse_saysWhatIsWrongAndWhatWasMeant_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char *name, const QStringList &arguments, const char *says) {
        QTest::newRow(name) << arguments << QByteArray(says);
    };
    row("no command", {}, "stagecraft-cli: a command is missing");
    row("misspelt command", {"compar", "sample"}, "there is no command compar. Did you mean compare? The");
    row("two letters swapped", {"modles"}, "Did you mean models?");
    row("nothing like a command", {"improve"}, "there is no command improve. The commands are models, devices, info,");
    row("a model as command", {"sample"},
        "a command is missing before sample. Try, for example, \"stagecraft-cli info sample\"");
    row("a file as command", {"my.onnx"}, "a command is missing before my.onnx.");
    row("misspelt command of a command", {"latencies", "lst"},
        "latencies: there is no command lst. Did you mean list? The commands are list, export, import, "
        "clear.");
    row("no command of a command", {"latencies"},
        "latencies: a command is missing. The commands are list, export, import, clear.");
    row("misspelt option", {"info", "sample", "--cuont"},
        "info: there is no option --cuont. Did you mean --count? \"stagecraft-cli info --help\" lists");
    row("misspelt option of the program", {"--verison"}, "there is no option --verison. Did you mean --version?");
    row("misspelt option with a value", {"measure", "sample", "--shedule=greedy"}, "Did you mean --schedule?");
    row("one dash too few", {"info", "sample", "-batch", "4"}, "Did you mean --batch?");
    row("option of other commands", {"measure", "sample", "--kernels"},
        "measure: there is no option --kernels. It is an option of reproduce, timeline.");
    row("misspelt option that is required", {"convert", "sample", "--outptu", "x.onnx"}, "Did you mean --output?");
    row("option before the command", {"--batch", "4", "info", "sample"},
        "info: --batch is before the command. Put it after the command: stagecraft-cli info ... --batch.");
    row("one word too many", {"info", "sample", "extra"}, "info: \"extra\" is one word too many");
    row("no model", {"info"},
        "stagecraft-cli: info: MODEL is missing: a built-in name, NAME:PARAMETER=VALUE,... (see models)");
    row("no output", {"convert", "sample"}, "convert: --output is missing: the .onnx file to write");
    row("no value", {"measure", "sample", "--schedule"}, "--schedule has no value");
    row("twice", {"info", "sample", "--batch", "1", "--batch", "2"}, "--batch is given twice. Give it once");
    row("misspelt model", {"info", "inceptionv3"}, "Did you mean inception_v3? Built in are");
    row("beginning of a model", {"info", "inception"}, "Did you mean inception_v3?");
    row("model of another case", {"info", "SqueezeNet"}, "Did you mean squeezenet?");
    row("no name", {"info", ""}, "the name of the model is empty");
    row("misspelt device", {"compare", "sample", "-d", "simv100"},
        "--device simv100: the device simv100 is not known. "
        "Did you mean sim:v100? Known are");
    row("misspelt among several devices", {"specialize", "sample", "--devices", "sim:k80,simv100"},
        "--devices simv100: the device simv100 is not known. Did you mean sim:v100? Known are");
    row("device without its kind", {"compare", "sample", "-d", "v100"}, "Did you mean sim:v100?");
    row("misspelt simulated device", {"compare", "sample", "-d", "sim:v10"},
        "--device sim:v10: there is no simulated device v10. Did you mean v100?");
    row("misspelt number of a device", {"compare", "sample", "-d", "sim:v100*smcount=3"},
        "a device has no number called smcount. Did you mean sm_count? Its numbers are sm_count, sm_clock_mhz,");
    row("misspelt option of a GPU", {"compare", "sample", "-d", "gpu:0:fp17"},
        "it has no option fp17. Did you mean fp16?");
    row("misspelt schedule", {"measure", "sample", "--schedule", "gredy"},
        "--schedule: there is no schedule and no file named gredy. Did you mean greedy? Use sequential, greedy, "
        "embedded or");
    row("schedule to be searched for", {"measure", "sample", "--schedule", "ios-merge"},
        "--schedule: ios-merge has to be searched for first. Use optimize --strategy merge -o FILE, then --schedule");
    row("misspelt strategy", {"optimize", "sample", "--strategy", "paralel"},
        "--strategy: paralel is not known. Did you mean parallel? Use both, parallel, merge, all, nimble, opara, "
        "by-depth, list, round-robin, ios-relaxed, streams or wavefront.");
    row("misspelt bounds", {"optimize", "sample", "--bounds", "save"},
        "--bounds: save is not known. Did you mean safe? Use auto, safe or assumed.");
    row("misspelt order", {"optimize", "sample", "--order", "leaned"},
        "--order: leaned is not known. Did you mean learned? Use auto, learned or bounds.");
    row("batch in words", {"info", "sample", "--batch", "four"}, "--batch: four is not a whole number from 1 to 65536");
    row("batch too large", {"info", "sample", "--batch", "65537"}, "--batch: 65537 is not a whole number from 1 to");
    row("no batch", {"info", "sample", "--batch", ""}, "--batch: \"\" is not a whole number from 1 to 65536");
    row("a flag with a value", {"info", "sample", "--json=yaml"}, "info: --json does not take \"yaml\".");
    row("no such letter", {"info", "sample", "-x"},
        "info: there is no option -x. \"stagecraft-cli info --help\" lists");
    row("help on too much", {"help", "info", "sample"},
        "there is no help on sample. \"info\" has no commands of its own.");
    row("r in words", {"optimize", "sample", "--r", "x"}, "--r: x is not a whole number from 1 to 1000000.");
    row("bounds of a sweep", {"sweep", "sample", "--r", "1,0"}, "--r: 0 is not a whole number from 1 to");
    row("bounds of a sweep that end before they begin", {"sweep", "sample", "--r", "5..1"},
        "--r: 5..1 ends before it begins");
    row("half a range", {"sweep", "sample", "--r", "1.."}, "--r: \"\" is not a whole number from 1 to");
    row("a range without end", {"sweep", "sample", "--r", "1..9999"}, "--r: 1..9999 is more than 1000 numbers");
    row("a sweep without end", {"sweep", "sample", "--r", "1..200", "--s", "1..200"},
        "the sweep would be 40,000 searches, more than 10,000. Name fewer values of --r and --s.");
    row("misspelt strategies", {"sweep", "sample", "--strategies", "both,merg"},
        "--strategies: merg is not known. Did you mean merge? Use both, parallel, merge or all.");
    row("two forms of a sweep", {"sweep", "sample", "--csv", "--json"}, "--csv and --json exclude each other");
    row("no range of sizes", {"sweep", "sample", "--over", "batch=1,2"}, "\"batch=1,2\" is no range of sizes. Write");
    row("sizes of prunings", {"sweep", "sample", "--over", "batch=1..2", "--r", "1"}, "--r excludes --over");
    row("rounds of prunings", {"sweep", "sample", "--rounds", "3"}, "--rounds requires --over");
    row("half a measurement", {"optimize", "sample", "--max-measurements", "1.5"},
        "--max-measurements: 1.5 is not a whole number of at least 1");
    row("epsilon in percent", {"optimize", "sample", "--epsilon", "2"}, "--epsilon: 2 is not a number from 0 to 1");
    row("a study of nothing", {"specialize", "sample"},
        "specialize compares batch sizes, devices, or both. Use --batch");
    row("one model to run beside nothing", {"co-run", "sample"}, "co-run: OTHER is missing: the model beside it");
    row("three models on one device", {"co-run", "sample", "sample", "sample"}, "\"sample\" is one word too many");
    row("misspelt second model", {"co-run", "sample", "sqeezenet"}, "Did you mean squeezenet? Built in are");
    row("deadline of no model", {"co-run", "squeezenet", "sample", "--deadline", "sqeezenet=5ms"},
        "--deadline sqeezenet=5ms: sqeezenet is not one of the models. Did you mean squeezenet? The models are "
        "squeezenet and sample.");
    row("deadline without a unit", {"co-run", "sample", "sample", "--deadline", "sample#2=5"},
        "--deadline sample#2=5: \"5\" is not a time above zero in us, ms or s. Give sample#2=5ms.");
    row("deadlines of both models", {"co-run", "sample", "sample", "--deadline", "sample=5ms,sample#2=5ms"},
        "--deadline is of one model: the other has what is left of the device as early as it can. Leave one out.");
    row("rate of one model", {"co-run", "squeezenet", "sample", "--rate", "sample=5"},
        "--rate says nothing of squeezenet. Give the requests a second of both models.");
    row("rate of nothing", {"co-run", "squeezenet", "sample", "--rate", "sample=0,squeezenet=1"},
        "--rate sample=0: \"0\" is not a number of requests a second above zero.");
    row("rate given twice", {"co-run", "squeezenet", "sample", "--rate", "sample=5,sample=6"},
        "--rate sample=6: sample has a value already.");
    row("batches of a study", {"specialize", "sample", "--batch", "1,0"}, "--batch: 0 is not a whole number from 1 to");
    row("misspelt tensor", {"run", "sample", "-i", "x.npy", "-o", "y.npy", "--tensor", "concta"},
        "--tensor: the model has no output concta. Did you mean concat? Outputs: concat");
    row("help on nothing", {"help", "measrue"}, "there is no help on measrue. Did you mean measure?");
    row("help on no answer", {"help", "json", "ifno"}, "there is no JSON answer called ifno. Did you mean info?");
}

void TestCliWords::wrongUse_saysWhatIsWrongAndWhatWasMeant()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, says);
    const Answer answer = cli(arguments);
    QVERIFY2(answer.err.contains(says), answer.err);
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.out.isEmpty(), answer.out);
}

void TestCliWords::help_ofEveryCommand_hasJsonAndFits_data()
{
    QTest::addColumn<QStringList>("command");
    for (const QStringList &command : kCommands)
        QTest::newRow(qPrintable(command.join(' '))) << command;
    QTest::newRow("the program") << QStringList();
}

void TestCliWords::help_ofEveryCommand_hasJsonAndFits()
{
    QFETCH(const QStringList, command);
    const Answer answer = cli(command + QStringList{"--help"});
    QCOMPARE(answer.status, 0);
    for (const char *expected : {"Usage: stagecraft-cli", "  --json  ", "  -h,--help  ", "Exit status: 0 done, 1 "})
        QVERIFY2(answer.out.contains(expected), answer.out);
    QVERIFY2(!answer.out.contains("SUBCOMMAND") && !answer.out.contains("TEXT"), answer.out);
    for (const QByteArray &line : answer.out.split('\n'))
        QVERIFY2(line.size() <= 80, line);
}

void TestCliWords::help_ofOutputs_isOneOption_data()
{
    QTest::addColumn<QStringList>("command");
    for (const QStringList &command : kCommands) {
        if (cli(command + QStringList{"--help"}).out.contains("  -o"))
            QTest::newRow(qPrintable(command.join(' '))) << command;
    }
}

void TestCliWords::help_ofOutputs_isOneOption()
{
    QFETCH(const QStringList, command);
    const QByteArray help = cli(command + QStringList{"--help"}).out;
    QVERIFY2(help.contains("  -o,--output FILE") || help.contains("  -o,--output FOLDER"), help);
}

void TestCliWords::helpCommand_explainsCommandsAndAnswers_data()
{
    QTest::addColumn<QStringList>("topic");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("nothing") << QStringList{} << QByteArray("stagecraft-cli help json");
    QTest::newRow("a command") << QStringList{"compare"} << QByteArray("--fail-below RATIO");
    QTest::newRow("a command of a command")
        << QStringList{"latencies", "export"} << QByteArray("Usage: stagecraft-cli latencies export [options] MODEL");
    QTest::newRow("all answers") << QStringList{"json"} << QByteArray("blocks[].block_number");
    QTest::newRow("an answer") << QStringList{"json", "sweep"} << QByteArray("points[].search");
    QTest::newRow("the parts of an answer") << QStringList{"json", "sweep"} << QByteArray("search_seconds");
}

void TestCliWords::helpCommand_explainsCommandsAndAnswers()
{
    QFETCH(const QStringList, topic);
    QFETCH(const QByteArray, says);
    const Answer answer = cli(QStringList{"help"} + topic);
    QVERIFY2(answer.status == 0 && answer.out.contains(says), answer.out);
    if (!topic.isEmpty() && topic.first() != "json")
        QCOMPARE(answer.out, cli(topic + QStringList{"--help"}).out);
}

void TestCliWords::version_saysWhatItWasBuiltWith()
{
    const Answer answer = cli({"--version"});
    QCOMPARE(answer.status, 0);
    for (const char *expected : {"stagecraft-cli ", "built with ", "oneDNN ", "SQLite 3", "GPU module"})
        QVERIFY2(answer.out.contains(expected), answer.out);
}

void TestCliWords::run_outputIsAFile_aTensorIsNamedApart_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("as before") << QStringList{"-o", "y.npy", "--output", "concat"}
                               << QByteArray("-o and --output name the file to write, but concat is a tensor. Name a "
                                             "tensor with --tensor: -o Y.npy --tensor concat.");
    QTest::newRow("a tensor only") << QStringList{"--output", "concat"} << QByteArray("but concat is a tensor");
    QTest::newRow("two files") << QStringList{"-o", "y.npy", "--output", "z.npy"} << QByteArray("two files are named");
}

void TestCliWords::run_outputIsAFile_aTensorIsNamedApart()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, says);
    const QTemporaryDir folder;
    const Answer answer = cli(QStringList{"run", "sample", "-i", "x.npy"} + arguments, folder.path());
    QVERIFY2(answer.status == 2 && answer.err.contains(says), answer.err);
    QVERIFY(QDir(folder.path()).entryList(QDir::Files).isEmpty());
}

void TestCliWords::batch_thatTheModelCannotTake_isBlamedOnTheOption()
{
    const Answer large = cli({"info", "inception_v3", "--batch", "65536"});
    QCOMPARE(large.status, 2);
    QVERIFY2(large.err.contains("--batch 65536: inception_v3: ") &&
                 large.err.contains("At batch 1 the model opens: leave --batch out, or choose a smaller one."),
             large.err);
    const Answer fixed = cli({"info", sourcePath("tests/data/onnx/fixed_sum.onnx"), "--batch", "4"});
    QCOMPARE(fixed.status, 2);
    QVERIFY2(fixed.err.contains("--batch 4: ") && fixed.err.contains("leave --batch out, or export the model with an"),
             fixed.err);
    const Answer broken = cli({"info", sourcePath("tests/data/onnx/bad_sum.onnx"), "--batch", "4"});
    QVERIFY2(broken.status == 3 && !broken.err.contains("--batch"), broken.err); // the file is the cause
}

STAGECRAFT_SUITE(TestCliWords)

} // namespace tst_cli_words
#include "tst_cli_words.moc"
