#include "model/built_in.h"

#include "model/networks/networks.h"
#include "operators/schema.h"
#include "support/sha256.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <ranges>
#include <string>

namespace stagecraft {
namespace {

constexpr std::array kNetworks{
    BuiltInNetwork{"sample", "Sample network: four convolutions and a concat"},
    BuiltInNetwork{"inception_v3", "Inception V3"},
    BuiltInNetwork{"randwire", "RandWire large, three WS(32, 4, 0.75) and one WS(16, 4, 0.75)"},
    BuiltInNetwork{"nasnet", "NASNet-A large"},
    BuiltInNetwork{"squeezenet", "SqueezeNet with complex bypass"},
    BuiltInNetwork{"resnet50", "ResNet-50"},
    BuiltInNetwork{"resnet101", "ResNet-101"},
    BuiltInNetwork{"mobilenet_v2", "MobileNetV2"},
    BuiltInNetwork{"shufflenet_v2", "ShuffleNetV2 1.0x"},
    BuiltInNetwork{"googlenet", "GoogLeNet"},
    BuiltInNetwork{"resnext29", "ResNeXt-29 16x64d for CIFAR, 16 separate branches"},
    BuiltInNetwork{"nasnet_cifar", "NASNet-A 6 @ 768 for CIFAR"},
    BuiltInNetwork{"alexnet", "AlexNet"},
};

// Identifies a network whatever its batch: operators with their inputs and output sizes, and parameter shapes.
std::string canonicalText(const Graph &graph)
{
    std::string text = graph.name() + "\n";
    for (const Operator &op : graph.operators()) {
        text += fmt::format("{} {}", op.name, displayType(op));
        for (const auto &part : op.inputs) {
            text += " |";
            for (const TensorId input : part)
                text += " " + graph.tensor(input).name;
        }
        for (const Parameter &parameter : op.parameters)
            text += fmt::format(" {}={}", parameter.role, toString(parameter.shape));
        const std::vector<std::int64_t> &dims = graph.tensor(op.outputs.front()).shape.dims;
        text += fmt::format(" -> {}\n", toString(Shape{{dims.begin() + 1, dims.end()}}));
    }
    return text;
}

Result<SourceGraph> build(std::string_view name, const BuiltInOptions &options)
{
    if (name == "sample")
        return sampleNetwork(options.batch, options.sampleChannels);
    if (name == "inception_v3")
        return inceptionV3(options.batch);
    if (name == "randwire")
        return randWire(options.batch);
    if (name == "nasnet")
        return nasNet(options.batch);
    if (name == "squeezenet")
        return squeezeNet(options.batch);
    if (name == "resnet50")
        return resNet50(options.batch);
    if (name == "resnet101")
        return resNet101(options.batch);
    if (name == "mobilenet_v2")
        return mobileNetV2(options.batch);
    if (name == "shufflenet_v2")
        return shuffleNetV2(options.batch);
    if (name == "googlenet")
        return googLeNet(options.batch);
    if (name == "resnext29")
        return resNeXt29(options.batch);
    return name == "nasnet_cifar" ? nasNetCifar(options.batch) : alexNet(options.batch);
}

} // namespace

std::span<const BuiltInNetwork> builtInNetworks()
{
    return kNetworks;
}

bool isBuiltIn(std::string_view name)
{
    return std::ranges::find(kNetworks, name, &BuiltInNetwork::name) != kNetworks.end();
}

Result<SourceGraph> builtInNetwork(std::string_view name, const BuiltInOptions &options)
{
    if (!isBuiltIn(name)) {
        const auto names = kNetworks | std::views::transform(&BuiltInNetwork::name);
        return fail(ErrorCode::WrongUse, fmt::format("there is no built-in network {}", name),
                    fmt::format("Choose one of {}", fmt::join(names, ", ")));
    }
    if (options.batch < 1)
        return fail(ErrorCode::WrongUse, fmt::format("a batch of {} makes no sense", options.batch),
                    "Choose a batch size of at least 1");
    if (options.sampleChannels < 1)
        return fail(ErrorCode::WrongUse,
                    fmt::format("{} channels make no sense for the sample network", options.sampleChannels),
                    "Choose at least 1 channel");
    auto source = build(name, options);
    if (!source)
        return within(std::string(name), std::move(source.error()));
    source->sha256 = sha256(canonicalText(source->graph));
    return source;
}

} // namespace stagecraft
