#include "model/built_in.h"

#include "model/networks/networks.h"
#include "operators/schema.h"
#include "support/closest_name.h"
#include "support/sha256.h"

#include <algorithm>
#include <array>
#include <charconv>
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

std::vector<std::string> allNames()
{
    std::vector<std::string> names;
    for (const BuiltInNetwork &network : kNetworks)
        names.emplace_back(network.name);
    for (const Generator &generator : generators())
        names.emplace_back(generator.name);
    return names;
}

Result<void> setValue(GeneratorValues &values, std::string_view given, std::vector<std::string_view> &names)
{
    const std::size_t equals = given.find('=');
    const std::string_view name = given.substr(0, equals);
    const std::string_view text = equals == std::string_view::npos ? std::string_view() : given.substr(equals + 1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return fail(ErrorCode::WrongUse, fmt::format("\"{}\" is not PARAMETER=NUMBER", given),
                    "Write parameters as in tokens=128,heads=8");
    if (std::ranges::find(names, name) != names.end())
        return fail(ErrorCode::WrongUse, fmt::format("{} is given twice", name), "Give it once");
    names.push_back(name);
    return values.set(name, value);
}

// Units and blocks are formed from it as from a file.
Result<SourceGraph> generated(std::string_view spec, std::int64_t batch)
{
    TRY_AS(const auto known, generatedSpec(spec));
    TRY_AS(auto source, known.generator->make(known.values, batch));
    source.unitsFormed = false;
    return source;
}

Result<SourceGraph> built(std::string_view spec, const BuiltInOptions &options)
{
    return std::ranges::find(kNetworks, spec, &BuiltInNetwork::name) != kNetworks.end()
               ? build(spec, options)
               : generated(spec, options.batch);
}

} // namespace

std::span<const BuiltInNetwork> builtInNetworks()
{
    return kNetworks;
}

std::span<const Generator> generators()
{
    return generatorRows();
}

const Generator *findGenerator(std::string_view name)
{
    const auto found = std::ranges::find(generators(), name, &Generator::name);
    return found == generators().end() ? nullptr : &*found;
}

std::string GeneratedSpec::text() const
{
    const std::string chosen = values.text();
    return std::string(generator->name) + (chosen.empty() ? "" : ":" + chosen);
}

Result<GeneratedSpec> generatedSpec(std::string_view spec)
{
    const std::size_t colon = spec.find(':');
    const Generator *generator = findGenerator(spec.substr(0, colon));
    if (!generator)
        return fail(ErrorCode::WrongUse, fmt::format("there is no built-in network {}", spec),
                    didYouMean(spec, allNames()) + "Choose one of " + listed(allNames()));
    GeneratedSpec made{generator, GeneratorValues(generator->parameters)};
    std::vector<std::string_view> names;
    for (std::size_t next = colon; next != std::string_view::npos;) {
        const std::size_t begin = next + 1;
        next = spec.find(',', begin);
        TRY(setValue(made.values, spec.substr(begin, next == std::string_view::npos ? next : next - begin), names));
    }
    return made;
}

bool isBuiltIn(std::string_view spec)
{
    return std::ranges::find(kNetworks, spec, &BuiltInNetwork::name) != kNetworks.end() ||
           findGenerator(spec.substr(0, spec.find(':')));
}

Result<SourceGraph> builtInNetwork(std::string_view spec, const BuiltInOptions &options)
{
    if (!isBuiltIn(spec))
        return generatedSpec(spec).map([](const GeneratedSpec &) { return SourceGraph(); });
    if (options.batch < 1)
        return fail(ErrorCode::WrongUse, fmt::format("a batch of {} makes no sense", options.batch),
                    "Choose a batch size of at least 1");
    if (options.sampleChannels < 1)
        return fail(ErrorCode::WrongUse,
                    fmt::format("{} channels make no sense for the sample network", options.sampleChannels),
                    "Choose at least 1 channel");
    auto source = built(spec, options);
    if (!source)
        return within(std::string(spec), std::move(source.error()));
    std::string text = canonicalText(source->graph);
    if (options.batch != 1 && !source->unitsFormed) { // sizes beside the first may depend on it
        TRY_AS(const auto one, generated(spec, 1));
        text = canonicalText(one.graph);
    }
    source->sha256 = sha256(text);
    return source;
}

} // namespace stagecraft
