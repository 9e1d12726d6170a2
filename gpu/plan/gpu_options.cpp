#include "gpu/plan/gpu_options.h"

#include "support/closest_name.h"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace stagecraft::gpu {
namespace {

constexpr std::string_view kPrefix = "gpu:";

TensorLayout defaultLayout(Precision precision)
{
    return precision == Precision::Fp32 ? TensorLayout::RowMajor : TensorLayout::ChannelsLast;
}

const std::array<std::string, 13> kWords{"fp32", "tf32",  "fp16",    "graph", "streams", "dataflow", "nchw",
                                         "nhwc", "flush", "instage", "quick", "sweep",   "compiled"};

tl::unexpected<Error> unknown(std::string_view id, std::string reason, std::string_view word = {})
{
    return fail(ErrorCode::WrongUse, fmt::format("the device {} is not known: {}", id, reason),
                fmt::format("{}Use gpu:<number>, then any of {}, separated by colons, as in gpu:0:tf32:streams",
                            didYouMean(word, kWords), listed(kWords)));
}

} // namespace

std::string_view toString(Precision precision)
{
    switch (precision) {
    case Precision::Fp32: return "fp32";
    case Precision::Tf32: return "tf32";
    case Precision::Fp16: return "fp16";
    }
    return "";
}

std::string_view toString(Mode mode)
{
    return mode == Mode::Graph ? "graph" : "streams";
}

Result<GpuOptions> gpuOptionsFrom(std::string_view id)
{
    if (!id.starts_with(kPrefix))
        return unknown(id, "it does not begin with gpu:");
    GpuOptions options;
    std::optional<TensorLayout> layout;
    std::string_view rest = id.substr(kPrefix.size());
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), options.device);
    if (error != std::errc{} || options.device < 0)
        return unknown(id, "it has no number after gpu:");
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    while (!rest.empty()) {
        if (rest.front() != ':')
            return unknown(id, "its number is followed by something else");
        rest.remove_prefix(1);
        const std::string_view word = rest.substr(0, rest.find(':'));
        rest.remove_prefix(word.size());
        if (word == "fp32")
            options.precision = Precision::Fp32;
        else if (word == "tf32")
            options.precision = Precision::Tf32;
        else if (word == "fp16")
            options.precision = Precision::Fp16;
        else if (word == "graph")
            options.mode = Mode::Graph;
        else if (word == "streams")
            options.mode = Mode::Streams;
        else if (word == "dataflow")
            options.dataflow = true;
        else if (word == "nchw")
            layout = TensorLayout::RowMajor;
        else if (word == "nhwc")
            layout = TensorLayout::ChannelsLast;
        else if (word == "flush")
            options.flushL2 = true;
        else if (word == "instage")
            options.tuneInStage = true;
        else if (word == "quick")
            options.fewEngines = true;
        else if (word == "sweep")
            options.sweepsKnobs = true;
        else if (word == "compiled")
            options.compiledEngines = true;
        else
            return unknown(id, "it has no option " + std::string(word), word);
    }
    if (options.dataflow && options.mode == Mode::Streams)
        return unknown(id, "streams are synchronised between stages: dataflow goes with graph");
    if (options.sweepsKnobs && options.fewEngines)
        return unknown(id, "quick tries few engines, sweep every setting of each: leave one out");
    options.layout = layout.value_or(defaultLayout(options.precision));
    return options;
}

std::string toId(const GpuOptions &options)
{
    std::string id = fmt::format("{}{}", kPrefix, options.device);
    const auto add = [&](std::string_view word) { (id += ':') += word; };
    if (options.precision != Precision::Fp32)
        add(toString(options.precision));
    if (options.mode != Mode::Graph)
        add(toString(options.mode));
    if (options.dataflow)
        add("dataflow");
    if (options.layout != defaultLayout(options.precision))
        add(toString(options.layout));
    if (options.flushL2)
        add("flush");
    if (options.tuneInStage)
        add("instage");
    if (options.fewEngines)
        add("quick");
    if (options.sweepsKnobs)
        add("sweep");
    if (options.compiledEngines)
        add("compiled");
    return id;
}

} // namespace stagecraft::gpu
