#include "model/onnx/file/element_types.h"

#include "model/onnx/file/constant.h"

#include "operators/values/narrow_floats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <onnx/onnx_pb.h>
#include <set>
#include <string_view>
#include <type_traits>
#include <unordered_set>

namespace stagecraft {
namespace {

using Element = onnx::TensorProto;

// Attributes whose value is an element type.
bool namesType(const onnx::AttributeProto &attribute)
{
    static constexpr std::array<std::string_view, 4> kNames{"to", "dtype", "output_dtype", "softmax_precision"};
    return std::ranges::count(kNames, attribute.name()) > 0;
}

// Types whose operands after the first are float32 in files of every type.
bool hasPlainOperands(const onnx::NodeProto &node)
{
    return node.op_type() == "Resize" || node.op_type() == "Upsample" || node.op_type() == "NonMaxSuppression";
}

class RealTypesFinder {
public:
    void read(const onnx::GraphProto &graph)
    {
        for (const auto &node : graph.node()) {
            for (int i = hasPlainOperands(node) ? 1 : node.input_size(); i < node.input_size(); ++i)
                m_plain.insert(node.input(i));
        }
        for (const auto &input : graph.input())
            add(input.type().tensor_type().elem_type());
        for (const auto &initializer : graph.initializer()) {
            if (!m_plain.contains(initializer.name()))
                add(initializer.data_type());
        }
        for (const auto &node : graph.node())
            read(node);
    }

    [[nodiscard]] const std::set<int> &found() const { return m_found; }

private:
    void read(const onnx::NodeProto &node)
    {
        const bool isPlain = node.output_size() > 0 && m_plain.contains(node.output(0));
        for (const auto &attribute : node.attribute()) {
            if (attribute.has_t() && !isPlain)
                add(attribute.t().data_type());
            if (namesType(attribute))
                add(static_cast<int>(attribute.i()));
            if (attribute.has_g())
                read(attribute.g());
        }
    }

    void add(int elementType)
    {
        if (isReal(elementType))
            m_found.insert(elementType);
    }

    std::set<int> m_found;
    std::unordered_set<std::string> m_plain;
};

void replaceTypes(onnx::TensorProto &tensor, const RealTypes &types)
{
    const int written = types.of(tensor.data_type());
    if (written == tensor.data_type())
        return;
    const auto values = decodeTensor(tensor, {});
    if (!values)
        return;
    onnx::TensorProto other;
    other.set_name(tensor.name());
    *other.mutable_dims() = tensor.dims();
    other.set_data_type(written);
    other.set_raw_data(bytesAs(written, *values->values));
    tensor = std::move(other);
}

void replaceTypes(onnx::ValueInfoProto &info, const RealTypes &types)
{
    if (info.type().has_tensor_type()) {
        auto &type = *info.mutable_type()->mutable_tensor_type();
        type.set_elem_type(types.of(type.elem_type()));
    }
}

void replaceTypes(onnx::GraphProto &graph, const RealTypes &types)
{
    for (auto *infos : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()}) {
        for (auto &info : *infos)
            replaceTypes(info, types);
    }
    for (auto &initializer : *graph.mutable_initializer())
        replaceTypes(initializer, types);
    for (auto &node : *graph.mutable_node())
        replaceTypes(node, types);
}

// The ends of slices are often the largest number of the type.
template <typename Stored, typename Value>
Stored saturated(Value value)
{
    if constexpr (std::is_integral_v<Stored>) {
        if (!(value > static_cast<Value>(std::numeric_limits<Stored>::min())))
            return std::numeric_limits<Stored>::min();
        if (value >= static_cast<Value>(std::numeric_limits<Stored>::max()))
            return std::numeric_limits<Stored>::max();
    }
    return static_cast<Stored>(value);
}

template <typename Value, typename Convert>
std::string packed(const std::vector<Value> &values, Convert convert)
{
    using Stored = decltype(convert(Value{}));
    std::string bytes(values.size() * sizeof(Stored), '\0');
    if constexpr (std::is_same_v<Stored, Value>) {
        if (!values.empty()) // memcpy takes no null pointer, not even for zero bytes
            std::memcpy(bytes.data(), values.data(), bytes.size());
        return bytes;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Stored stored = convert(values[i]);
        std::memcpy(bytes.data() + i * sizeof(Stored), &stored, sizeof(Stored));
    }
    return bytes;
}

template <typename Stored, typename Value>
std::string packedAs(const std::vector<Value> &values)
{
    return packed(values, [](Value value) {
        if constexpr (std::is_same_v<Stored, Value>)
            return value;
        else
            return saturated<Stored>(value);
    });
}

std::uint16_t largestHalf(float value)
{
    constexpr float kLargest = 65504.0F;
    return halfBits(std::isfinite(value) ? std::clamp(value, -kLargest, kLargest) : value);
}

template <typename Value>
std::string bytesOf(int elementType, const std::vector<Value> &values)
{
    switch (elementType) {
    case Element::DOUBLE: return packedAs<double>(values);
    case Element::FLOAT16: return packed(values, [](Value value) { return largestHalf(static_cast<float>(value)); });
    case Element::BFLOAT16: return packed(values, [](Value value) { return bfloatBits(static_cast<float>(value)); });
    case Element::INT64: return packedAs<std::int64_t>(values);
    case Element::INT32: return packedAs<std::int32_t>(values);
    case Element::INT16: return packedAs<std::int16_t>(values);
    case Element::INT8: return packedAs<std::int8_t>(values);
    case Element::UINT64:
        return packed(values, [](Value value) {
            return std::is_same_v<Value, std::int64_t> ? static_cast<std::uint64_t>(value) // all 64 bits
                                                       : saturated<std::uint64_t>(value);
        });
    case Element::UINT32: return packedAs<std::uint32_t>(values);
    case Element::UINT16: return packedAs<std::uint16_t>(values);
    case Element::UINT8:
    case Element::BOOL: return packedAs<std::uint8_t>(values);
    default: return packedAs<float>(values);
    }
}

} // namespace

bool isReal(int elementType)
{
    return elementType == Element::FLOAT || elementType == Element::DOUBLE || elementType == Element::FLOAT16 ||
           elementType == Element::BFLOAT16;
}

// Types that came after ONNX 1.12, by their numbers.
constexpr int kFirstLater = 17;
constexpr std::array<std::string_view, 7> kLater{"float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
                                                 "uint4",        "int4",           "float4e2m1"};

std::string elementTypeName(int elementType)
{
    switch (elementType) {
    case Element::FLOAT: return "float32";
    case Element::DOUBLE: return "float64";
    default: {
        if (elementType >= kFirstLater && elementType < kFirstLater + static_cast<int>(kLater.size()))
            return std::string(kLater[static_cast<std::size_t>(elementType - kFirstLater)]);
        std::string name = Element::DataType_IsValid(elementType)
                               ? Element::DataType_Name(static_cast<Element::DataType>(elementType))
                               : "type " + std::to_string(elementType);
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        return name;
    }
    }
}

int RealTypes::of(int elementType) const
{
    return std::ranges::count(replaced, elementType) > 0 ? static_cast<int>(Element::FLOAT) : elementType;
}

RealTypes plainFloats()
{
    return {Element::FLOAT, {Element::FLOAT16}};
}

RealTypes realTypes(const onnx::ModelProto &file)
{
    RealTypesFinder finder;
    finder.read(file.graph());
    if (finder.found().size() == 1)
        return {*finder.found().begin()};
    return {Element::FLOAT, {}, !finder.found().empty()};
}

void replaceTypes(onnx::NodeProto &node, const RealTypes &types)
{
    for (auto &attribute : *node.mutable_attribute()) {
        if (namesType(attribute))
            attribute.set_i(types.of(static_cast<int>(attribute.i())));
        if (attribute.has_t())
            replaceTypes(*attribute.mutable_t(), types);
        if (attribute.has_g())
            replaceTypes(*attribute.mutable_g(), types);
    }
}

int elementTypeOf(DataType type, const RealTypes &types)
{
    switch (type) {
    case DataType::Int64: return Element::INT64;
    case DataType::Int32: return Element::INT32;
    case DataType::Int8: return Element::INT8;
    case DataType::UInt8: return Element::UINT8;
    case DataType::Bool: return Element::BOOL;
    case DataType::Int16: return Element::INT16;
    case DataType::UInt16: return Element::UINT16;
    case DataType::UInt32: return Element::UINT32;
    case DataType::UInt64: return Element::UINT64;
    default: break;
    }
    if (!types.areSeveral)
        return types.written;
    switch (type) {
    case DataType::Float16: return Element::FLOAT16;
    case DataType::BFloat16: return Element::BFLOAT16;
    case DataType::Float64: return Element::DOUBLE;
    default: return types.written;
    }
}

std::string bytesAs(int elementType, const std::vector<float> &values)
{
    return bytesOf(elementType, values);
}

std::string bytesAs(int elementType, const ConstantValues &values)
{
    if (const auto *floats = std::get_if<std::vector<float>>(&values))
        return bytesOf(elementType, *floats);
    if (!areReal(values))
        return bytesOf(elementType, integersOf(values));
    if (const auto *doubles = std::get_if<std::vector<double>>(&values))
        return bytesOf(elementType, *doubles);
    const auto &halves = std::get<std::vector<Half>>(values);
    if (elementType == Element::FLOAT16)
        return packed(halves, [](Half value) { return value.bits; });
    return bytesOf(elementType, std::vector<float>(halves.begin(), halves.end()));
}

} // namespace stagecraft
