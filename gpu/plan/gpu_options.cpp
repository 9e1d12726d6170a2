#include "gpu/plan/gpu_options.h"

#include "support/option_words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace stagecraft::gpu {
namespace {

constexpr std::string_view kPrefix = "gpu:";

TensorLayout defaultLayout(Precision precision)
{
    return precision == Precision::Fp32 ? TensorLayout::RowMajor : TensorLayout::ChannelsLast;
}

constexpr std::array kWords{
    OptionWord{"fp32", "precision"}, OptionWord{"tf32", "precision"}, OptionWord{"fp16", "precision"},
    OptionWord{"graph", "mode"},     OptionWord{"streams", "mode"},   OptionWord{"nchw", "layout"},
    OptionWord{"nhwc", "layout"},    OptionWord{"flush", ""},         OptionWord{"instage", ""},
    OptionWord{"quick", ""},         OptionWord{"sweep", ""},         OptionWord{"compiled", ""}};

tl::unexpected<Error> unknown(std::string_view id, std::string_view reason)
{
    return gpuOptionWords().refusal(id, reason);
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

OptionWords gpuOptionWords()
{
    return {kWords, "gpu:<number>", "gpu:0:tf32:streams"};
}

Result<GpuOptions> gpuOptionsFrom(std::string_view id)
{
    if (!id.starts_with(kPrefix))
        return unknown(id, "it does not begin with gpu:");
    GpuOptions options;
    std::string_view rest = id.substr(kPrefix.size());
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), options.device);
    if (error != std::errc{} || options.device < 0)
        return unknown(id, "it has no number after gpu:");
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (!rest.empty() && rest.front() != ':')
        return unknown(id, "its number is followed by something else");
    if (id.ends_with(":dataflow") || id.find(":dataflow:") != std::string_view::npos)
        return fail(
            ErrorCode::WrongUse, fmt::format("the device {} is not known: it has no option dataflow any more", id),
            "Streams are a schedule now: leave dataflow out, and search with --strategy ios-relaxed or streams");
    TRY_AS(const auto words, gpuOptionWords().read(id, rest));
    const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
    for (const Precision precision : {Precision::Tf32, Precision::Fp16}) {
        if (has(toString(precision)))
            options.precision = precision;
    }
    options.mode = has("streams") ? Mode::Streams : Mode::Graph;
    options.layout = defaultLayout(options.precision);
    if (has("nchw"))
        options.layout = TensorLayout::RowMajor;
    if (has("nhwc"))
        options.layout = TensorLayout::ChannelsLast;
    options.flushL2 = has("flush");
    options.tuneInStage = has("instage");
    options.fewEngines = has("quick");
    options.sweepsKnobs = has("sweep");
    options.compiledEngines = has("compiled");
    if (options.sweepsKnobs && options.fewEngines)
        return unknown(id, "quick tries few engines, sweep every setting of each: leave one out");
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
