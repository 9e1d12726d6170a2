#include "model/ios/json_fields.h"

#include <fmt/format.h>
#include <map>

namespace stagecraft::ios {

namespace {

constexpr std::int64_t kMaxNumber = std::int64_t{1} << 31; // far beyond any channel count or kernel size

} // namespace

const Json *member(const Json &node, const char *key)
{
    if (!node.is_object())
        return nullptr;
    const auto found = node.find(key);
    return found == node.end() ? nullptr : &*found;
}

Result<std::string> text(const Json &node, const char *key)
{
    const Json *value = member(node, key);
    if (!value || !value->is_string())
        return refused(std::string("it has no text ") + key);
    return value->get<std::string>();
}

std::optional<std::int64_t> integer(const Json &value)
{
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(kMaxNumber))
        return std::nullopt;
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0 || value.get<std::int64_t>() > kMaxNumber)
        return std::nullopt;
    return value.get<std::int64_t>();
}

Result<std::vector<std::int64_t>> integers(const Json &node, const char *key, std::size_t count)
{
    const Json *list = member(node, key);
    std::vector<std::int64_t> values;
    if (list && list->is_array() && list->size() == count) {
        for (const Json &item : *list) {
            if (const auto value = integer(item))
                values.push_back(*value);
        }
    }
    if (values.size() != count)
        return refused(fmt::format("its {} is not a list of {} whole numbers of a sensible size", key, count));
    return values;
}

Result<Window> window(const Json &node)
{
    const auto kernel = integers(node, "kernel", 2);
    const auto stride = integers(node, "stride", 2);
    const auto padding = integers(node, "padding", 2);
    for (const auto *list : {&kernel, &stride, &padding}) {
        if (!*list)
            return tl::unexpected(list->error());
    }
    return Window{{(*kernel)[0], (*kernel)[1]},
                  {(*stride)[0], (*stride)[1]},
                  {1, 1},
                  {(*padding)[0], (*padding)[1], (*padding)[0], (*padding)[1]}};
}

Result<Activation> activation(const std::string &name)
{
    static const std::map<std::string, ActivationKind> kinds{{"identity", ActivationKind::None},
                                                             {"relu", ActivationKind::Relu},
                                                             {"sigmoid", ActivationKind::Sigmoid},
                                                             {"tanh", ActivationKind::Tanh}};
    const auto found = kinds.find(name);
    if (found == kinds.end())
        return refused(fmt::format("its activation {} is not one the format has", name),
                       "relu, sigmoid, tanh and identity are possible");
    return Activation{found->second, 0, 0};
}

} // namespace stagecraft::ios
