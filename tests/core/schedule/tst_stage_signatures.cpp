// Signatures are the keys of the latency store: if they change, stored latencies are lost. These are the signatures of
// the four published networks and of operators in files, the same in every version so far. A change needs a migration
// of existing stores.

#include "model/built_in.h"
#include "model/onnx_import.h"
#include "schedule/stage_signature.h"
#include "search/stages/baselines.h"
#include "search/stages/first_schedules.h"
#include "support/graph_making.h"
#include "support/places.h"
#include "support/suite.h"

#include <QTest>

#include <limits>
#include <onnx/onnx_pb.h>
#include <set>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_stage_signatures {

namespace {

// Of every operator alone, in order.
QByteArray hashOfOperators(const Graph &graph)
{
    StageSigner signer(graph);
    std::uint64_t hash = Q_UINT64_C(1469598103934665603);
    for (std::size_t i = 0; i < graph.size(); ++i) {
        for (const char digit : signer.sign({0, Strategy::Concurrent, {{OperatorId::fromIndex(i)}}}).toHex())
            hash = (hash ^ static_cast<unsigned char>(digit)) * Q_UINT64_C(1099511628211);
    }
    return QByteArray::number(static_cast<qulonglong>(hash), 16);
}

// Attributes of every type that a file can have, on operators that are kept as they are.
std::string modelWithAttributes()
{
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(17);
    onnx::GraphProto &graph = *model.mutable_graph();
    onnx::ValueInfoProto &input = *graph.add_input();
    input.set_name("x");
    auto &tensor = *input.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(onnx::TensorProto::FLOAT);
    for (const int dim : {1, 4, 6, 6})
        tensor.mutable_shape()->add_dim()->set_dim_value(dim);
    std::string last = "x";
    const auto node = [&](const char *type) -> onnx::NodeProto & {
        onnx::NodeProto &added = *graph.add_node();
        added.set_op_type(type);
        added.add_input(last);
        added.add_output(last = std::string(type) + "_" + std::to_string(graph.node_size()));
        return added;
    };
    const auto attribute = [](onnx::NodeProto &to, const char *name,
                              onnx::AttributeProto::AttributeType type) -> onnx::AttributeProto & {
        onnx::AttributeProto &added = *to.add_attribute();
        added.set_name(name);
        added.set_type(type);
        return added;
    };
    attribute(node("LRN"), "size", onnx::AttributeProto::INT).set_i(3);
    attribute(*graph.mutable_node(0), "alpha", onnx::AttributeProto::FLOAT).set_f(2e-4F);
    attribute(*graph.mutable_node(0), "beta", onnx::AttributeProto::FLOAT).set_f(1.0F);
    auto &order = attribute(node("Transpose"), "perm", onnx::AttributeProto::INTS);
    for (const int axis : {0, 2, 3, 1})
        order.add_ints(axis);
    attribute(node("DepthToSpace"), "blocksize", onnx::AttributeProto::INT).set_i(2);
    attribute(*graph.mutable_node(2), "mode", onnx::AttributeProto::STRING).set_s("CRD");
    graph.mutable_node(2)->set_input(0, "x");
    onnx::NodeProto &own = node("Own");
    own.set_domain("some.where");
    attribute(own, "int", onnx::AttributeProto::INT).set_i(-7);
    attribute(own, "float", onnx::AttributeProto::FLOAT).set_f(0.1F);
    attribute(own, "infinite", onnx::AttributeProto::FLOAT).set_f(std::numeric_limits<float>::infinity());
    attribute(own, "string", onnx::AttributeProto::STRING).set_s("a text, [with] marks");
    attribute(own, "nothing", onnx::AttributeProto::INTS);
    auto &floats = attribute(own, "floats", onnx::AttributeProto::FLOATS);
    for (const float value : {1.0F, 2.5e-7F, -3.0e12F})
        floats.add_floats(value);
    auto &strings = attribute(own, "strings", onnx::AttributeProto::STRINGS);
    for (const char *text : {"one", "two three"})
        strings.add_strings(text);
    attribute(own, "tensor", onnx::AttributeProto::TENSOR).mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
    attribute(own, "graph", onnx::AttributeProto::GRAPH).mutable_g()->set_name("inner");
    attribute(own, "sparse", onnx::AttributeProto::SPARSE_TENSOR).mutable_sparse_tensor()->add_dims(1);
    graph.add_output()->set_name(last);
    return model.SerializeAsString();
}

} // namespace

class StageSignaturesTest : public QObject {
    Q_OBJECT

private slots:
    void sign_stagesOfTheNetworks_isAsEver_data()
    {
        QTest::addColumn<QByteArray>("first"); // of the first operator alone
        QTest::addColumn<int>("distinct");     // number of distinct stages
        QTest::addColumn<QByteArray>("all");   // hash of all signatures in order
        QTest::newRow("squeezenet") << QByteArray("790ba3957101227ac03ea9413ae80200") << 62
                                    << QByteArray("f0f74e2eeca33ec4");
        QTest::newRow("inception_v3") << QByteArray("a2d310638bececc68fd72a26a94e7d10") << 93
                                      << QByteArray("67bd61e0103cf196");
        QTest::newRow("randwire") << QByteArray("9725015903268b38e8a97750d764a59f") << 60
                                  << QByteArray("41c5880b8293c356");
        QTest::newRow("nasnet") << QByteArray("a74bb229ac97bb01cb09252316fe51ee") << 122
                                << QByteArray("86e8db4b607c94a3");
    }
    void sign_stagesOfTheNetworks_isAsEver()
    {
        QFETCH(QByteArray, first);
        QFETCH(int, distinct);
        QFETCH(QByteArray, all);
        const SourceGraph source = take(builtInNetwork(QTest::currentDataTag()));
        StageSigner signer(source.graph);
        std::set<StageSignature> signatures;
        std::uint64_t hash = Q_UINT64_C(1469598103934665603);
        for (const TimedSchedule &schedule :
             {sequentialSchedule(source.graph, source.blocks), greedySchedule(source.graph, source.blocks),
              mergedSchedule(source.graph, source.blocks, {})}) {
            for (const Stage &stage : schedule.stages) {
                const StageSignature signature = signer.sign(stage);
                signatures.insert(signature);
                for (const char digit : signature.toHex())
                    hash = (hash ^ static_cast<unsigned char>(digit)) * Q_UINT64_C(1099511628211);
            }
        }
        const Stage alone{0, Strategy::Concurrent, {{source.blocks.front().operators.front()}}};
        QCOMPARE(QByteArray::fromStdString(signer.sign(alone).toHex()), first);
        QCOMPARE(static_cast<int>(signatures.size()), distinct);
        QCOMPARE(QByteArray::number(static_cast<qulonglong>(hash), 16), all);
    }

    // Operators that are kept as in the file are known by their type and by attributes as text.
    void sign_operatorsOfFiles_isAsEver_data()
    {
        QTest::addColumn<QByteArray>("hash");
        QTest::newRow("bias_apart") << QByteArray("af8bb2f2a1a51a6b");
        QTest::newRow("branches") << QByteArray("dc4c8fb222669fe2"); // since branches are part of an If
        QTest::newRow("dilated_groups") << QByteArray("76514938ee495d0e");
        QTest::newRow("gated") << QByteArray("18bdea1521453616");
        QTest::newRow("half_weights") << QByteArray("d8d088acdc8aaa74");
        QTest::newRow("lost_shapes") << QByteArray("d70b643a0baf1283");
        QTest::newRow("norm_kept_apart") << QByteArray("990db32b822102a4");
        QTest::newRow("old_broadcast") << QByteArray("9df9e17d943d3a8e");
        QTest::newRow("pad_apart") << QByteArray("d5a519af4a3c8a26");
        QTest::newRow("quantised") << QByteArray("3d3227a455d9c726");
        QTest::newRow("resize") << QByteArray("ffc385465164529b");
    }
    void sign_operatorsOfFiles_isAsEver()
    {
        QFETCH(QByteArray, hash);
        const auto source =
            importOnnx({.spec = (sourcePath("tests/data/onnx/") + QTest::currentDataTag() + ".onnx").toStdString()});
        QVERIFY(source);
        QCOMPARE(hashOfOperators(source->graph), hash);
    }

    void sign_attributesOfEveryType_isAsEver()
    {
        const auto source = importOnnxBytes(modelWithAttributes(), "attributes", {});
        QVERIFY(source);
        QCOMPARE(source->graph.size(), std::size_t{4});
        QCOMPARE(hashOfOperators(source->graph), QByteArray("72c6412a41f31fc1"));
    }
};

STAGECRAFT_SUITE(StageSignaturesTest)

} // namespace tst_stage_signatures
#include "tst_stage_signatures.moc"
