#include "operators/kernels/typed.h"

#include <fmt/format.h>

namespace stagecraft::kernels {

tl::unexpected<Error> refuse(std::string message)
{
    return fail(ErrorCode::InvalidInput, std::move(message), "Export the model again with values that fit");
}

tl::unexpected<Error> noTypes(const KernelCall &call)
{
    std::vector<std::string_view> types;
    for (const auto &input : call.inputs) {
        if (input)
            types.push_back(toString(input->type));
    }
    return refuse(fmt::format("there is no kernel of {} for {}", call.node.type, fmt::join(types, ", ")));
}

std::vector<std::int64_t> integersIn(const TensorView &tensor)
{
    std::vector<std::int64_t> values;
    forAny(tensor.type, [&]<typename T>() {
        for (const T value : tensor.as<T>())
            values.push_back(numberAs<std::int64_t>(value));
    });
    return values;
}

Result<void> needsElements(const KernelCall &call, std::size_t place, std::string_view name, std::int64_t count,
                           bool mayBeEmpty)
{
    if (!call.has(place) || call.in(place).size() == count || (mayBeEmpty && call.in(place).size() == 0))
        return {};
    return refuse(fmt::format("its operand {} has {} values, where it needs {}", name, call.in(place).size(), count));
}

std::vector<double> realsIn(const TensorView &tensor)
{
    std::vector<double> values;
    forAny(tensor.type, [&]<typename T>() {
        for (const T value : tensor.as<T>())
            values.push_back(static_cast<double>(value));
    });
    return values;
}

double realAt(const TensorView &tensor, std::int64_t i)
{
    double value = 0;
    forAny(tensor.type,
           [&]<typename T>() { value = static_cast<double>(tensor.as<T>()[static_cast<std::size_t>(i)]); });
    return value;
}

void setReal(const TensorView &tensor, std::int64_t i, double value)
{
    forAny(tensor.type, [&]<typename T>() { tensor.as<T>()[static_cast<std::size_t>(i)] = numberAs<T>(value); });
}

Dims stridesOf(const Dims &dims)
{
    Dims strides(dims.size(), 1);
    for (std::size_t axis = dims.size(); axis-- > 1;)
        strides[axis - 1] = strides[axis] * dims[axis];
    return strides;
}

std::int64_t productOf(std::span<const std::int64_t> dims)
{
    std::int64_t product = 1;
    for (const std::int64_t dim : dims)
        product *= dim;
    return product;
}

std::optional<Dims> broadcastStrides(const Dims &from, const Dims &to)
{
    if (from.size() > to.size())
        return std::nullopt;
    const Dims dense = stridesOf(from);
    Dims strides(to.size(), 0);
    const std::size_t missing = to.size() - from.size();
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] != 1 && from[i] != to[i + missing])
            return std::nullopt;
        strides[i + missing] = from[i] == 1 ? 0 : dense[i];
    }
    return strides;
}

AxisParts partsOf(const Dims &dims, std::size_t axis)
{
    const std::span<const std::int64_t> all(dims);
    return {productOf(all.first(axis)), dims[axis], productOf(all.subspan(axis + 1))};
}

Result<std::size_t> axisOf(std::int64_t axis, std::size_t rank)
{
    const auto within = axisWithin(axis, rank);
    if (!within)
        return refuse("its axis is out of range");
    return *within;
}

} // namespace stagecraft::kernels
