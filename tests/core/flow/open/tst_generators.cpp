// The built-in networks whose sizes are chosen, as they are opened: parameters, blocks, and what the graphs consist of.

#include "flow/open_model.h"
#include "model/built_in.h"
#include "operators/parameter_roles.h"
#include "support/opened_model.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_generators {

namespace {

// The largest first dimension of a constant matrix in the second place: the experts of grouped products.
std::vector<std::vector<std::int64_t>> groupedWeights(const Graph &graph)
{
    std::vector<std::vector<std::int64_t>> dims;
    for (const Operator &op : graph.operators()) {
        const Parameter *weight = op.parameter(role::operand(1));
        if (op.type == "MatMul" && weight)
            dims.push_back(weight->shape.dims);
    }
    return dims;
}

} // namespace

class GeneratorsTest : public QObject {
    Q_OBJECT

private slots:
    void rows_all_areInOrder();
    void open_eachAsUsual_hasBlocksAndItsBatch_data();
    void open_eachAsUsual_hasBlocksAndItsBatch();
    void open_eachParameterAtItsLeast_opensOrSaysWhy_data();
    void open_eachParameterAtItsLeast_opensOrSaysWhy();
    void open_values_areInNameAndHash();
    void open_wrongSpec_isRefusedWithTheParameters_data();
    void open_wrongSpec_isRefusedWithTheParameters();
    void transformer_layers_haveTwoBlocksAndTheirParameters();
    void transformer_queryKeyValue_readOneTensor();
    void moe_tokens_decideWhichExpertsAreRead_data();
    void moe_tokens_decideWhichExpertsAreRead();
    void heads_towers_areSideBySideInBlocks();
    void dlrm_tables_haveInputsOfRowNumbers();
    void reading_units_canBeChosen();
};

void GeneratorsTest::rows_all_areInOrder()
{
    std::set<std::string_view> names;
    for (const Generator &generator : generators()) {
        QVERIFY(names.insert(generator.name).second && isBuiltIn(generator.name));
        std::set<std::string_view> parameters;
        for (const GeneratorParameter &each : generator.parameters) {
            QVERIFY2(parameters.insert(each.name).second, each.name.data());
            QVERIFY2(each.least <= each.usual && each.usual <= each.most && !each.means.empty(), each.name.data());
        }
    }
}

void GeneratorsTest::open_eachAsUsual_hasBlocksAndItsBatch_data()
{
    QTest::addColumn<QString>("name");
    for (const Generator &generator : generators())
        QTest::newRow(generator.name.data()) << QString::fromUtf8(generator.name.data());
}

void GeneratorsTest::open_eachAsUsual_hasBlocksAndItsBatch()
{
    QFETCH(QString, name);
    const auto one = openModel({.spec = name.toStdString()});
    const auto many = openModel({.spec = name.toStdString(), .batch = 6});
    QVERIFY2(one && many, one ? "" : one.error().message.c_str());
    QCOMPARE(one->model.graph->batch(), std::int64_t{1});
    QCOMPARE(many->model.graph->batch(), std::int64_t{6});
    QCOMPARE(one->model.sha256, many->model.sha256);
    QCOMPARE(QString::fromStdString(one->model.name), name);
    QVERIFY(verifyBlocks(*one->model.graph, one->model.blocks) && verifyBlocks(*many->model.graph, many->model.blocks));
    for (const Block &block : one->model.blocks)
        QVERIFY(block.operators.size() <= 36 && width(*one->model.graph, block) <= 12);
}

void GeneratorsTest::open_eachParameterAtItsLeast_opensOrSaysWhy_data()
{
    QTest::addColumn<QString>("spec");
    for (const Generator &generator : generators()) {
        for (const GeneratorParameter &each : generator.parameters) {
            const std::string spec =
                std::string(generator.name) + ":" + std::string(each.name) + "=" + std::to_string(each.least);
            QTest::newRow(spec.c_str()) << QString::fromStdString(spec);
        }
    }
}

void GeneratorsTest::open_eachParameterAtItsLeast_opensOrSaysWhy()
{
    QFETCH(QString, spec);
    const auto opened = openModel({.spec = spec.toStdString()});
    if (opened) {
        QVERIFY(verifyBlocks(*opened->model.graph, opened->model.blocks));
        return;
    }
    QVERIFY2(opened.error().code == ErrorCode::WrongUse, opened.error().message.c_str());
    QVERIFY(!opened.error().remedy.empty());
}

void GeneratorsTest::open_values_areInNameAndHash()
{
    const auto usual = openModel({.spec = "moe"});
    const auto stated = openModel({.spec = "moe:tokens=32"});
    const auto other = openModel({.spec = "moe:hidden=64,tokens=8"});
    QVERIFY(usual && stated && other);
    QCOMPARE(stated->model.name, std::string("moe"));
    QCOMPARE(stated->model.sha256, usual->model.sha256);
    QCOMPARE(other->model.name, std::string("moe:tokens=8,hidden=64"));
    QCOMPARE(other->model.source, std::string("moe:hidden=64,tokens=8"));
    QVERIFY(other->model.sha256 != usual->model.sha256);
}

void GeneratorsTest::open_wrongSpec_isRefusedWithTheParameters_data()
{
    QTest::addColumn<QString>("spec");
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("remedy");
    const QString ranges = "tokens (1 to 65,536, 32 unless told)";
    QTest::newRow("parameter") << "moe:token=3"
                               << "there is no parameter token"
                               << "Did you mean tokens? The parameters";
    QTest::newRow("ranges") << "moe:depth=3"
                            << "there is no parameter depth" << ranges;
    QTest::newRow("too little") << "moe:tokens=0"
                                << "tokens=0 is out of range" << ranges;
    QTest::newRow("too much") << "moe:experts=5000"
                              << "experts=5000 is out of range" << ranges;
    QTest::newRow("no value") << "moe:tokens"
                              << "\"tokens\" is not PARAMETER=NUMBER"
                              << "tokens=128,heads=8";
    QTest::newRow("no number") << "moe:tokens=many"
                               << "is not PARAMETER=NUMBER"
                               << "tokens=128,heads=8";
    QTest::newRow("nothing") << "moe:"
                             << "\"\" is not PARAMETER=NUMBER"
                             << "tokens=128,heads=8";
    QTest::newRow("a fraction") << "moe:tokens=1.5"
                                << "is not PARAMETER=NUMBER"
                                << "tokens=128,heads=8";
    QTest::newRow("twice") << "moe:tokens=3,tokens=4"
                           << "tokens is given twice"
                           << "Give it once";
    QTest::newRow("too many active") << "moe:active=17"
                                     << "17 of 16 experts cannot be active"
                                     << "Choose active";
    QTest::newRow("odd rotary") << "mla:rotary=31"
                                << "rotary=31 has no halves"
                                << "even";
    QTest::newRow("odd image") << "unet:image=33"
                               << "image=33 cannot be halved 1 times"
                               << "multiple of 2";
    QTest::newRow("channels") << "unet:channels=48"
                              << "48 channels cannot be shared among 32 groups"
                              << "both divide";
    QTest::newRow("coarse image") << "heads:image=200"
                                  << "image=200 cannot be halved 5 times"
                                  << "multiple of 32";
}

void GeneratorsTest::open_wrongSpec_isRefusedWithTheParameters()
{
    QFETCH(QString, spec);
    QFETCH(QString, message);
    QFETCH(QString, remedy);
    const auto opened = openModel({.spec = spec.toStdString()});
    QVERIFY(!opened);
    QVERIFY(opened.error().code == ErrorCode::WrongUse);
    QVERIFY2(QString::fromStdString(opened.error().message).contains(message), opened.error().message.c_str());
    QVERIFY2(QString::fromStdString(opened.error().remedy).contains(remedy), opened.error().remedy.c_str());
    QCOMPARE(opened.error().context.front(), spec.toStdString());
}

void GeneratorsTest::transformer_layers_haveTwoBlocksAndTheirParameters()
{
    const auto model = openedModel("transformer:layers=3,width=96,heads=3,head=16,ff=200,tokens=10");
    QCOMPARE(model->blocks.size(), std::size_t{6});
    std::int64_t weights = 0;
    for (const Operator &op : model->graph->operators()) {
        if (op.parameter(role::kWeight))
            weights += op.parameter(role::kWeight)->shape.elements();
    }
    QCOMPARE(weights, std::int64_t{3 * (4 * 96 * 3 * 16 + 2 * 96 * 200)});
}

void GeneratorsTest::transformer_queryKeyValue_readOneTensor()
{
    const auto model = openedModel("transformer:layers=1");
    std::set<TensorId> read;
    for (const char *name : {"query", "key", "value"}) {
        const auto id = model->graph->find(std::string("layer0/attention/") + name);
        QVERIFY(id && model->graph->op(*id).gemm());
        read.insert(model->graph->op(*id).inputs.front().front());
    }
    QCOMPARE(read.size(), std::size_t{1});
}

void GeneratorsTest::moe_tokens_decideWhichExpertsAreRead_data()
{
    QTest::addColumn<QString>("tokens");
    QTest::addColumn<qint64>("experts");
    QTest::addColumn<qint64>("rows");
    QTest::newRow("one token, its own experts") << "1" << 4LL << 1LL;
    QTest::newRow("few") << "4" << 11LL << 2LL; // 16 (1 - 0.75^4) = 10.9
    QTest::newRow("many") << "64" << 16LL << 16LL;
}

void GeneratorsTest::moe_tokens_decideWhichExpertsAreRead()
{
    QFETCH(QString, tokens);
    QFETCH(qint64, experts);
    QFETCH(qint64, rows);
    const auto model = openedModel("moe:tokens=" + tokens.toStdString());
    const auto weights = groupedWeights(*model->graph);
    QCOMPARE(weights.size(), std::size_t{3});
    for (const auto &dims : weights)
        QCOMPARE(dims.front(), experts);
    const auto dispatch = model->graph->find("layer0/routed/dispatch");
    QVERIFY(dispatch);
    const Shape expected{{experts, rows, 512}};
    QCOMPARE(toString(model->graph->outputShape(*dispatch)), toString(expected));
}

void GeneratorsTest::heads_towers_areSideBySideInBlocks()
{
    const auto model = openedModel("heads:levels=4,convs=2");
    const auto &blocks = model->blocks;
    for (std::size_t i = blocks.size() - 3; i < blocks.size(); ++i) {
        QCOMPARE(blocks[i].operators.size(), std::size_t{8});
        QCOMPARE(width(*model->graph, blocks[i]), 8);
    }
    QCOMPARE(model->graph->outputs().size(), std::size_t{8});
}

void GeneratorsTest::dlrm_tables_haveInputsOfRowNumbers()
{
    const auto model = openedModel("dlrm:tables=20,bag=1");
    const auto inputs = model->graph->inputs();
    QCOMPARE(
        std::ranges::count_if(inputs, [&](TensorId id) { return model->graph->tensor(id).type == DataType::Int64; }),
        std::ptrdiff_t{20});
    QVERIFY(verifyBlocks(*model->graph, model->blocks));
}

void GeneratorsTest::reading_units_canBeChosen()
{
    const auto usual = openModel({.spec = "transformer"});
    const auto none = openModel({.spec = "transformer", .reading = {.units = Units::None}});
    const auto tvm = openModel({.spec = "transformer", .reading = {.units = Units::Tvm}});
    QVERIFY(usual && none && tvm);
    QVERIFY(none->model.graph->size() > usual->model.graph->size());
    QVERIFY(verifyBlocks(*tvm->model.graph, tvm->model.blocks));
    QVERIFY(verifyBlocks(*none->model.graph, none->model.blocks));
    QCOMPARE(none->model.blocks.size(), usual->model.blocks.size());
}

STAGECRAFT_SUITE(GeneratorsTest)

} // namespace tst_generators
#include "tst_generators.moc"
