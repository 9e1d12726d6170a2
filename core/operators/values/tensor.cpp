#include "operators/values/tensor.h"

namespace stagecraft {

std::string_view toString(DataType type)
{
    switch (type) {
    case DataType::Float32: return "float32";
    case DataType::Float16: return "float16";
    case DataType::Int64: return "int64";
    case DataType::Int32: return "int32";
    case DataType::Int8: return "int8";
    case DataType::UInt8: return "uint8";
    case DataType::Bool: return "bool";
    case DataType::Other: return "other";
    case DataType::Float64: return "float64";
    case DataType::BFloat16: return "bfloat16";
    case DataType::Int16: return "int16";
    case DataType::UInt16: return "uint16";
    case DataType::UInt32: return "uint32";
    case DataType::UInt64: return "uint64";
    }
    return "";
}

std::int64_t sizeBytes(DataType type)
{
    switch (type) {
    case DataType::Int64:
    case DataType::UInt64:
    case DataType::Float64: return 8;
    case DataType::Float32:
    case DataType::UInt32:
    case DataType::Int32: return 4;
    case DataType::Float16:
    case DataType::Int16:
    case DataType::UInt16:
    case DataType::BFloat16: return 2;
    case DataType::Int8:
    case DataType::UInt8:
    case DataType::Bool: return 1;
    case DataType::Other: return 4;
    }
    return 4;
}

bool isFloatingPoint(DataType type)
{
    return type == DataType::Float32 || type == DataType::Float16 || type == DataType::Float64 ||
           type == DataType::BFloat16;
}

std::int64_t Shape::elements() const
{
    if (!known)
        return 0;
    std::int64_t product = 1;
    for (const std::int64_t dim : dims)
        product *= dim;
    return product;
}

std::string toString(const Shape &shape)
{
    if (!shape.known)
        return "unknown";
    if (shape.dims.empty())
        return "scalar";
    std::string text;
    for (const std::int64_t dim : shape.dims) {
        if (!text.empty())
            text += 'x';
        text += std::to_string(dim);
    }
    return text;
}

} // namespace stagecraft
