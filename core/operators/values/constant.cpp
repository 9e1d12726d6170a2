#include "operators/values/constant.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace stagecraft {
namespace {

constexpr std::int64_t kMaxElementCount = std::int64_t{1} << 36;

std::int64_t wholeNumber(double value)
{
    const bool fits = std::abs(value) < 9e18; // false for NaN
    return fits ? static_cast<std::int64_t>(value) : 0;
}

// Of any kind of values; halves and truths are numbers of float.
template <typename Item>
double realOf(const Item &item)
{
    if constexpr (std::is_same_v<Item, double>)
        return item;
    else
        return static_cast<double>(static_cast<float>(item));
}

} // namespace

std::shared_ptr<const std::vector<float>> floatsOf(const SharedValues &values)
{
    const std::shared_ptr<const ConstantValues> read = values.read();
    if (const auto *floats = std::get_if<std::vector<float>>(read.get()))
        return {read, floats};
    auto converted = std::make_shared<std::vector<float>>(count(*read));
    std::visit(
        [&](const auto &items) {
            std::ranges::transform(items, converted->begin(),
                                   [](const auto &item) { return static_cast<float>(item); });
        },
        *read);
    return converted;
}

std::vector<std::int64_t> integersOf(const ConstantValues &values)
{
    if (const auto *integers = std::get_if<std::vector<std::int64_t>>(&values))
        return *integers;
    std::vector<std::int64_t> converted(count(values));
    std::visit(
        [&](const auto &items) {
            std::ranges::transform(items, converted.begin(), [](const auto &item) {
                if constexpr (std::is_same_v<std::remove_cvref_t<decltype(item)>, Truth>)
                    return static_cast<std::int64_t>(item);
                else
                    return wholeNumber(realOf(item));
            });
        },
        values);
    return converted;
}

SharedValues truthsOf(const ConstantValues &values)
{
    if (std::holds_alternative<std::vector<Truth>>(values))
        return std::make_shared<const ConstantValues>(values);
    std::vector<Truth> truths(count(values));
    std::visit(
        [&](const auto &items) {
            std::ranges::transform(items, truths.begin(), [](const auto &item) {
                if constexpr (std::is_same_v<std::remove_cvref_t<decltype(item)>, std::int64_t>)
                    return Truth{item != 0};
                else
                    return Truth{realOf(item) != 0.0};
            });
        },
        values);
    return shared(std::move(truths));
}

DataType dataTypeOf(int elementType)
{
    switch (elementType) {
    case 1: return DataType::Float32;
    case 2: return DataType::UInt8;
    case 3: return DataType::Int8;
    case 4: return DataType::UInt16;
    case 5: return DataType::Int16;
    case 6: return DataType::Int32;
    case 7: return DataType::Int64;
    case kTruthElement: return DataType::Bool;
    case 10: return DataType::Float16;
    case 11: return DataType::Float64;
    case 12: return DataType::UInt32;
    case 13: return DataType::UInt64;
    case 16: return DataType::BFloat16;
    default: return DataType::Other;
    }
}

int elementTypeOf(DataType type)
{
    constexpr int kMost = 16;
    for (int number = 1; number <= kMost; ++number) {
        if (dataTypeOf(number) == type)
            return number;
    }
    return 0;
}

Constant intConstant(std::vector<std::int64_t> dims, std::vector<std::int64_t> values)
{
    return {std::move(dims), DataType::Int64, shared(std::move(values))};
}

Constant floatConstant(std::vector<std::int64_t> dims, std::vector<float> values)
{
    return {std::move(dims), DataType::Float32, shared(std::move(values))};
}

std::optional<std::int64_t> elementCount(const std::vector<std::int64_t> &dims)
{
    std::int64_t product = 1;
    bool isEmpty = false;
    for (const std::int64_t dim : dims) {
        if (dim < 0 || dim > kMaxElementCount / product)
            return std::nullopt;
        isEmpty = isEmpty || dim == 0;
        product *= std::max<std::int64_t>(dim, 1);
    }
    return isEmpty ? 0 : product;
}

} // namespace stagecraft
