// Over axes: sums, extremes, places, orders.

#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"

#include <array>
#include <numeric>

namespace stagecraft::kernels {
namespace {

std::vector<bool> reducedAxes(const KernelCall &call)
{
    const std::size_t rank = call.in(0).dims.size();
    std::vector<bool> axes(rank, false);
    bool any = false;
    const Dims given = call.has(1) ? integersIn(call.in(1)) : call.node.integers("axes");
    for (const std::int64_t axis : given) {
        if (const auto within = axisWithin(axis, rank))
            axes[*within] = any = true;
    }
    if (!any && call.node.integer("noop_with_empty_axes") == 0)
        axes.assign(rank, true);
    return axes;
}

// Of each element first, then of two, then of the result.
template <typename T>
T prepared(const std::string &type, T x)
{
    if (type == "ReduceL1")
        return numberAs<T>(x < T{} ? T(0) - x : x);
    if (type == "ReduceL2" || type == "ReduceSumSquare")
        return static_cast<T>(x * x);
    return x;
}

template <typename T>
T startOf(const std::string &type)
{
    if (type == "ReduceProd")
        return T(1);
    if (type == "ReduceMax")
        return std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
    if (type == "ReduceMin")
        return std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
    return T{};
}

template <typename T>
T stepOf(const std::string &type, T sum, T x)
{
    if (type == "ReduceProd")
        return static_cast<T>(sum * x);
    if (type == "ReduceMax")
        return larger(sum, x);
    if (type == "ReduceMin")
        return smaller(sum, x);
    return static_cast<T>(sum + x);
}

template <typename T>
T finished(const std::string &type, T sum, std::int64_t count)
{
    if (type == "ReduceMean")
        return static_cast<T>(sum / static_cast<T>(count));
    if (type == "ReduceL2")
        return numberAs<T>(std::sqrt(static_cast<double>(sum)));
    if (type == "ReduceLogSum")
        return numberAs<T>(std::log(static_cast<double>(sum)));
    return sum;
}

// log(sum(exp(x - largest))) + largest
template <typename T>
double logSumExp(const std::vector<T> &values)
{
    double largest = -std::numeric_limits<double>::infinity();
    for (const T value : values)
        largest = larger(largest, static_cast<double>(value));
    if (std::isinf(largest) || std::isnan(largest))
        return largest;
    double sum = 0;
    for (const T value : values)
        sum += std::exp(static_cast<double>(value) - largest);
    return std::log(sum) + largest;
}

template <typename T>
T reducedRow(const std::string &type, const std::vector<T> &values)
{
    if (type == "ReduceLogSumExp")
        return numberAs<T>(logSumExp(values));
    auto sum = startOf<T>(type);
    for (const T value : values)
        sum = stepOf<T>(type, sum, prepared<T>(type, value));
    return finished<T>(type, sum, static_cast<std::int64_t>(values.size()));
}

// Offsets of the elements that one result is made of.
Dims offsetsWithin(const Dims &dims, const std::vector<bool> &reduced)
{
    const Dims strides = stridesOf(dims);
    Dims sizes;
    Dims steps;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        if (reduced[axis]) {
            sizes.push_back(dims[axis]);
            steps.push_back(strides[axis]);
        }
    }
    Dims offsets;
    forElements<1>(sizes, {steps}, [&](std::int64_t, const auto &at) { offsets.push_back(at[0]); });
    return offsets;
}

// Of softmax and its like: the rows that sum to one, as outer x size x inner.
AxisParts softmaxParts(const KernelCall &call, std::size_t axis)
{
    const Dims &dims = call.in(0).dims;
    if (call.node.opset >= 13 || call.node.opset == 0)
        return partsOf(dims, axis);
    const std::span<const std::int64_t> all(dims); // all dimensions from the axis on
    return {productOf(all.first(axis)), productOf(all.subspan(axis)), 1};
}

template <typename T>
void softmaxRow(const std::string &type, const T *from, T *to, std::int64_t size, std::int64_t step)
{
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < size; ++i)
        best = from[i * step] > from[best * step] ? i : best;
    const auto largest = static_cast<double>(from[best * step]);
    double sum = 0;
    for (std::int64_t i = 0; i < size; ++i)
        sum += std::exp(static_cast<double>(from[i * step]) - largest);
    for (std::int64_t i = 0; i < size; ++i) {
        const double above = static_cast<double>(from[i * step]) - largest;
        const double value = type == "Hardmax"      ? (i == best ? 1 : 0)
                             : type == "LogSoftmax" ? above - std::log(sum)
                                                    : std::exp(above) / sum;
        to[i * step] = static_cast<T>(value);
    }
}

} // namespace

Result<void> reduced(KernelCall &call)
{
    const std::string &type = call.node.type;
    std::vector<bool> axes = reducedAxes(call);
    const Dims within = offsetsWithin(call.in(0).dims, axes);
    axes.flip();
    const Dims begins = offsetsWithin(call.in(0).dims, axes);
    const auto run = [&]<typename T>() {
        using Wide = std::conditional_t<std::is_same_v<T, float>, double, T>;
        std::vector<Wide> all(within.size());
        for (std::size_t i = 0; i < begins.size(); ++i) {
            const T *from = reinterpret_cast<const T *>(call.in(0).data) + begins[i];
            for (std::size_t k = 0; k < within.size(); ++k)
                all[k] = static_cast<Wide>(from[within[k]]);
            reinterpret_cast<T *>(call.out().data)[i] = static_cast<T>(reducedRow<Wide>(type, all));
        }
    };
    const bool isTruth = call.in(0).type == DataType::Bool && (type == "ReduceMax" || type == "ReduceMin");
    if (isTruth) // the bytes 0 and 1
        run.operator()<std::uint8_t>();
    return isTruth || forNumber(call.in(0).type, run) ? Result<void>() : noTypes(call);
}

Result<void> placeOfLargest(KernelCall &call)
{
    TRY_AS(const auto axis, axisOf(call.node.integer("axis"), call.in(0).dims.size()));
    const AxisParts parts = partsOf(call.in(0).dims, axis);
    const bool isLast = call.node.integer("select_last_index") != 0;
    const bool isMax = call.node.type == "ArgMax";
    const auto to = call.out().as<std::int64_t>();
    const bool known = forNumber(call.in(0).type, [&]<typename T>() {
        const T *from = call.in(0).as<T>().data();
        for (std::int64_t i = 0; i < parts.outer * parts.inner; ++i) {
            const T *row = from + i / parts.inner * parts.size * parts.inner + i % parts.inner;
            std::int64_t best = 0;
            for (std::int64_t k = 1; k < parts.size; ++k) {
                const T here = row[k * parts.inner];
                const T there = row[best * parts.inner];
                if ((isMax ? here > there : here < there) || (isLast && here == there))
                    best = k;
            }
            to[static_cast<std::size_t>(i)] = best;
        }
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> largest(KernelCall &call)
{
    TRY_AS(const auto axis, axisOf(call.node.integer("axis"), call.in(0).dims.size()));
    const AxisParts parts = partsOf(call.in(0).dims, axis);
    const TensorView &any = call.wants(0) ? call.out(0) : call.out(1);
    const std::int64_t count = any.dims[axis];
    if (count > parts.size)
        return refuse("it asks for " + std::to_string(count) + " of " + std::to_string(parts.size) + " elements");
    const bool isLargest = call.node.integer("largest") != 0;
    const bool known = forNumber(call.in(0).type, [&]<typename T>() {
        std::vector<std::int64_t> order(static_cast<std::size_t>(parts.size));
        for (std::int64_t i = 0; i < parts.outer * parts.inner; ++i) {
            const T *row = call.in(0).as<T>().data() + i / parts.inner * parts.size * parts.inner + i % parts.inner;
            std::iota(order.begin(), order.end(), std::int64_t{0});
            // Equal elements keep their order.
            std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](std::int64_t a, std::int64_t b) {
                const T x = row[a * parts.inner];
                const T y = row[b * parts.inner];
                return x != y ? (isLargest ? x > y : x < y) : a < b;
            });
            for (std::int64_t k = 0; k < count; ++k) {
                const auto at = static_cast<std::size_t>((i / parts.inner * count + k) * parts.inner + i % parts.inner);
                const std::int64_t chosen = order[static_cast<std::size_t>(k)];
                if (call.wants(0))
                    call.out(0).as<T>()[at] = row[chosen * parts.inner];
                if (call.wants(1))
                    call.out(1).as<std::int64_t>()[at] = chosen;
            }
        }
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> cumulated(KernelCall &call)
{
    const Dims given = integersIn(call.in(1));
    TRY_AS(const auto axis, axisOf(given.empty() ? 0 : given.front(), call.in(0).dims.size()));
    const AxisParts parts = partsOf(call.in(0).dims, axis);
    const bool isExclusive = call.node.integer("exclusive") != 0;
    const bool isReverse = call.node.integer("reverse") != 0;
    const bool isProduct = call.node.type == "CumProd";
    const bool known = forNumber(call.in(0).type, [&]<typename T>() {
        for (std::int64_t i = 0; i < parts.outer * parts.inner; ++i) {
            const std::int64_t row = i / parts.inner * parts.size * parts.inner + i % parts.inner;
            T sum = isProduct ? T(1) : T{};
            for (std::int64_t k = 0; k < parts.size; ++k) {
                const auto at = static_cast<std::size_t>(row + (isReverse ? parts.size - 1 - k : k) * parts.inner);
                const T x = call.in(0).as<T>()[at];
                const T before = sum;
                sum = static_cast<T>(isProduct ? sum * x : sum + x);
                call.out().as<T>()[at] = isExclusive ? before : sum;
            }
        }
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> softmax(KernelCall &call)
{
    const bool isOld = call.node.opset < 13 && call.node.opset != 0;
    const std::int64_t wanted = isOld && !call.node.gives("axis") ? 1 : call.node.integer("axis");
    TRY_AS(const auto axis, axisOf(wanted, call.in(0).dims.size()));
    const AxisParts parts = softmaxParts(call, axis);
    const bool known = forReal(call.in(0).type, [&]<typename T>() {
        for (std::int64_t i = 0; parts.size > 0 && i < parts.outer * parts.inner; ++i) {
            const std::int64_t row = i / parts.inner * parts.size * parts.inner + i % parts.inner;
            softmaxRow(call.node.type, call.in(0).as<T>().data() + row, call.out().as<T>().data() + row, parts.size,
                       parts.inner);
        }
    });
    return known ? Result<void>() : noTypes(call);
}

} // namespace stagecraft::kernels
