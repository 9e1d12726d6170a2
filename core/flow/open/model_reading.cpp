#include "flow/open/model_reading.h"

#include "operators/values/tensor.h"

#include <algorithm>
#include <charconv>

namespace stagecraft {
namespace {

// " with units tvm, without fold-pads, x=1x3x64x64"; empty for the usual one.
std::string readingText(const SessionReading &reading)
{
    std::string text;
    const auto add = [&](const std::string &part) { text += (text.empty() ? " with " : ", ") + part; };
    if (reading.units != SessionReading{}.units)
        add("units " + reading.units);
    for (const std::string &pass : reading.without)
        add("without " + pass);
    for (const auto &[input, shape] : reading.shapes)
        add(input + "=" + toString(Shape{shape}));
    return text;
}

} // namespace

std::optional<std::vector<std::int64_t>> sizesFromText(std::string_view text)
{
    std::vector<std::int64_t> sizes;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('x', at), text.size());
        std::int64_t size = 0;
        const auto [rest, error] = std::from_chars(text.data() + at, text.data() + end, size);
        if (error != std::errc() || rest != text.data() + end)
            return std::nullopt;
        sizes.push_back(size);
        at = end + 1;
    }
    return sizes;
}

SessionReading readingOf(const Model &model)
{
    return {std::string(toString(model.rewrite.units)),
            {model.rewrite.without.begin(), model.rewrite.without.end()},
            model.sizes};
}

ModelReadOptions readOptions(const SessionReading &reading, std::int64_t batch)
{
    ModelReadOptions options;
    options.batch = batch;
    options.rewrite = {unitsFromString(reading.units).value_or(Units::Ios),
                       {reading.without.begin(), reading.without.end()}};
    options.sizes = reading.shapes;
    return options;
}

ModelReadOptions sameReading(const Model &model, std::int64_t batch)
{
    ModelReadOptions options = readOptions(readingOf(model), batch);
    for (auto &[input, shape] : options.sizes) {
        if (!shape.empty() && shape.front() == model.graph->batch())
            shape.front() = batch;
    }
    return options;
}

ModelReference referenceOf(const Model &model)
{
    return {model.name, model.sha256 + readingText(readingOf(model))};
}

} // namespace stagecraft
