#include "model/onnx/file/constant.h"

#include "model/onnx/file/element_types.h"
#include "model/onnx/file/external_values.h"
#include "model/onnx/refusal.h"
#include "operators/values/narrow_floats.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace stagecraft {
namespace {

// Smaller ones are read at once: shapes depend on their values.
constexpr std::uint64_t kReadLaterBytes = std::uint64_t{1} << 16U;

// Bytes per element, 0 for types without a fixed size.
std::size_t elementBytes(int type)
{
    switch (type) {
    case onnx::TensorProto::FLOAT:
    case onnx::TensorProto::INT32:
    case onnx::TensorProto::UINT32: return 4;
    case onnx::TensorProto::FLOAT16:
    case onnx::TensorProto::BFLOAT16:
    case onnx::TensorProto::INT16:
    case onnx::TensorProto::UINT16: return 2;
    case onnx::TensorProto::DOUBLE:
    case onnx::TensorProto::INT64:
    case onnx::TensorProto::UINT64: return 8;
    case onnx::TensorProto::INT8:
    case onnx::TensorProto::UINT8:
    case onnx::TensorProto::BOOL: return 1;
    default: return 0;
    }
}

template <typename Stored, typename Value>
std::vector<Value> fromBytes(std::string_view bytes)
{
    std::vector<Value> values(bytes.size() / sizeof(Stored));
    for (std::size_t i = 0; i < values.size(); ++i) {
        Stored stored{};
        std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
        values[i] = static_cast<Value>(stored); // NOLINT(bugprone-signed-char-misuse): int8 is a number here
    }
    return values;
}

std::vector<float> floatsFromBytes(int type, std::string_view bytes)
{
    if (type == onnx::TensorProto::FLOAT)
        return fromBytes<float, float>(bytes);
    const auto narrow = fromBytes<std::uint16_t, std::uint16_t>(bytes);
    std::vector<float> values(narrow.size());
    std::ranges::transform(narrow, values.begin(), bfloatToFloat);
    return values;
}

std::vector<std::int64_t> intsFromBytes(int type, std::string_view bytes)
{
    switch (type) {
    case onnx::TensorProto::INT32: return fromBytes<std::int32_t, std::int64_t>(bytes);
    case onnx::TensorProto::UINT32: return fromBytes<std::uint32_t, std::int64_t>(bytes);
    case onnx::TensorProto::INT16: return fromBytes<std::int16_t, std::int64_t>(bytes);
    case onnx::TensorProto::UINT16: return fromBytes<std::uint16_t, std::int64_t>(bytes);
    case onnx::TensorProto::INT64:
    case onnx::TensorProto::UINT64: return fromBytes<std::int64_t, std::int64_t>(bytes);
    case onnx::TensorProto::INT8: return fromBytes<std::int8_t, std::int64_t>(bytes);
    default: return fromBytes<std::uint8_t, std::int64_t>(bytes);
    }
}

bool areHeldAsFloats(int type)
{
    return type == onnx::TensorProto::FLOAT || type == onnx::TensorProto::BFLOAT16;
}

// Values in the typed fields of the message.
std::vector<float> typedFloats(const onnx::TensorProto &tensor)
{
    if (tensor.data_type() == onnx::TensorProto::FLOAT && tensor.float_data_size() > 0)
        return std::vector<float>(tensor.float_data().begin(), tensor.float_data().end());
    std::vector<float> values;
    for (const std::int32_t value : tensor.int32_data())
        values.push_back(bfloatToFloat(static_cast<std::uint16_t>(value)));
    return values;
}

std::vector<Half> typedHalves(const onnx::TensorProto &tensor)
{
    std::vector<Half> values;
    for (const std::int32_t value : tensor.int32_data())
        values.push_back({static_cast<std::uint16_t>(value)});
    return values;
}

std::vector<std::int64_t> typedInts(const onnx::TensorProto &tensor)
{
    if (tensor.data_type() == onnx::TensorProto::INT64)
        return {tensor.int64_data().begin(), tensor.int64_data().end()};
    if (tensor.data_type() == onnx::TensorProto::UINT64 || tensor.data_type() == onnx::TensorProto::UINT32)
        return {tensor.uint64_data().begin(), tensor.uint64_data().end()};
    return {tensor.int32_data().begin(), tensor.int32_data().end()};
}

SharedValues integersOrTruths(int type, std::vector<std::int64_t> integers)
{
    return type == onnx::TensorProto::BOOL ? truthsOf(ConstantValues(std::move(integers)))
                                           : shared(std::move(integers));
}

SharedValues valuesFromBytes(int type, std::string_view bytes)
{
    if (type == onnx::TensorProto::FLOAT16)
        return shared(fromBytes<Half, Half>(bytes));
    if (type == onnx::TensorProto::DOUBLE)
        return shared(fromBytes<double, double>(bytes));
    if (areHeldAsFloats(type))
        return shared(floatsFromBytes(type, bytes));
    return integersOrTruths(type, intsFromBytes(type, bytes));
}

SharedValues typedValuesOf(const onnx::TensorProto &tensor)
{
    const int type = tensor.data_type();
    if (type == onnx::TensorProto::FLOAT16)
        return shared(typedHalves(tensor));
    if (type == onnx::TensorProto::DOUBLE)
        return shared(std::vector<double>(tensor.double_data().begin(), tensor.double_data().end()));
    return areHeldAsFloats(type) ? shared(typedFloats(tensor)) : integersOrTruths(type, typedInts(tensor));
}

SharedValues laterValues(int type, ExternalRange range, std::size_t count)
{
    return valuesLater(std::move(range), count, isReal(type),
                       [type](std::string_view bytes) { return valuesFromBytes(type, bytes).read(); });
}

} // namespace

Result<Constant> decodeTensor(const onnx::TensorProto &tensor, const std::filesystem::path &folder)
{
    Constant constant;
    constant.dims.assign(tensor.dims().begin(), tensor.dims().end());
    constant.type = dataTypeOf(tensor.data_type());
    constant.elementType = tensor.data_type();
    const auto count = elementCount(constant.dims);
    if (!count)
        return refuseModel(fmt::format("its shape {} is absurd", toString(Shape{constant.dims})));
    const std::size_t bytesEach = elementBytes(tensor.data_type());
    if (bytesEach == 0)
        return refuseModel(
            fmt::format("its values are of a type the program does not read (ONNX type {})", tensor.data_type()),
            "Export the model in 32-bit floating point");
    const std::uint64_t expectedBytes = static_cast<std::uint64_t>(*count) * bytesEach;
    std::string external;
    std::string_view bytes;
    const bool isExternal = tensor.data_location() == onnx::TensorProto::EXTERNAL;
    if (isExternal) {
        TRY_AS(auto range, externalRange(tensor, folder, expectedBytes));
        if (range.length >= kReadLaterBytes) {
            constant.values = laterValues(tensor.data_type(), std::move(range), static_cast<std::size_t>(*count));
            return constant;
        }
        TRY_AS(auto read, readRange(range));
        external = std::move(read);
        bytes = external;
    } else if (tensor.has_raw_data()) {
        bytes = tensor.raw_data();
    }
    const bool fromRaw = isExternal || tensor.has_raw_data();
    if (fromRaw && bytes.size() != expectedBytes)
        return refuseModel(fmt::format("it has {} bytes of data, but its shape {} needs {}", bytes.size(),
                                       toString(Shape{constant.dims}), expectedBytes));
    constant.values = fromRaw ? valuesFromBytes(tensor.data_type(), bytes) : typedValuesOf(tensor);
    if (constant.size() != static_cast<std::size_t>(*count))
        return refuseModel(fmt::format("it has {} values, but its shape {} needs {}", constant.size(),
                                       toString(Shape{constant.dims}), *count));
    return constant;
}

} // namespace stagecraft
