// A pass is skipped where the graph lacks what it needs: running it would have changed nothing.

#include "model/onnx_import.h"
#include "model/rewrite/graph_edit.h"
#include "model/rewrite/pass.h"
#include "support/random_onnx.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>

using namespace stagecraft;

namespace tst_pass_needs {

namespace {

// Of random nodes of a few types only.
Graph graphOfFewTypes(std::uint32_t seed)
{
    QRandomGenerator random(seed);
    std::vector<std::string> types;
    while (types.empty()) {
        for (const std::string &type : test::randomTypes()) {
            if (random.bounded(3U) == 0)
                types.push_back(type);
        }
    }
    auto read = importOnnxBytes(test::RandomOnnx(seed, std::move(types), 40).bytes(), "random", {}, {});
    if (!read)
        qFatal("%s", read.error().message.c_str());
    return std::move(read->graph);
}

bool hasAll(GraphEdit &graph, const Pass &pass)
{
    return std::ranges::all_of(pass.needs, [&](const auto &kinds) { return graph.hasAny(kinds); });
}

} // namespace

class PassNeedsTest : public QObject {
    Q_OBJECT

private slots:
    void run_graphWithoutWhatItNeeds_changesNothing();
    void hasAny_afterAChange_knowsTheKindsThatAreThere();
};

void PassNeedsTest::run_graphWithoutWhatItNeeds_changesNothing()
{
    int skipped = 0;
    int changed = 0;
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        const Graph graph = graphOfFewTypes(seed);
        for (const Pass &pass : passes()) {
            if (!pass.run)
                continue;
            GraphEdit edit(graph);
            const bool runs = hasAll(edit, pass);
            pass.run(edit);
            QVERIFY2(runs || edit.removals().empty(), std::string(pass.name).c_str());
            skipped += runs ? 0 : 1;
            changed += edit.removals().empty() ? 0 : 1;
        }
    }
    QVERIFY(skipped > 300);
    QVERIFY(changed > 300);
}

void PassNeedsTest::hasAny_afterAChange_knowsTheKindsThatAreThere()
{
    auto read = importOnnxBytes(test::RandomOnnx(1, {"Relu"}, 6).bytes(), "random", {}, {});
    QVERIFY(read);
    GraphEdit edit(std::move(read->graph));
    QVERIFY(edit.hasAny({OperatorKind::Activation}));
    QVERIFY(!edit.hasAny({OperatorKind::Pool, OperatorKind::Conv}));
    for (std::size_t i = 0; i < edit.size(); ++i)
        edit.op(OperatorId::fromIndex(i)).kind = OperatorKind::Pool;
    QVERIFY(!edit.hasAny({OperatorKind::Activation}));
    QVERIFY(edit.hasAny({OperatorKind::Pool, OperatorKind::Conv}));
    for (std::size_t i = edit.size(); i-- > 0;)
        edit.remove(OperatorId::fromIndex(i), {});
    QVERIFY(!edit.hasAny({OperatorKind::Pool}));
}

STAGECRAFT_SUITE(PassNeedsTest)

} // namespace tst_pass_needs
#include "tst_pass_needs.moc"
