#include "device/executing/session_steps.h"

#include "operators/kernels/kernel.h"
#include "operators/values/narrow_floats.h"

#include <algorithm>
#include <cstring>

#include <algorithm>

namespace stagecraft {

Result<const HostTensor *> inputFor(const Tensor &tensor, std::span<const HostTensor> inputs)
{
    const auto given = std::ranges::find(inputs, tensor.name, &HostTensor::name);
    if (given == inputs.end())
        return fail(ErrorCode::WrongUse, "no values are given for input " + tensor.name);
    const std::int64_t elements = tensor.shape.elements();
    const bool isFull = given->type == DataType::Float32
                            ? static_cast<std::int64_t>(given->values.size()) == elements
                            : static_cast<std::int64_t>(given->bytes.size()) == elements * sizeBytes(given->type);
    if (given->shape != tensor.shape || !isFull)
        return fail(ErrorCode::WrongUse, "input " + tensor.name + " is " + toString(given->shape) + " but must be " +
                                             toString(tensor.shape));
    return &*given;
}

HostTensor asType(HostTensor tensor, DataType type)
{
    if (tensor.type == type || type == DataType::Other ||
        (type == DataType::BFloat16 && tensor.type == DataType::Float32))
        return tensor;
    if (tensor.type == DataType::Float16) {
        std::vector<std::uint16_t> halves(tensor.bytes.size() / sizeof(std::uint16_t));
        std::memcpy(halves.data(), tensor.bytes.data(), tensor.bytes.size());
        tensor.values.resize(halves.size());
        std::ranges::transform(halves, tensor.values.begin(), halfToFloat);
        tensor.bytes.clear();
        tensor.type = DataType::Float32;
        return asType(std::move(tensor), type);
    }
    const DataType held = kernelType(type);
    TensorView from{tensor.type, tensor.shape.dims, tensor.bytes.data()};
    if (tensor.type == DataType::Float32)
        from.data = reinterpret_cast<std::byte *>(tensor.values.data());
    const TensorValue converted = newTensor(held, tensor.shape.dims);
    convertValues(from, converted.view);
    HostTensor result{std::move(tensor.name), std::move(tensor.shape), {}, type, {}};
    if (held == DataType::Float32) {
        const auto values = converted.view.as<float>();
        if (type == DataType::Float16) {
            std::vector<std::uint16_t> halves(values.size());
            std::ranges::transform(values, halves.begin(), halfBits);
            const auto bytes = std::as_bytes(std::span(halves));
            result.bytes.assign(bytes.begin(), bytes.end());
            return result;
        }
        result.type = DataType::Float32;
        result.values.assign(values.begin(), values.end());
        return result;
    }
    result.bytes.assign(converted.view.data, converted.view.data + converted.view.size() * sizeBytes(held));
    return result;
}

} // namespace stagecraft
