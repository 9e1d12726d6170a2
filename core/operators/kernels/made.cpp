// Values made from sizes.

#include "operators/kernels/kernels.h"
#include "operators/kernels/typed.h"

#include <numbers>

namespace stagecraft::kernels {

Result<void> range(KernelCall &call)
{
    const TensorView &to = call.out();
    for (const auto &input : call.inputs) {
        if (input->type != to.type)
            return noTypes(call);
    }
    const bool known = forNumber(to.type, [&]<typename T>() {
        const T start = call.in(0).as<T>()[0];
        const T step = call.in(2).as<T>()[0];
        for (std::size_t i = 0; i < to.as<T>().size(); ++i)
            to.as<T>()[i] = static_cast<T>(start + static_cast<T>(i) * step);
    });
    return known ? Result<void>() : noTypes(call);
}

Result<void> repeated(KernelCall &call)
{
    const TensorView &to = call.out();
    const std::int64_t each = sizeBytes(to.type);
    const TensorValue zero = newTensor(to.type, {1});
    const TensorView &value = call.has(1) ? call.in(1) : zero.view;
    if (value.type != to.type || value.size() != 1)
        return noTypes(call);
    for (std::int64_t i = 0; i < to.size(); ++i)
        std::copy_n(value.data, each, to.data + i * each);
    return {};
}

Result<void> eye(KernelCall &call)
{
    const TensorView &to = call.out();
    if (to.dims.size() != 2)
        return refuse("it needs a matrix");
    const std::int64_t shift = call.node.integer("k");
    for (std::int64_t i = 0; i < to.size(); ++i)
        setReal(to, i, i % to.dims[1] - i / to.dims[1] == shift ? 1 : 0);
    return {};
}

Result<void> oneHot(KernelCall &call)
{
    const TensorView &to = call.out();
    const auto axis = axisOf(call.node.integer("axis"), to.dims.size());
    if (!axis || call.in(2).type != to.type || call.in(2).size() != 2)
        return refuse("its axis or its values do not fit");
    const AxisParts parts = partsOf(to.dims, *axis);
    const Dims indices = integersIn(call.in(0));
    forBytes(to.type, [&]<typename T>() {
        const T off = call.in(2).as<T>()[0];
        const T on = call.in(2).as<T>()[1];
        std::ranges::fill(to.as<T>(), off);
        for (std::int64_t i = 0; i < parts.outer * parts.inner; ++i) {
            std::int64_t index = indices[static_cast<std::size_t>(i)];
            index += index < 0 ? parts.size : 0;
            if (index >= 0 && index < parts.size) // others are off everywhere
                to.as<T>()[static_cast<std::size_t>((i / parts.inner * parts.size + index) * parts.inner +
                                                    i % parts.inner)] = on;
        }
    });
    return {};
}

Result<void> shapeOf(KernelCall &call)
{
    const Dims &dims = call.in(0).dims;
    const auto rank = static_cast<std::int64_t>(dims.size());
    const std::int64_t from = call.node.integer("start");
    const std::int64_t start = std::clamp<std::int64_t>(from < 0 ? from + rank : from, 0, rank);
    std::copy_n(dims.begin() + start, call.out().size(), call.out().as<std::int64_t>().begin());
    return {};
}

Result<void> sizeOf(KernelCall &call)
{
    call.out().as<std::int64_t>()[0] = call.in(0).size();
    return {};
}

Result<void> signalWindow(KernelCall &call)
{
    const TensorView &to = call.out();
    const auto size = static_cast<double>(to.size() - (call.node.integer("periodic") != 0 ? 0 : 1));
    for (std::int64_t i = 0; i < to.size(); ++i) {
        const double turn = 2 * std::numbers::pi * static_cast<double>(i) / std::max(size, 1.0);
        double value = 0.5 - 0.5 * std::cos(turn); // Hann
        if (call.node.type == "HammingWindow")
            value = 25.0 / 46 - (1 - 25.0 / 46) * std::cos(turn);
        else if (call.node.type == "BlackmanWindow")
            value = 0.42 - 0.5 * std::cos(turn) + 0.08 * std::cos(2 * turn);
        setReal(to, i, value);
    }
    return {};
}

Result<void> affineGrid(KernelCall &call)
{
    const TensorView &theta = call.in(0); // images x rank x (rank + 1)
    const TensorView &to = call.out();    // images x sizes... x rank
    const auto rank = static_cast<std::size_t>(to.dims.back());
    const bool aligned = call.node.integer("align_corners") != 0;
    const Dims sizes(to.dims.begin() + 1, to.dims.end() - 1);
    const Dims strides = stridesOf(sizes);
    const std::int64_t places = productOf(sizes);
    for (std::int64_t i = 0; i < to.dims[0] * places; ++i) {
        std::vector<double> at(rank + 1, 1.0); // x first, then y, and 1
        for (std::size_t axis = 0; axis < rank; ++axis) {
            const auto size = static_cast<double>(sizes[axis]);
            const auto index = static_cast<double>(i % places / strides[axis] % sizes[axis]);
            at[rank - 1 - axis] =
                aligned ? (sizes[axis] > 1 ? 2 * index / (size - 1) - 1 : 0) : (2 * index + 1) / size - 1;
        }
        for (std::size_t row = 0; row < rank; ++row) {
            double sum = 0;
            for (std::size_t k = 0; k <= rank; ++k)
                sum += at[k] *
                       realAt(theta, (i / places * static_cast<std::int64_t>(rank) + static_cast<std::int64_t>(row)) *
                                             static_cast<std::int64_t>(rank + 1) +
                                         static_cast<std::int64_t>(k));
            setReal(to, i * static_cast<std::int64_t>(rank) + static_cast<std::int64_t>(row), sum);
        }
    }
    return {};
}

} // namespace stagecraft::kernels
