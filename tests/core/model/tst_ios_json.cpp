#include "flow/open/ios_schedule.h"
#include "graph_compare.h"
#include "model/built_in.h"
#include "model/ios_json.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;

namespace {

// A graph of one block: input 3x8x8, then the given nodes, the last of which is the exit.
std::string document(const std::string &inner, const std::string &exit, const std::string &stages = "null")
{
    return R"({"name": "net", "input": {"type": "placeholder", "name": "in", "hint_name": "in", "output_shape": [3, 8, 8]},
        "blocks": [{"enter_name": "in", "inner_nodes": [)" +
           inner + R"(], "exit_node": )" + exit + R"(, "stages": )" + stages + "}]}";
}

std::string conv(const std::string &name, const std::string &inputs, const std::string &more = "")
{
    return R"({"type": "conv", "name": ")" + name + R"(", "hint_name": "", "inputs": )" + inputs +
           R"(, "out_channels": 4, "kernel": [3, 3], "stride": [1, 1], "padding": [1, 1], "groups": 1, "act": "relu")" +
           more + "}";
}

const std::string kFromInput = R"([[["in", 0, 3]]])";

} // namespace

class IosJsonTest : public QObject {
    Q_OBJECT

private slots:
    void writeIosJson_builtIn_readsBackEqual_data();
    void writeIosJson_builtIn_readsBackEqual();
    void parseIosJson_channelRange_becomesSlice();
    void parseIosJson_stages_areKept();
    void parseIosJson_element_addsOrMultiplies();
    void parseIosJson_badInput_refuses_data();
    void parseIosJson_badInput_refuses();
    void parseIosJson_badParts_refuses_data();
    void parseIosJson_badParts_refuses();
    void parseIosJson_cutShort_neverReads();
    void readIosJson_noFile_refuses();
    void iosSchedule_stages_areThoseOfTheFile_data();
    void iosSchedule_stages_areThoseOfTheFile();
    void iosSchedule_mergedNode_isAMergeStageOfTheOriginal();
    void iosSchedule_longBlock_isCutBetweenStages();
    void iosSchedule_unfit_isRefused_data();
    void iosSchedule_unfit_isRefused();
};

void IosJsonTest::writeIosJson_builtIn_readsBackEqual_data()
{
    QTest::addColumn<QString>("refusal"); // of what the format lacks; empty: it is written
    const QMap<QString, QString> refusals{
        {"mobilenet_v2", "the IOS JSON format cannot express the activation Relu6"},
        {"shufflenet_v2", "the IOS JSON format cannot express an output of shape 1x2x58x28x28"},
        {"googlenet", "the IOS JSON format cannot express dilation, uneven padding or rounding up"},
        {"alexnet", "the IOS JSON format cannot express an output of shape 1x9216"}};
    for (const BuiltInNetwork &network : builtInNetworks())
        QTest::newRow(network.name.data()) << refusals[network.name.data()];
}

void IosJsonTest::writeIosJson_builtIn_readsBackEqual()
{
    QFETCH(QString, refusal);
    const auto network = builtInNetwork(QTest::currentDataTag());
    QVERIFY(network);
    const auto written = writeIosJson(network->graph, network->blocks);
    if (!refusal.isEmpty()) {
        QVERIFY(!written);
        QCOMPARE(QString::fromStdString(written.error().message), refusal);
        return;
    }
    QVERIFY2(written, written ? "" : qPrintable(test::describe(written.error())));
    const auto read = parseIosJson(*written, "other");
    QVERIFY2(read, read ? "" : qPrintable(test::describe(read.error())));
    QCOMPARE(test::difference(read->graph, network->graph), QString());
    QCOMPARE(read->blocks, network->blocks);
    for (std::size_t i = 0; i < network->graph.size(); ++i)
        QCOMPARE(read->graph.operators()[i].name, network->graph.operators()[i].name);
}

void IosJsonTest::parseIosJson_channelRange_becomesSlice()
{
    const std::string exit = conv("b", R"([[["a", 1, 3]], [["a", 1, 3], ["a", 0, 2]]])");
    const auto model = parseIosJson(document(conv("a", kFromInput), exit), "net", 2);
    QVERIFY2(model, model ? "" : qPrintable(test::describe(model.error())));
    const Graph &graph = model->graph;
    QCOMPARE(graph.size(), std::size_t(4)); // a, two slices, b
    QVERIFY(graph.find("a[1:3]"));
    QCOMPARE(test::text(toString(graph.outputShape(*graph.find("a[1:3]")))), QString("2x2x8x8"));
    QCOMPARE(graph.op(*graph.find("b")).parameter("weight")->shape.dims[1], std::int64_t(4));
    QVERIFY(verifyBlocks(graph, model->blocks));
}

void IosJsonTest::parseIosJson_stages_areKept()
{
    const auto model =
        parseIosJson(document(conv("a", kFromInput) + "," + conv("b", kFromInput),
                              conv("c", R"([[["a", 0, 4], ["b", 0, 4]]])"), R"([[["a"], ["b"]], [["c"]]])"),
                     "net");
    QVERIFY(model);
    QCOMPARE(model->iosStages.size(), std::size_t(2));
    QCOMPARE(model->iosStages[0].groups, (std::vector<std::vector<std::string>>{{"a"}, {"b"}}));
    const auto written = writeIosJson(model->graph, model->blocks, model->iosStages);
    QVERIFY(written);
    QCOMPARE(parseIosJson(*written, "net")->iosStages[1].groups, (std::vector<std::vector<std::string>>{{"c"}}));
}

void IosJsonTest::parseIosJson_element_addsOrMultiplies()
{
    const std::string element =
        R"({"type": "element", "name": "e", "inputs": [[["a", 0, 4], ["b", 0, 4]]], "op_type": ")";
    const std::string inner = conv("a", kFromInput) + "," + conv("b", kFromInput);
    const auto add = parseIosJson(document(inner, element + R"(add"})"), "net");
    const auto mul = parseIosJson(document(inner, element + R"(mul"})"), "net");
    QVERIFY(add && mul);
    QCOMPARE(test::text(displayType(add->graph.operators()[2])), QString("Add"));
    QCOMPARE(test::text(displayType(mul->graph.operators()[2])), QString("Mul"));
    QCOMPARE(mul->graph.operators()[2].inputs.size(), std::size_t(2));
}

void IosJsonTest::parseIosJson_badInput_refuses_data()
{
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *name, const std::string &json, const char *message) {
        QTest::newRow(name) << test::text(json) << QString(message);
    };
    row("empty", "", "not valid JSON");
    row("not JSON", "\x08\x01 onnx", "not valid JSON");
    row("other JSON", "[1, 2]", "no list of blocks");
    row("no input", R"({"blocks": []})", "it has no input");
    row("no operators", R"({"input": {"name": "in", "output_shape": [3, 8, 8]}, "blocks": []})", "no operators");
    row("input of size zero", R"({"input": {"name": "in", "output_shape": [3, 0, 8]}, "blocks": []})", "size of zero");
    row("negative size", R"({"input": {"name": "in", "output_shape": [3, -8, 8]}, "blocks": []})", "output_shape");
    row("missing node", document("", conv("a", R"([[["ghost", 0, 3]]])")), "node a: it reads ghost");
    row("cycle", document(conv("a", R"([[["b", 0, 4]]])"), conv("b", R"([[["a", 0, 4]]])")), "node a: it reads b");
    row("same name", document(conv("a", kFromInput), conv("a", kFromInput)), "node a: another node has the same name");
    row("name of the input", document("", conv("in", kFromInput)), "another node has the same name");
    row("too many channels", document("", conv("a", R"([[["in", 0, 4]]])")), "a range of channels that in with its 3");
    row("empty range", document("", conv("a", R"([[["in", 2, 2]]])")), "a range of channels");
    row("no inputs", document("", conv("a", "[]")), "it has no input");
    row("sum of different shapes", document(conv("a", kFromInput), conv("b", R"([[["a", 0, 4], ["in", 0, 3]]])")),
        "adds tensors of different shapes");
    row("wrong shape", document("", conv("a", kFromInput, R"(, "output_shape": [4, 9, 9])")),
        "output shape is given as 4x9x9, but its inputs make it 4x8x8");
    row("unknown type", document("", R"({"type": "lstm", "name": "a", "inputs": [[["in", 0, 3]]]})"), "its type lstm");
    row("huge number", document("", conv("a", kFromInput, R"(, "groups": 99999999999999999999)")), "groups");
    row("stage of strangers", document("", conv("a", kFromInput), R"([[["z"]]])"), "its schedule names z");
    row("stages of numbers", document("", conv("a", kFromInput), "[1]"), "not lists of groups of names");
    row("absurd channels", document("", conv("a", kFromInput, R"(, "out_channels": 2147483648)")), "absurdly large");
    row("stride 0", document("", conv("a", kFromInput, R"(, "stride": [0, 1])")), "at least 1");
    row("window too large", document("", conv("a", kFromInput, R"(, "kernel": [30, 3])")),
        "larger than the padded input");
    row("sequence apart",
        document("", R"({"type": "sequential", "name": "s", "nodes": [
            {"type": "relu", "name": "r", "inputs": [[["in", 0, 3]]]}, )" +
                         conv("c", kFromInput) + "]}"),
        "does not read the step before it");
}

void IosJsonTest::parseIosJson_badInput_refuses()
{
    QFETCH(QString, json);
    QFETCH(QString, message);
    const auto model = parseIosJson(json.toStdString(), "net");
    QVERIFY(!model);
    QCOMPARE(model.error().code, ErrorCode::InvalidInput);
    QVERIFY2(test::describe(model.error()).contains(message), qPrintable(test::describe(model.error())));
}

void IosJsonTest::parseIosJson_badParts_refuses_data()
{
    QTest::addColumn<QString>("parts");
    QTest::addColumn<QString>("message");
    QTest::newRow("not lists") << R"({"a": 1})"
                               << "not a list of blocks";
    QTest::newRow("unknown operator") << R"([[["a", "z"]]])"
                                      << "it names z";
    QTest::newRow("operator left out") << R"([[["a"]]])"
                                       << "operator b is in no block";
    QTest::newRow("twice") << R"([[["a", "b"], ["a"]]])"
                           << "in two blocks";
    QTest::newRow("backwards") << R"([[["b"], ["a"]]])"
                               << "of a later block";
}

void IosJsonTest::parseIosJson_badParts_refuses()
{
    QFETCH(QString, parts);
    QFETCH(QString, message);
    const std::string json = document(conv("a", kFromInput), conv("b", R"([[["a", 0, 4]]])"));
    const auto model = parseIosJson(json, "net", 1, parts.toStdString());
    QVERIFY(!model);
    QVERIFY2(test::describe(model.error()).contains(message), qPrintable(test::describe(model.error())));
}

void IosJsonTest::parseIosJson_cutShort_neverReads()
{
    const std::string json = document(conv("a", kFromInput), conv("b", R"([[["a", 0, 4]]])"));
    for (std::size_t length = 0; length < json.size(); ++length)
        QVERIFY(!parseIosJson(json.substr(0, length), "net"));
}

void IosJsonTest::readIosJson_noFile_refuses()
{
    const auto model = readIosJson("/no/such/graph.json");
    QVERIFY(!model);
    QCOMPARE(test::text(model.error().message), QString("there is no such file"));
    QCOMPARE(test::text(model.error().context.front()), QString("/no/such/graph.json"));
}

namespace {

// As the public project writes it: "a" stands for the merged convolutions "a" and "b".
std::string merged(const std::string &stages, const std::string &readByD = R"([[["a", 4, 8]]])")
{
    return document(R"({"type": "conv", "name": "a", "hint_name": "a b", "inputs": )" + kFromInput +
                        R"(, "out_channels": 8, "kernel": [3, 3], "stride": [1, 1], "padding": [1, 1], "groups": 1,
                            "act": "relu"}, )" +
                        conv("c", R"([[["a", 0, 4]]])") + "," + conv("d", readByD),
                    R"({"type": "identity", "name": "e", "inputs": [[["c", 0, 4]], [["d", 0, 4]]]})", stages);
}

// "a > a[0:4], c | d > e": stages by >, groups by |; merge stages by +.
QString wordsOf(const Graph &graph, const TimedSchedule &schedule)
{
    QStringList stages;
    for (const Stage &stage : schedule.stages) {
        QStringList groups;
        for (const auto &group : stage.groups) {
            QStringList names;
            for (const OperatorId id : group)
                names << QString::fromStdString(graph.op(id).name);
            groups << names.join(", ");
        }
        stages << groups.join(stage.strategy == Strategy::Merge ? " + " : " | ");
    }
    return stages.join(" > ");
}

} // namespace

void IosJsonTest::iosSchedule_stages_areThoseOfTheFile_data()
{
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("stages");
    QTest::newRow("parts of a tensor, each read by one group")
        << test::text(merged(R"([[["a"]], [["c"], ["d"]], [["e"]]])")) << "a > a[0:4], c | a[4:8], d > e";
    QTest::newRow("a part of a tensor, read by two groups")
        << test::text(merged(R"([[["a"]], [["c"], ["d"]], [["e"]]])", R"([[["a", 0, 4]]])"))
        << "a > a[0:4] > c | d > e";
    QTest::newRow("a part of a tensor, read in two stages")
        << test::text(merged(R"([[["a"]], [["d"]], [["c"]], [["e"]]])", R"([[["a", 0, 4]]])"))
        << "a > a[0:4], d > c > e";
    QTest::newRow("producer and reader in one group")
        << test::text(merged(R"([[["a", "c", "d"]], [["e"]]])")) << "a, a[0:4], c, a[4:8], d > e";
    QTest::newRow("a part of the input")
        << test::text(document(conv("a", R"([[["in", 0, 2]]])") + "," + conv("b", R"([[["in", 0, 2]]])"),
                               conv("c", R"([[["a", 0, 4], ["b", 0, 4]]])"), R"([[["a"], ["b"]], [["c"]]])"))
        << "in[0:2] > a | b > c";
}

void IosJsonTest::iosSchedule_stages_areThoseOfTheFile()
{
    QFETCH(const QString, json);
    QFETCH(const QString, stages);
    const auto model = parseIosJson(json.toStdString(), "net");
    QVERIFY2(model, model ? "" : qPrintable(test::describe(model.error())));
    const auto schedule = iosSchedule(model->iosStages, model->graph, model->blocks);
    QVERIFY2(schedule, schedule ? "" : qPrintable(test::describe(schedule.error())));
    QCOMPARE(wordsOf(model->graph, *schedule), stages);
    const auto own = iosScheduleWithBlocks(model->iosStages, model->graph);
    QVERIFY2(own, own ? "" : qPrintable(test::describe(own.error())));
    QCOMPARE(own->schedule.stages, schedule->stages);
    QCOMPARE(own->blocks, model->blocks);
    // Without the graph, for another file of the same model.
    const auto read = iosStagesFrom(json.toStdString());
    QVERIFY2(read, read ? "" : qPrintable(test::describe(read.error())));
    QCOMPARE(iosSchedule(*read, model->graph, model->blocks)->stages, schedule->stages);
}

void IosJsonTest::iosSchedule_mergedNode_isAMergeStageOfTheOriginal()
{
    const auto original =
        parseIosJson(document(conv("a", kFromInput) + "," + conv("b", kFromInput) + "," +
                                  conv("c", R"([[["a", 0, 4]]])") + "," + conv("d", R"([[["b", 0, 4]]])"),
                              R"({"type": "identity", "name": "e", "inputs": [[["c", 0, 4]], [["d", 0, 4]]]})"),
                     "net");
    QVERIFY(original);
    const auto stages = iosStagesFrom(merged(R"([[["a"]], [["c"], ["d"]], [["e"]]])"));
    QVERIFY(stages);
    const auto schedule = iosSchedule(*stages, original->graph, original->blocks);
    QVERIFY2(schedule, schedule ? "" : qPrintable(test::describe(schedule.error())));
    QCOMPARE(wordsOf(original->graph, *schedule), QString("a + b > c | d > e"));
}

// A block of the format may be longer than one of ours.
void IosJsonTest::iosSchedule_longBlock_isCutBetweenStages()
{
    constexpr int kOperators = 70;
    std::string inner = conv("c0", kFromInput);
    std::string stages = R"([["c0"]])";
    for (int i = 1; i < kOperators; ++i) {
        const std::string name = "c" + std::to_string(i);
        const std::string node = conv(name, R"([[["c)" + std::to_string(i - 1) + R"(", 0, 4]]])");
        if (i + 1 < kOperators)
            inner += "," + node;
        stages += R"(, [[")" + name + R"("]])";
        if (i + 1 == kOperators) {
            const auto model = parseIosJson(document(inner, node, "[" + stages + "]"), "net");
            QVERIFY2(model, model ? "" : qPrintable(test::describe(model.error())));
            const auto own = iosScheduleWithBlocks(model->iosStages, model->graph);
            QVERIFY2(own, own ? "" : qPrintable(test::describe(own.error())));
            QCOMPARE(own->schedule.stages.size(), std::size_t(kOperators));
            QCOMPARE(own->blocks.size(), std::size_t(2));
            QCOMPARE(own->blocks[0].operators.size(), kMaxBlockOperators);
        }
    }
}

void IosJsonTest::iosSchedule_unfit_isRefused_data()
{
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("message");
    QTest::newRow("no JSON") << "stages"
                             << "it is not a graph in the IOS JSON format";
    QTest::newRow("no stages") << test::text(merged("null")) << "block 1: it has no stages";
    QTest::newRow("stages of numbers") << test::text(merged("[1]")) << "block 1: its stages are not lists of groups";
    QTest::newRow("of another model") << test::text(document("", conv("z", kFromInput), R"([[["z"]]])"))
                                      << "stage 1: operator z: the schedule is for another model: net has no operator";
    QTest::newRow("out of order") << test::text(merged(R"([[["c"], ["d"]], [["a"]], [["e"]]])")) << "stage 1";
    QTest::newRow("incomplete") << test::text(merged(R"([[["a"]], [["c"], ["d"]]])")) << "e";
    QTest::newRow("an empty stage") << test::text(merged(R"([[], [["a"]], [["c"], ["d"]], [["e"]]])")) << "stage 1";
    QTest::newRow("an empty group") << test::text(merged(R"([[["a"], []], [["c"], ["d"]], [["e"]]])")) << "stage 1";
    QTest::newRow("twice") << test::text(merged(R"([[["a"]], [["a"]], [["c"], ["d"]], [["e"]]])")) << "a";
}

void IosJsonTest::iosSchedule_unfit_isRefused()
{
    QFETCH(const QString, json);
    QFETCH(const QString, message);
    const auto model = parseIosJson(merged("null"), "net");
    const auto stages = iosStagesFrom(json.toStdString());
    const auto schedule =
        stages ? iosSchedule(*stages, model->graph, model->blocks) : tl::unexpected<Error>(stages.error());
    QVERIFY(!schedule);
    QCOMPARE(schedule.error().code, ErrorCode::InvalidInput);
    QVERIFY2(test::describe(schedule.error()).contains(message), qPrintable(test::describe(schedule.error())));
}

STAGECRAFT_SUITE(IosJsonTest)
#include "tst_ios_json.moc"
