#include "graph_compare.h"
#include "model/built_in.h"
#include "model/ios_json.h"

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
};

void IosJsonTest::writeIosJson_builtIn_readsBackEqual_data()
{
    QTest::addColumn<QString>("refusal"); // of what the format lacks; empty: it is written
    const QMap<QString, QString> refusals{
        {"mobilenet_v2", "the IOS JSON format cannot express the activation Relu6"},
        {"shufflenet_v2", "the IOS JSON format cannot express an output of shape 1x2x58x28x28"},
        {"googlenet", "the IOS JSON format cannot express dilation, uneven padding or rounding up"}};
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
    QCOMPARE(test::difference(read->source.graph, network->graph), QString());
    QCOMPARE(read->source.blocks, network->blocks);
    for (std::size_t i = 0; i < network->graph.size(); ++i)
        QCOMPARE(read->source.graph.operators()[i].name, network->graph.operators()[i].name);
}

void IosJsonTest::parseIosJson_channelRange_becomesSlice()
{
    const std::string exit = conv("b", R"([[["a", 1, 3]], [["a", 1, 3], ["a", 0, 2]]])");
    const auto model = parseIosJson(document(conv("a", kFromInput), exit), "net", 2);
    QVERIFY2(model, model ? "" : qPrintable(test::describe(model.error())));
    const Graph &graph = model->source.graph;
    QCOMPARE(graph.size(), std::size_t(4)); // a, two slices, b
    QVERIFY(graph.find("a[1:3]"));
    QCOMPARE(test::text(toString(graph.outputShape(*graph.find("a[1:3]")))), QString("2x2x8x8"));
    QCOMPARE(graph.op(*graph.find("b")).parameter("weight")->shape.dims[1], std::int64_t(4));
    QVERIFY(verifyBlocks(graph, model->source.blocks));
}

void IosJsonTest::parseIosJson_stages_areKept()
{
    const auto model =
        parseIosJson(document(conv("a", kFromInput) + "," + conv("b", kFromInput),
                              conv("c", R"([[["a", 0, 4], ["b", 0, 4]]])"), R"([[["a"], ["b"]], [["c"]]])"),
                     "net");
    QVERIFY(model);
    QCOMPARE(model->stages.size(), std::size_t(2));
    QCOMPARE(model->stages[0].groups, (std::vector<std::vector<std::string>>{{"a"}, {"b"}}));
    const auto written = writeIosJson(model->source.graph, model->source.blocks, model->stages);
    QVERIFY(written);
    QCOMPARE(parseIosJson(*written, "net")->stages[1].groups, (std::vector<std::vector<std::string>>{{"c"}}));
}

void IosJsonTest::parseIosJson_element_addsOrMultiplies()
{
    const std::string element =
        R"({"type": "element", "name": "e", "inputs": [[["a", 0, 4], ["b", 0, 4]]], "op_type": ")";
    const std::string inner = conv("a", kFromInput) + "," + conv("b", kFromInput);
    const auto add = parseIosJson(document(inner, element + R"(add"})"), "net");
    const auto mul = parseIosJson(document(inner, element + R"(mul"})"), "net");
    QVERIFY(add && mul);
    QCOMPARE(test::text(displayType(add->source.graph.operators()[2])), QString("Add"));
    QCOMPARE(test::text(displayType(mul->source.graph.operators()[2])), QString("Mul"));
    QCOMPARE(mul->source.graph.operators()[2].inputs.size(), std::size_t(2));
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

QTEST_APPLESS_MAIN(IosJsonTest)
#include "tst_ios_json.moc"
