#include "operators/parameter_values.h"

#include <cmath>
#include <cstdint>
#include <string_view>

namespace stagecraft {
namespace {

std::uint64_t fnv1a(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3ULL;
    }
    return hash;
}

// SplitMix64: a counter-based generator, so the values do not depend on any library's distribution.
std::uint64_t splitMix(std::uint64_t &state)
{
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
}

float bound(const Parameter &parameter)
{
    if (parameter.shape.dims.size() < 2)
        return 0.05F;
    constexpr std::size_t kGrouped = 3; // matrices of a grouped product, each [in, out]
    const auto &dims = parameter.shape.dims;
    const std::int64_t fanIn = dims.size() == kGrouped ? dims[1] : parameter.shape.elements() / dims[0];
    return fanIn > 0 ? static_cast<float>(std::sqrt(3.0 / static_cast<double>(fanIn))) : 0.05F;
}

} // namespace

SharedValues typedValues(const Parameter &parameter)
{
    if (parameter.values)
        return parameter.values;
    std::vector<float> values(static_cast<std::size_t>(parameter.shape.elements()));
    std::uint64_t state = fnv1a(parameter.name);
    const float scale = bound(parameter);
    for (float &value : values) {
        const auto unit = static_cast<float>(splitMix(state) >> 40U) * 0x1p-23F - 1.0F; // 24 bits, in [-1, 1)
        value = unit * scale;
    }
    return shared(std::move(values));
}

std::shared_ptr<const std::vector<float>> parameterValues(const Parameter &parameter)
{
    return floatsOf(typedValues(parameter));
}

std::optional<Error> faultOf(const Parameter &parameter)
{
    (void)parameter.values.read();
    std::optional<Error> fault = parameter.values.fault();
    return fault ? std::optional(within("tensor " + parameter.name, std::move(*fault)).value()) : std::nullopt;
}

std::optional<Error> faultOf(const Operator &op)
{
    for (const Parameter &parameter : op.parameters) {
        if (auto fault = faultOf(parameter))
            return fault;
    }
    return std::nullopt;
}

Parameter seededParameter(std::string_view role, const std::string &operatorName, std::vector<std::int64_t> dims)
{
    return {std::string(role), operatorName + "." + std::string(role), {std::move(dims)}, DataType::Float32, nullptr};
}

} // namespace stagecraft
