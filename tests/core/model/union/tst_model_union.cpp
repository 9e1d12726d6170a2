#include "flow/open/split_opened.h"
#include "flow/open_beside.h"
#include "flow/open_model.h"
#include "model/union/model_union.h"
#include "search/stages/baselines.h"
#include "support/graph_making.h"
#include "support/opened_model.h"
#include "support/suite.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_model_union {

class TestModelUnion : public QObject {
    Q_OBJECT

private slots:
    void specsOfUnion_texts_areCutWhereModelsAre_data();
    void specsOfUnion_texts_areCutWhereModelsAre();
    void specsOfUnion_fileWithThatName_isOneModel();
    void unionOf_twoModels_isAModel();
    void unionOf_oneModel_isRefused();
    void open_union_isThatOfItsModels();
    void split_ofAUnion_keepsWhichModelAnOperatorIsOf();
    void beside_openModel_keepsItsReading();
    void without_part_keepsTheOthers();
    void absoluteSpec_severalFiles_eachHasItsFolder();
};

void TestModelUnion::specsOfUnion_texts_areCutWhereModelsAre_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("specs");
    QTest::newRow("two") << "sample+squeezenet" << QStringList{"sample", "squeezenet"};
    QTest::newRow("three") << "sample+a.onnx+sample" << QStringList{"sample", "a.onnx", "sample"};
    QTest::newRow("of a path") << "x/a+b.onnx+sample" << QStringList{"x/a+b.onnx", "sample"};
    QTest::newRow("one") << "sample" << QStringList();
    QTest::newRow("a path") << "x/a+b.onnx" << QStringList();
    QTest::newRow("no model at the end") << "sample+nothing" << QStringList();
    QTest::newRow("nothing at the end") << "sample+" << QStringList();
}

void TestModelUnion::specsOfUnion_texts_areCutWhereModelsAre()
{
    QFETCH(const QString, text);
    QFETCH(const QStringList, specs);
    QStringList found;
    for (const std::string &spec : specsOfUnion(text.toStdString()))
        found << QString::fromStdString(spec);
    QCOMPARE(found, specs);
}

void TestModelUnion::specsOfUnion_fileWithThatName_isOneModel()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.onnx+b.onnx");
    QCOMPARE(specsOfUnion(path.toStdString()).size(), std::size_t{2});
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QVERIFY(specsOfUnion(path.toStdString()).empty());
}

void TestModelUnion::unionOf_twoModels_isAModel()
{
    const std::vector<Model> models{take(openedModel("sample")), take(openedModel("squeezenet"))};
    const Model both = take(unionOf(models));
    QCOMPARE(both.name, std::string("sample+squeezenet"));
    QCOMPARE(both.source, both.name);
    QCOMPARE(both.blocks.size(), models[0].blocks.size() + models[1].blocks.size());
    QVERIFY(verifyBlocks(*both.graph, both.blocks).has_value());
    QCOMPARE(both.costs.operators, models[0].costs.operators + models[1].costs.operators);
    QCOMPARE(both.parts.size(), std::size_t{2});
    const Model other = take(unionOf(std::vector{models[1], models[0]}));
    QVERIFY(both.sha256 != other.sha256 && both.sha256.size() == models[0].sha256.size());
    QVERIFY(!onnxFileOf(both));
}

void TestModelUnion::unionOf_oneModel_isRefused()
{
    const auto refused = unionOf(std::vector{take(openedModel("sample"))});
    QVERIFY(!refused);
    QCOMPARE(refused.error().message, std::string("one model has nothing to run beside"));
    std::vector<Model> models{take(openedModel("sample")), take(openedModel("sample"))};
    models[1].graph = std::make_shared<const Graph>();
    const auto empty = unionOf(models);
    QVERIFY(!empty && empty.error().context == std::vector<std::string>{"sample"});
    QVERIFY(empty.error().message.find("constants") != std::string::npos);
}

void TestModelUnion::open_union_isThatOfItsModels()
{
    const std::vector<Model> models{take(openedModel("sample", {.batch = 4})),
                                    take(openedModel("sample", {.batch = 4}))};
    const Model opened = take(openedModel("sample+sample", {.batch = 4}));
    const Model both = take(unionOf(models));
    QCOMPARE(opened.sha256, both.sha256);
    QCOMPARE(opened.parts, both.parts);
    QCOMPARE(opened.graph->batch(), std::int64_t{4});
    QCOMPARE(opened.parts[1].name, std::string("sample#2"));
    const auto refused = openedModel("sample+nowhere.onnx");
    QVERIFY(!refused && refused.error().context.front() == "nowhere.onnx");
    // Names of inputs are those of the union.
    const auto shaped = openedModel("sample+sample", {.reading = {.sizes = {{"sample#2/data", {1, 3, 8, 8}}}}});
    QVERIFY(!shaped && shaped.error().message.find("states the sizes") != std::string::npos);
}

void TestModelUnion::beside_openModel_keepsItsReading()
{
    const Model sample = take(openedModel("sample", {.batch = 4}));
    const OpenRequest both = besideRequest(sample, "sample");
    QCOMPARE(both.spec, std::string("sample+sample"));
    QCOMPARE(both.batch, std::int64_t{4});
    Model read = sample;
    read.reading.without = {"fuse-gelu"};
    read.reading.sizes = {{"x", {1, 3}}};
    const OpenRequest request = besideRequest(read, "squeezenet");
    QVERIFY(request.reading.without == read.reading.without);
    QVERIFY((request.reading.sizes == InputSizes{{"sample/x", {1, 3}}}));
}

void TestModelUnion::without_part_keepsTheOthers()
{
    Model both = take(openedModel("sample+sample+squeezenet"));
    both.reading.sizes = {{"sample/x", {1}}, {"sample#2/x", {2}}, {"squeezenet/y", {3}}};
    const OpenRequest two = withoutRequest(both, 0);
    QCOMPARE(two.spec, std::string("sample+squeezenet"));
    QVERIFY((two.reading.sizes == InputSizes{{"sample/x", {2}}, {"squeezenet/y", {3}}}));
    const Model pair = take(openedModel("sample+squeezenet"));
    QCOMPARE(withoutRequest(pair, 0).spec, std::string("squeezenet"));
    Model sized = pair;
    sized.reading.sizes = {{"sample/x", {1}}, {"squeezenet/y", {3}}};
    QVERIFY((withoutRequest(sized, 1).reading.sizes == InputSizes{{"x", {1}}}));
}

void TestModelUnion::absoluteSpec_severalFiles_eachHasItsFolder()
{
    const std::string here = std::filesystem::current_path().string();
    QCOMPARE(absoluteSpec("squeezenet+nets/a+b.onnx+x.json"),
             "squeezenet+" + here + "/nets/a+b.onnx+" + here + "/x.json");
    QCOMPARE(absoluteSpec("moe:tokens=8"), std::string("moe:tokens=8"));
    QCOMPARE(absoluteSpec("/a/../b.onnx"), std::string("/b.onnx"));
}

void TestModelUnion::split_ofAUnion_keepsWhichModelAnOperatorIsOf()
{
    const OperatorSplits splits{{"sample/conv1", 2}, {"sample#2/conv4", 3}};
    const Model opened = take(openedModel("sample+sample", {.reading = {.splits = splits}}));
    Model split = take(openedModel("sample+sample"));
    QVERIFY(splitInSchedule(split, sequentialSchedule(*split.graph, split.blocks), splits));
    for (const Model *model : {&opened, static_cast<const Model *>(&split)}) {
        QVERIFY(model->graph->find("sample/conv1.part2") && model->graph->find("sample#2/conv4.join"));
        for (const UnionPart &part : model->parts) {
            std::size_t own = 0;
            for (std::size_t i = 0; i < model->graph->size(); ++i) {
                const OperatorId id = OperatorId::fromIndex(i);
                QCOMPARE(part.contains(id), model->graph->op(id).name.starts_with(part.name + "/"));
                own += part.contains(id) ? 1 : 0;
            }
            QCOMPARE(own, part.operators);
        }
    }
}

STAGECRAFT_SUITE(TestModelUnion)

} // namespace tst_model_union
#include "tst_model_union.moc"
