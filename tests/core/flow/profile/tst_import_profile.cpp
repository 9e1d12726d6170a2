#include "flow/import_profile.h"
#include "support/graph_making.h"
#include "support/opened_model.h"
#include "support/profile_making.h"
#include "support/shared_data.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <numeric>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_import_profile {

namespace {

// x -> a -> b, c -> sum, where b and c are alike.
Model network()
{
    GraphBuilder builder("network");
    const TensorId x = take(builder.addInput("x", Shape{{2, 8, 6, 6}}));
    const TensorId a = take(builder.add(conv("a", {{x}}, 16, 3)));
    const TensorId b = take(builder.add(conv("b", {{a}}, 4)));
    const TensorId c = take(builder.add(conv("c", {{a}}, 4)));
    (void)take(builder.add(join("sum", {{b, c}})));
    Model model;
    model.name = "network";
    model.graph = std::make_shared<const Graph>(take(builder.build()));
    return model;
}

ProfiledKernel kernel(const std::string &name, std::int64_t startNs, std::int64_t durationNs)
{
    ProfiledKernel made{.name = name};
    made.startNs = startNs;
    made.durationNs = durationNs;
    made.stream = 0;
    return made;
}

Profile profileOf(std::vector<ProfiledKernel> kernels)
{
    Profile profile{.format = "pytorch"};
    profile.streams = {{"stream 7"}};
    profile.kernels = std::move(kernels);
    return profile;
}

QString mappingOf(const Model &model, const ImportedProfile &imported, std::size_t kernel)
{
    const auto &mapping = imported.mappings[kernel];
    if (!mapping)
        return "nothing";
    QStringList names;
    for (const OperatorId id : mapping->operators)
        names << QString::fromStdString(model.graph->op(id).name);
    return names.join("+") + " by " + QString::fromStdString(std::string(toString(mapping->by)));
}

} // namespace

class TestImportProfile : public QObject {
    Q_OBJECT

private slots:
    void bind_names_areMappedAndAddUp();
    void bind_noneFits_staysUnmapped();
    void bind_launchers_areMappedByTypeShapeAndOrder();
    void bind_otherCounts_areNotMapped();
    void bind_kernelNames_areMappedByTypeAndOrder();
    void bind_reorders_areMappedToTheirNeighbours();
    void bind_reshapesOfProducts_areMappedToThem();
    void bind_graphNodes_areMappedAsElsewhere();
    void bind_outputTensors_areMapped();
    void bind_path_followsEdgesOrStreams();
    void import_layersOfResNet18_allMap_data();
    void import_layersOfResNet18_allMap();
    void import_quantisedResNet18_mapsByItsOwnLayers();
    void import_forwardConvolutionsOfResNet50_map();
};

void TestImportProfile::bind_names_areMappedAndAddUp()
{
    const Model model = network();
    const auto imported = bindProfile(model, profileOf({kernel("a", 0, 50), kernel("b + c", 60, 30),
                                                        kernel("elsewhere", 95, 7), kernel("sum", 110, 5)}));
    QCOMPARE(mappingOf(model, imported, 0), QString("a by name"));
    QCOMPARE(mappingOf(model, imported, 1), QString("b+c by fused names"));
    QCOMPARE(mappingOf(model, imported, 2), QString("nothing"));
    QCOMPARE(imported.mappedNs, 85);
    QCOMPARE(imported.unmappedNs, 7);
    QVERIFY(imported.unmapped == (KernelPlaces{2}));
    QCOMPARE(imported.operators.size(), 3U);
    QVERIFY(imported.operators[1].timeNs == 30 && imported.operators[1].with == std::vector{OperatorId{2}});
    QCOMPARE(imported.mappedNs + imported.unmappedNs, imported.times.times.sumNs);
}

void TestImportProfile::bind_noneFits_staysUnmapped()
{
    const auto imported = bindProfile(network(), profileOf({kernel("k", 0, 50), kernel("l", 60, 80)}));
    QVERIFY(imported.operators.empty());
    QCOMPARE(imported.unmappedNs, 130);
    QVERIFY(imported.unmapped == (KernelPlaces{1, 0})); // longest first
    QVERIFY(imported.path->along == ProfiledPath::Along::Streams);
}

// Two steps; each launches a of two kernels, b and c of one shape, a bias of a, and what is of no operator.
void TestImportProfile::bind_launchers_areMappedByTypeShapeAndOrder()
{
    Profile profile = profileOf({});
    for (std::int64_t step = 0; step < 2; ++step) {
        const auto add = [&](const std::string &op, std::vector<ProfiledShape> shapes,
                             std::vector<std::string> kernels) {
            const auto place = static_cast<std::uint32_t>(profile.hostOperators.size());
            profile.hostOperators.push_back({op, 0, 0, std::move(shapes)});
            for (const std::string &name : kernels) {
                profile.kernels.push_back(kernel(name, static_cast<std::int64_t>(profile.kernels.size()) * 10, 5));
                profile.kernels.back().hostOperator = place;
                profile.kernels.back().iteration = static_cast<std::uint32_t>(step);
            }
        };
        profile.iterations.push_back({"ProfilerStep#1", step * 1000, step * 1000 + 999});
        add("aten::cudnn_convolution", {{64, 8, 6, 6}, {16, 8, 3, 3}}, {"offsets", "scudnn"});
        add("aten::add_", {{64, 16, 6, 6}, {1, 16, 1, 1}}, {"bias"});
        add("aten::cudnn_convolution", {{64, 16, 6, 6}, {4, 16, 1, 1}}, {"scudnn"});
        add("aten::cudnn_convolution", {{64, 16, 6, 6}, {4, 16, 1, 1}}, {"scudnn"});
        add("aten::cudnn_convolution_backward", {{64, 16, 6, 6}, {4, 16, 1, 1}}, {"dgrad"});
    }
    const Model model = network();
    const auto imported = bindProfile(model, profile);
    const QStringList expected{"a by type, shape and order", "a by type, shape and order", "a by type, shape and order",
                               "b by type, shape and order", "c by type, shape and order", "nothing"};
    for (std::size_t i = 0; i < 12; ++i)
        QCOMPARE(mappingOf(model, imported, i), expected[static_cast<qsizetype>(i % 6)]);
}

void TestImportProfile::bind_otherCounts_areNotMapped()
{
    Profile profile = profileOf({kernel("scudnn", 0, 5), kernel("scudnn", 10, 5), kernel("scudnn", 20, 5)});
    for (std::uint32_t i = 0; i < 3; ++i) {
        profile.hostOperators.push_back({"aten::conv2d", 0, 0, {{2, 16, 6, 6}, {4, 16, 1, 1}}});
        profile.kernels[i].hostOperator = i;
    }
    const Model model = network(); // has two of this shape
    const auto imported = bindProfile(model, profile);
    // Three convolutions of one shape are not a, b and c, though there are three of them by type.
    for (std::size_t i = 0; i < 3; ++i)
        QCOMPARE(mappingOf(model, imported, i), QString("nothing"));
}

void TestImportProfile::bind_kernelNames_areMappedByTypeAndOrder()
{
    const Model model = network();
    const auto imported =
        bindProfile(model, profileOf({kernel("scudnn_relu_128x64", 0, 50), kernel("nchwToNhwc", 55, 2),
                                      kernel("sm80_xmma_fprop_x", 60, 30), kernel("sm80_xmma_fprop_x", 95, 7),
                                      kernel("sm80_xmma_dgrad_x", 110, 7)}));
    QCOMPARE(mappingOf(model, imported, 0), QString("a by type and order"));
    QCOMPARE(mappingOf(model, imported, 1), QString("nothing"));
    QCOMPARE(mappingOf(model, imported, 2), QString("b by type and order"));
    QCOMPARE(mappingOf(model, imported, 3), QString("c by type and order"));
    QCOMPARE(mappingOf(model, imported, 4), QString("nothing"));
}

// ONNX Runtime's, whose blocks fill up channels.
void TestImportProfile::bind_reorders_areMappedToTheirNeighbours()
{
    Profile profile =
        profileOf({kernel("ReorderInput_token_3", 0, 5), kernel("a_nchwc", 10, 5), kernel("ReorderOutput", 20, 5),
                   kernel("b", 30, 5), kernel("ReorderOutput_token_4", 40, 5)});
    const ProfiledShape padded{2, 16, 6, 6};
    const ProfiledShape made{2, 16, 5, 5};
    for (const std::size_t i : {0, 2, 4})
        profile.kernels[i].type = i == 0 ? "ReorderInput" : "ReorderOutput";
    profile.kernels[0].inputShapes = {{2, 8, 6, 6}};
    profile.kernels[0].outputShapes = {padded};
    profile.kernels[1].inputShapes = {padded};
    profile.kernels[1].outputShapes = {made};
    profile.kernels[2].inputShapes = {made};
    profile.kernels[4].inputShapes = {{2, 3, 3, 3}};
    const Model model = network();
    const auto imported = bindProfile(model, profile);
    QCOMPARE(mappingOf(model, imported, 0), QString("a by type, shape and order"));
    QCOMPARE(mappingOf(model, imported, 2), QString("a by type, shape and order"));
    QCOMPARE(mappingOf(model, imported, 4), QString("nothing"));
}

// Of a product with its bias; a reshape of several keeps the name of the last.
void TestImportProfile::bind_reshapesOfProducts_areMappedToThem()
{
    Profile profile = profileOf({kernel("gemm_input_reshape", 0, 5), kernel("a", 10, 5),
                                 kernel("gemm_output_reshape_token_5_new_reshape", 20, 5),
                                 kernel("gemm_output_reshape_token_7", 30, 5), kernel("b_new_reshape", 40, 5)});
    profile.kernels[0].outputShapes = {{32, 8}};
    profile.kernels[1].inputShapes = {{32, 8}};
    profile.kernels[1].outputShapes = {{32, 4}};
    profile.kernels[2].inputShapes = {{32, 4}};
    profile.kernels[3].inputShapes = {{7, 4}};
    const Model model = network();
    const auto imported = bindProfile(model, profile);
    QCOMPARE(mappingOf(model, imported, 0), QString("a by type, shape and order"));
    QCOMPARE(mappingOf(model, imported, 2), QString("a by type, shape and order"));
    QCOMPARE(mappingOf(model, imported, 3), QString("nothing"));
    QCOMPARE(mappingOf(model, imported, 4), QString("b by copy for it"));
}

void TestImportProfile::bind_graphNodes_areMappedAsElsewhere()
{
    Profile profile = profileOf({kernel("k", 0, 5), kernel("k", 10, 5), kernel("k", 20, 5)});
    profile.hostOperators.push_back({"b", 0, 0, {}});
    profile.kernels[0].hostOperator = 0; // under a range of its name, in one launch
    for (const std::size_t i : {0, 2})
        profile.kernels[i].graphNode = 81;
    profile.kernels[1].graphNode = 82;
    const Model model = network();
    const auto imported = bindProfile(model, profile);
    QCOMPARE(mappingOf(model, imported, 0), QString("b by what launched it"));
    QCOMPARE(mappingOf(model, imported, 1), QString("nothing"));
    QCOMPARE(mappingOf(model, imported, 2), QString("b by graph node id"));
}

void TestImportProfile::bind_outputTensors_areMapped()
{
    Profile profile = profileOf({kernel("layer 1", 0, 5)});
    profile.kernels[0].outputs = {"not of the model", "c"};
    const Model model = network();
    QCOMPARE(mappingOf(model, bindProfile(model, profile), 0), QString("c by output tensor"));
}

void TestImportProfile::bind_path_followsEdgesOrStreams()
{
    Profile profile = profileOf({kernel("a", 0, 50), kernel("b", 50, 10), kernel("c", 50, 30), kernel("sum", 80, 5)});
    profile.streams.push_back({"stream 20"});
    profile.kernels[1].stream = 1;
    const auto imported = bindProfile(network(), profile);
    QVERIFY(imported.path->along == ProfiledPath::Along::Edges);
    QCOMPARE(imported.path->lengthNs, 85);
    QVERIFY(imported.path->operators == (std::vector{OperatorId{0}, OperatorId{2}, OperatorId{3}}));
}

void TestImportProfile::import_layersOfResNet18_allMap_data()
{
    QTest::addColumn<qint64>("sumNs"); // of "timeMs" in the file
    QTest::newRow("fp32") << qint64(2'123'776);
    QTest::newRow("fp16") << qint64(1'016'832);
}

void TestImportProfile::import_layersOfResNet18_allMap()
{
    QFETCH(qint64, sumNs);
    const QString model = sharedDataPath("profiles/tensorrt/resnet18.onnx");
    if (model.isEmpty())
        QSKIP(kNoSharedData);
    const auto opened = openedModel(model.toStdString());
    QVERIFY(opened);
    std::vector<std::string> files;
    for (const char *kind : {"profile", "graph", "profile.metadata"})
        files.push_back(
            sharedDataPath(QString("profiles/tensorrt/pytorch_A100_%1.%2.json").arg(QTest::currentDataTag(), kind))
                .toStdString());
    for (const std::size_t count : {files.size(), std::size_t{1}}) { // also by names alone
        const auto imported = importProfile(*opened, std::span(files).first(count));
        QVERIFY2(imported, imported ? "" : qPrintable(errorOf(imported.error())));
        for (std::size_t i = 0; i < imported->mappings.size(); ++i)
            QVERIFY2(imported->mappings[i], imported->profile.kernels[i].name.c_str());
        QCOMPARE(qint64(imported->mappedNs), sumNs);
        QCOMPARE(imported->unmappedNs, 0);
        QVERIFY(imported->path->along == ProfiledPath::Along::Edges);
    }
}

// Its layers have names of another graph, and quantisations that the model lacks; the copies belong to the layers that
// they are for, and the last one is a convolution there.
void TestImportProfile::import_quantisedResNet18_mapsByItsOwnLayers()
{
    const QString model = sharedDataPath("profiles/tensorrt/resnet18.onnx");
    if (model.isEmpty())
        QSKIP(kNoSharedData);
    const auto opened = openedModel(model.toStdString());
    QVERIFY(opened);
    std::vector<std::string> files;
    for (const char *kind : {"profile", "graph"})
        files.push_back(sharedDataPath(QString("profiles/tensorrt/pytorch_A100_qat.%1.json").arg(kind)).toStdString());
    const auto imported = importProfile(*opened, files);
    QVERIFY2(imported, imported ? "" : qPrintable(errorOf(imported.error())));
    std::int64_t quantisingNs = 0;
    for (std::size_t i = 0; i < imported->mappings.size(); ++i) {
        const ProfiledKernel &layer = imported->profile.kernels[i];
        const bool quantises = layer.name.starts_with("QuantizeLinear_");
        quantisingNs += quantises ? layer.durationNs : 0;
        // The last squeeze follows an addition that has no layer of its own.
        const bool isLost = quantises || layer.name == "copied_squeeze_after_(Unnamed Layer* 307) [ElementWise]";
        QVERIFY2(imported->mappings[i].has_value() != isLost, layer.name.c_str());
        if (!isLost)
            QVERIFY(imported->mappings[i]->by ==
                    (layer.name.starts_with("Reformatting") ? MappedBy::CopyFor : MappedBy::TypeShapeOrder));
    }
    QVERIFY(imported->unmappedNs == quantisingNs);
}

// 53 convolutions in each of six steps, whose kernels share the external id of aten::cudnn_convolution.
void TestImportProfile::import_forwardConvolutionsOfResNet50_map()
{
    const QString file = sharedDataPath("profiles/pytorch/v100_resnet50_train.json.gz");
    if (file.isEmpty())
        QSKIP(kNoSharedData);
    const auto model = openedModel("resnet50");
    QVERIFY(model);
    const auto imported = importProfile(*model, std::vector{file.toStdString()});
    QVERIFY2(imported, imported ? "" : qPrintable(errorOf(imported.error())));
    const Profile &profile = imported->profile;
    std::vector<bool> isMapped(profile.hostOperators.size(), false);
    for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
        const std::uint32_t op = profile.kernels[i].hostOperator;
        if (op == kNoPlace || profile.hostOperators[op].name != "aten::cudnn_convolution")
            continue;
        isMapped[op] = true;
        const auto &mapping = imported->mappings[i];
        QVERIFY2(mapping, profile.kernels[i].name.c_str());
        QVERIFY(mapping->by == MappedBy::TypeShapeOrder);
        const auto &shapes = profile.hostOperators[op].inputShapes;
        const Operator &conv = model->graph->op(mapping->operators.front());
        QCOMPARE(conv.conv()->outChannels, shapes.at(1).at(0));
        QCOMPARE(model->graph->inputShape(mapping->operators.front()).dims.at(2), shapes.at(0).at(2));
    }
    QCOMPARE(std::ranges::count(isMapped, true), 6 * 53);
    QCOMPARE(imported->times.runs.runs.size(), 6U);
    QVERIFY(imported->unmappedNs > 0); // the backward pass
    QCOMPARE(imported->mappedNs + imported->unmappedNs, imported->times.times.sumNs);
}

STAGECRAFT_SUITE(TestImportProfile)

} // namespace tst_import_profile
#include "tst_import_profile.moc"
