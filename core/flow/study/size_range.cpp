#include "flow/study/size_range.h"

#include "model/built_in.h"
#include "support/number_ranges.h"
#include "support/number_text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace stagecraft {
namespace {

constexpr std::int64_t kLargestSize = 1'000'000'000;

std::optional<std::int64_t> sizeFrom(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool isNumber = !text.empty() && error == std::errc() && end == text.data() + text.size();
    return isNumber && value >= 1 && value <= kLargestSize ? std::optional(value) : std::nullopt;
}

tl::unexpected<Error> notARange(std::string_view text)
{
    return fail(ErrorCode::WrongUse, fmt::format("\"{}\" is no range of sizes", text),
                "Write PARAMETER=FROM..TO, as in tokens=1..4096 (doubling), tokens=1..4096:x4 (by a factor) or "
                "batch=8..64:8 (so many sizes)");
}

std::vector<std::int64_t> byFactor(std::int64_t from, std::int64_t to, std::int64_t factor)
{
    std::vector<std::int64_t> sizes;
    for (std::int64_t size = from; size < to; size *= factor)
        sizes.push_back(size);
    sizes.push_back(to);
    return sizes;
}

std::vector<std::int64_t> inSteps(std::int64_t from, std::int64_t to, std::int64_t count)
{
    std::vector<std::int64_t> sizes;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t size = from + (to - from) * i / std::max<std::int64_t>(1, count - 1);
        if (sizes.empty() || size > sizes.back())
            sizes.push_back(size);
    }
    return sizes;
}

} // namespace

Result<SizeRange> sizeRange(std::string_view text)
{
    const std::size_t equals = text.find('=');
    const std::size_t dots = text.find("..");
    if (equals == std::string_view::npos || equals == 0 || dots == std::string_view::npos || dots < equals)
        return notARange(text);
    const std::size_t colon = std::min(text.find(':', dots), text.size());
    const auto from = sizeFrom(text.substr(equals + 1, dots - equals - 1));
    const auto to = sizeFrom(text.substr(dots + 2, colon - dots - 2));
    if (!from || !to || *from > *to)
        return notARange(text);
    SizeRange range{std::string(text.substr(0, equals)), {}};
    if (colon == text.size()) {
        range.sizes = byFactor(*from, *to, 2);
        return range;
    }
    std::string_view how = text.substr(colon + 1);
    const bool isFactor = how.starts_with('x');
    how.remove_prefix(isFactor ? 1 : 0);
    const auto number = sizeFrom(how);
    if (!number || (*number < 2 && (isFactor || *from < *to)))
        return notARange(text);
    if (!isFactor && *number > static_cast<std::int64_t>(kMostSizes))
        return fail(ErrorCode::WrongUse,
                    fmt::format("{} sizes are more than {}", grouped(*number), grouped(kMostSizes)), "Choose fewer");
    range.sizes = isFactor ? byFactor(*from, *to, *number) : inSteps(*from, *to, *number);
    return range;
}

Result<OpenRequest> atSize(OpenRequest request, const std::string &parameter, std::int64_t size)
{
    if (parameter == kBatchParameter) {
        if (request.batch != 0)
            return fail(ErrorCode::WrongUse, "the batch is both given and swept", "Leave --batch away");
        if (size > kLargestBatch)
            return fail(ErrorCode::WrongUse, fmt::format("a batch of {} is out of range", grouped(size)),
                        fmt::format("Choose a batch up to {}", grouped(kLargestBatch)));
        request.batch = size;
        return request;
    }
    const Generator *generator = findGenerator(request.spec.substr(0, request.spec.find(':')));
    if (!generator)
        return fail(ErrorCode::WrongUse, fmt::format("{} has no parameter {}", request.spec, parameter),
                    "Sweep over batch, or a generator such as transformer or moe over one of its own (see models)");
    const std::vector<std::string> open = sweepableParameters(request.spec);
    const auto &known = generator->parameters;
    if (std::ranges::find(known, parameter, &GeneratorParameter::name) != known.end() &&
        std::ranges::find(open, parameter) == open.end())
        return fail(ErrorCode::WrongUse, fmt::format("{} is both given and swept", parameter),
                    fmt::format("Leave it away from {}", request.spec));
    TRY_AS(auto spec, generatedSpec(request.spec));
    if (auto set = spec.values.set(parameter, size); !set)
        return within(request.spec, std::move(set.error()));
    request.spec = spec.text();
    return request;
}

OpenRequest leftOpen(OpenRequest request, const std::string &parameter)
{
    if (parameter == kBatchParameter)
        request.batch = 0;
    auto spec = generatedSpec(request.spec);
    if (!spec)
        return request;
    for (const GeneratorParameter &each : spec->generator->parameters) {
        if (each.name == parameter && spec->values.set(parameter, each.usual))
            request.spec = spec->text();
    }
    return request;
}

std::vector<std::string> sweepableParameters(const std::string &spec)
{
    std::vector<std::string> names;
    const Generator *generator = findGenerator(spec.substr(0, spec.find(':')));
    for (const GeneratorParameter &each : generator ? generator->parameters : std::span<const GeneratorParameter>()) {
        const std::string given = std::string(each.name) + "=";
        const std::size_t at = spec.find(given);
        const bool isGiven = at != std::string::npos && (spec[at - 1] == ':' || spec[at - 1] == ',');
        if (!isGiven)
            names.emplace_back(each.name);
    }
    names.emplace_back(kBatchParameter);
    return names;
}

} // namespace stagecraft
