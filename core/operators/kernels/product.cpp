// Products of matrices and of tensors.

#include "operators/kernels/einsum.h"
#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"

#include <array>

namespace stagecraft::kernels {
namespace {

// The matrices of a stack, broadcast to the stack of the result.
Dims stackOffsets(const Dims &dims, const Dims &stack)
{
    const Dims own(dims.begin(), dims.end() - 2);
    const std::int64_t each = dims[dims.size() - 2] * dims.back();
    const auto strides = broadcastStrides(own, stack);
    Dims offsets;
    if (strides)
        forElements<1>(stack, {*strides}, [&](std::int64_t, const auto &at) { offsets.push_back(at[0] * each); });
    return offsets;
}

template <typename T>
double determinantOf(std::vector<T> m, std::int64_t n)
{
    double product = 1;
    for (std::int64_t k = 0; k < n; ++k) {
        std::int64_t pivot = k;
        for (std::int64_t row = k + 1; row < n; ++row)
            pivot = std::abs(m[row * n + k]) > std::abs(m[pivot * n + k]) ? row : pivot;
        if (m[pivot * n + k] == 0)
            return 0;
        if (pivot != k) {
            std::swap_ranges(m.begin() + k * n, m.begin() + (k + 1) * n, m.begin() + pivot * n);
            product = -product;
        }
        product *= m[k * n + k];
        for (std::int64_t row = k + 1; row < n; ++row) {
            const T factor = m[row * n + k] / m[k * n + k];
            for (std::int64_t column = k; column < n; ++column)
                m[row * n + column] -= factor * m[k * n + column];
        }
    }
    return product;
}

} // namespace

Result<void> matrixProduct(KernelCall &call)
{
    Dims a = call.in(0).dims;
    Dims b = call.in(1).dims;
    Dims to = call.out().dims;
    if (b.size() == 1) {
        b.push_back(1);
        to.push_back(1);
    }
    if (a.size() == 1) {
        a.insert(a.begin(), 1);
        to.insert(to.end() - 1, 1);
    }
    const Dims stack(to.begin(), to.end() - 2);
    const Dims fromA = stackOffsets(a, stack);
    const Dims fromB = stackOffsets(b, stack);
    const std::int64_t rows = a[a.size() - 2];
    const std::int64_t depth = a.back();
    const std::int64_t columns = b.back();
    if (call.in(0).type != call.in(1).type)
        return noTypes(call);
    const bool known = forNumber(call.out().type, [&]<typename T>() {
        const auto result = call.out().as<T>();
        std::ranges::fill(result, T{});
        for (std::size_t i = 0; i < fromA.size(); ++i)
            addProduct(call.in(0).as<T>().data() + fromA[i], call.in(1).as<T>().data() + fromB[i],
                       result.data() + static_cast<std::int64_t>(i) * rows * columns, rows, depth, columns);
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> generalProduct(KernelCall &call)
{
    const bool turnsA = call.node.integer("transA") != 0;
    const bool turnsB = call.node.integer("transB") != 0;
    const TensorView &to = call.out();
    const std::int64_t rows = to.dims[0];
    const std::int64_t columns = to.dims[1];
    const std::int64_t depth = call.in(0).dims[turnsA ? 0 : 1];
    const auto addedAt = call.has(2) ? broadcastStrides(call.in(2).dims, to.dims) : std::optional(Dims{0, 0});
    if (!addedAt)
        return refuse("what it adds does not fit its product");
    if (call.in(1).type != to.type || (call.has(2) && call.in(2).type != to.type))
        return noTypes(call);
    const double alpha = call.node.real("alpha");
    const double beta = call.node.real("beta");
    const bool known = forNumber(to.type, [&]<typename T>() {
        const auto a = call.in(0).as<T>();
        const auto b = call.in(1).as<T>();
        using Wide = std::conditional_t<std::is_integral_v<T>, T, double>;
        forElements<1>(to.dims, {*addedAt}, [&](std::int64_t i, const auto &at) {
            const std::int64_t row = i / columns;
            const std::int64_t column = i % columns;
            Wide sum{};
            for (std::int64_t k = 0; k < depth; ++k)
                sum = static_cast<Wide>(
                    sum + static_cast<Wide>(a[static_cast<std::size_t>(turnsA ? k * rows + row : row * depth + k)]) *
                              static_cast<Wide>(
                                  b[static_cast<std::size_t>(turnsB ? column * depth + k : k * columns + column)]));
            const double added =
                call.has(2) ? beta * static_cast<double>(call.in(2).as<T>()[static_cast<std::size_t>(at[0])]) : 0;
            to.as<T>()[static_cast<std::size_t>(i)] = numberAs<T>(alpha * static_cast<double>(sum) + added);
        });
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> einsum(KernelCall &call)
{
    std::vector<Dims> shapes;
    for (const auto &input : call.inputs) {
        if (!input || input->type != call.out().type)
            return noTypes(call);
        shapes.push_back(input->dims);
    }
    TRY_AS(const auto plan, planEinsum(call.node.text("equation"), shapes));
    const bool known = forNumber(call.out().type, [&]<typename T>() {
        const auto to = call.out().as<T>();
        std::vector<std::int64_t> at(call.inputs.size());
        const Dims place = stridesOf(plan.outputDims);
        for (std::int64_t i = 0; i < call.out().size(); ++i) {
            using Wide = std::conditional_t<std::is_same_v<T, float>, double, T>;
            Wide sum{};
            const std::int64_t terms = productOf(plan.summedDims);
            const Dims inner = stridesOf(plan.summedDims);
            for (std::int64_t term = 0; term < terms; ++term) {
                Wide factor(1);
                for (std::size_t input = 0; input < call.inputs.size(); ++input) {
                    std::int64_t offset = 0;
                    for (std::size_t axis = 0; axis < place.size(); ++axis)
                        offset += i / place[axis] % plan.outputDims[axis] * plan.outputStrides[input][axis];
                    for (std::size_t axis = 0; axis < inner.size(); ++axis)
                        offset += term / inner[axis] % plan.summedDims[axis] * plan.summedStrides[input][axis];
                    factor = static_cast<Wide>(factor * call.in(input).as<T>()[static_cast<std::size_t>(offset)]);
                }
                sum = static_cast<Wide>(sum + factor);
            }
            to[static_cast<std::size_t>(i)] = static_cast<T>(sum);
        }
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> determinant(KernelCall &call)
{
    const TensorView &from = call.in(0);
    const std::int64_t n = from.dims.back();
    const bool known = forReal(from.type, [&]<typename T>() {
        for (std::int64_t i = 0; i < call.out().size(); ++i) {
            const auto matrix =
                from.as<T>().subspan(static_cast<std::size_t>(i * n * n), static_cast<std::size_t>(n * n));
            const std::vector<double> values(matrix.begin(), matrix.end());
            call.out().as<T>()[static_cast<std::size_t>(i)] = static_cast<T>(determinantOf(values, n));
        }
    });
    return known ? Result<void>() : noTypes(call);
}

} // namespace stagecraft::kernels
