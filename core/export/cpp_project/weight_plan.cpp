#include "export/cpp_project/weight_plan.h"

#include "operators/parameter_values.h"
#include "support/sha256.h"

#include <bit>
#include <fmt/format.h>

namespace stagecraft {
namespace {

static_assert(std::endian::native == std::endian::little, "values are written as they lie in memory");

constexpr std::string_view kMagic("network weights\0", 16);
constexpr std::uint64_t kHeaderBytes = 128;
constexpr std::uint64_t kAlignment = 64;

std::string identityOf(const Parameter &parameter)
{
    const std::string shape = toString(parameter.shape);
    return parameter.values ? fmt::format("{}/{}", shape, fmt::ptr(parameter.values.identity()))
                            : fmt::format("{}/seed {}", shape, parameter.name);
}

bool isOfIntegers(const Parameter &parameter)
{
    return parameter.values && !parameter.values.areReal();
}

std::uint64_t bytesOf(const Parameter &parameter)
{
    const std::size_t each = isOfIntegers(parameter) ? sizeof(std::int64_t) : sizeof(float);
    return static_cast<std::uint64_t>(parameter.shape.elements()) * each;
}

std::uint64_t padding(std::uint64_t bytes)
{
    return (kAlignment - bytes % kAlignment) % kAlignment;
}

std::vector<const Parameter *> constantsOf(const Graph &graph)
{
    std::vector<const Parameter *> constants;
    for (const Operator &op : graph.operators()) {
        for (const Parameter &parameter : op.parameters)
            constants.push_back(&parameter);
    }
    return constants;
}

} // namespace

WeightPlan::WeightPlan(const Graph &graph) : WeightPlan(constantsOf(graph)) {}

WeightPlan::WeightPlan(const std::vector<const Parameter *> &parameters) : m_bytes(kHeaderBytes)
{
    for (const Parameter *parameter : parameters) {
        if (!m_offsets.try_emplace(identityOf(*parameter), m_bytes).second)
            continue;
        m_parameters.push_back(parameter);
        m_bytes += bytesOf(*parameter) + padding(bytesOf(*parameter));
    }
    Sha256 hash;
    (void)writeValues([&](std::string_view bytes) -> Result<void> {
        hash.add(bytes);
        return {};
    });
    m_sha256 = hash.digest();
}

std::uint64_t WeightPlan::offset(const Parameter &parameter) const
{
    return m_offsets.at(identityOf(parameter));
}

Result<void> WeightPlan::write(const std::function<Result<void>(std::string_view)> &take) const
{
    std::string header(kMagic);
    for (unsigned shift = 0; shift < 64; shift += 8)
        header += static_cast<char>(m_bytes >> shift & 0xFFU);
    header += m_sha256;
    header.resize(kHeaderBytes);
    if (auto taken = take(header); !taken)
        return taken;
    return writeValues(take);
}

std::uint64_t WeightPlan::index(const Parameter &parameter) const
{
    return (offset(parameter) - kHeaderBytes) / sizeof(float);
}

std::uint64_t WeightPlan::numbers() const
{
    return (m_bytes - kHeaderBytes) / sizeof(float);
}

Result<void> WeightPlan::writeNpy(const std::function<Result<void>(std::string_view)> &take) const
{
    constexpr std::string_view kStart("\x93NUMPY\1\0\x76\0", 10); // format 1.0, 118 bytes follow
    std::string header(kStart);
    header += fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}", numbers());
    header.resize(kHeaderBytes - 1, ' ');
    if (auto taken = take(header + '\n'); !taken)
        return taken;
    return writeValues(take);
}

Result<void> WeightPlan::writeValues(const std::function<Result<void>(std::string_view)> &take) const
{
    for (const Parameter *parameter : m_parameters) {
        const std::uint64_t bytes = bytesOf(*parameter);
        const auto takeValues = [&](const auto &values) {
            return take({reinterpret_cast<const char *>(values.data()), bytes});
        };
        if (const auto fault = faultOf(*parameter))
            return tl::unexpected(*fault);
        if (auto taken = isOfIntegers(*parameter) ? takeValues(integersOf(*parameter->values))
                                                  : takeValues(*parameterValues(*parameter));
            !taken)
            return taken;
        if (auto taken = take(std::string(padding(bytes), '\0')); !taken)
            return taken;
    }
    return {};
}

} // namespace stagecraft
