#include "fuzz/changes.h"

#include <google/protobuf/message.h>
#include <nlohmann/json.hpp>
#include <onnx/onnx_pb.h>
#include <worker.pb.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <vector>

namespace stagecraft::fuzz {
namespace {

using Json = nlohmann::ordered_json;
using google::protobuf::FieldDescriptor;
using ProtoMessage = google::protobuf::Message;

constexpr std::size_t kLargest = std::size_t{64} << 10U; // an input does not grow beyond

void collect(Json &node, std::vector<Json *> &nodes)
{
    if (node.is_structured()) {
        for (Json &child : node)
            collect(child, nodes);
    }
    nodes.push_back(&node);
}

void collect(ProtoMessage &message, std::vector<ProtoMessage *> &messages)
{
    messages.push_back(&message);
    const auto *reflection = message.GetReflection();
    std::vector<const FieldDescriptor *> fields;
    reflection->ListFields(message, &fields);
    for (const FieldDescriptor *field : fields) {
        if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
            continue;
        if (!field->is_repeated())
            collect(*reflection->MutableMessage(&message, field), messages);
        else
            for (int i = 0; i < reflection->FieldSize(message, field); ++i)
                collect(*reflection->MutableRepeatedMessage(&message, field, i), messages);
    }
}

// Values of text and bytes anywhere in it: names that connect its parts.
void collectTexts(const ProtoMessage &message, std::vector<std::string> &texts)
{
    const auto *reflection = message.GetReflection();
    std::vector<const FieldDescriptor *> fields;
    reflection->ListFields(message, &fields);
    for (const FieldDescriptor *field : fields) {
        const int size = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
        for (int i = 0; i < size; ++i) {
            if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
                collectTexts(field->is_repeated() ? reflection->GetRepeatedMessage(message, field, i)
                                                  : reflection->GetMessage(message, field),
                             texts);
            else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING)
                texts.push_back(field->is_repeated() ? reflection->GetRepeatedString(message, field, i)
                                                     : reflection->GetString(message, field));
        }
    }
}

} // namespace

std::size_t Changes::below(std::size_t count)
{
    return count == 0 ? 0 : m_random() % count;
}

std::int64_t Changes::number()
{
    static constexpr std::array kNumbers{std::int64_t{0},
                                         std::int64_t{1},
                                         std::int64_t{-1},
                                         std::int64_t{2},
                                         std::int64_t{3},
                                         std::int64_t{127},
                                         std::int64_t{255},
                                         std::int64_t{1} << 20U,
                                         (std::int64_t{1} << 31U) - 1,
                                         std::int64_t{1} << 31U,
                                         std::int64_t{1} << 40U,
                                         (std::int64_t{1} << 53U) + 1,
                                         std::numeric_limits<std::int64_t>::max(),
                                         std::numeric_limits<std::int64_t>::min()};
    return oneIn(3) ? static_cast<std::int64_t>(below(20)) - 4 : kNumbers[below(kNumbers.size())];
}

std::string Changes::changed(const std::string &input, const std::string &other)
{
    std::string result;
    if (!oneIn(5)) {
        switch (m_form) {
        case Form::Bytes: break;
        case Form::Json: result = changedJson(input, other); break;
        case Form::JsonLines: result = changedLine(input, other); break;
        case Form::Onnx: result = changedMessage<onnx::ModelProto>(input, other); break;
        case Form::Request: result = changedMessage<worker::Request>(input, other); break;
        case Form::Reply: result = changedMessage<worker::Reply>(input, other); break;
        }
    }
    if (result.empty())
        result = changedBytes(input, other);
    result.resize(std::min(result.size(), kLargest));
    return result;
}

std::string Changes::changedBytes(std::string bytes, const std::string &other)
{
    for (std::size_t i = 1 + below(4); i > 0; --i) {
        const std::size_t at = below(bytes.size());
        const std::size_t length = std::min(1 + below(oneIn(4) ? 400 : 8), bytes.size() - at);
        switch (below(7)) {
        case 0: bytes.erase(at, length); break;
        case 1: bytes.insert(at, bytes.substr(below(bytes.size()), length)); break;
        case 2: bytes.insert(at, other.substr(below(other.size()), 1 + below(200))); break;
        case 3: bytes.insert(at, std::to_string(number())); break;
        case 4: bytes.resize(oneIn(8) ? at : bytes.size()); break;
        default:
            for (std::size_t k = at; k < at + length; ++k)
                bytes[k] = static_cast<char>(oneIn(2) ? bytes[k] ^ (1 << below(8)) : static_cast<int>(below(256)));
        }
    }
    return bytes;
}

std::string Changes::changedJson(const std::string &input, const std::string &other)
{
    Json root = Json::parse(input, nullptr, false);
    Json second = Json::parse(other, nullptr, false);
    if (root.is_discarded())
        return {};
    for (std::size_t i = 1 + below(3); i > 0; --i) {
        std::vector<Json *> nodes;
        collect(root, nodes);
        Json &node = *nodes[below(nodes.size())];
        switch (below(9)) {
        case 0: node = number(); break;
        case 1: node = static_cast<double>(number()) * 1.5e-3; break;
        case 2: node = oneIn(2) ? Json(1e308) : Json(-1e-320); break;
        case 3: node = oneIn(2) ? Json() : Json(oneIn(2)); break;
        case 4: node = oneIn(2) ? Json::array() : Json(std::string(below(40), 'n')); break;
        case 5: node = Json(*nodes[below(nodes.size())]); break;
        case 6:
            if (!second.is_discarded()) {
                std::vector<Json *> others;
                collect(second, others);
                node = *others[below(others.size())];
            }
            break;
        case 7:
            if (node.is_structured() && !node.empty())
                node.erase(std::next(node.begin(), static_cast<std::ptrdiff_t>(below(node.size()))));
            break;
        default:
            if (node.is_array() && !node.empty()) {
                const Json again = node[below(node.size())];
                node.insert(node.end(), 1 + below(30), again);
            } else if (node.is_object() && !node.empty()) {
                const auto member = std::next(node.begin(), static_cast<std::ptrdiff_t>(below(node.size())));
                const Json value = member.value();
                node[member.key() + "x"] = value;
            }
        }
    }
    return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string Changes::changedLine(const std::string &input, const std::string &other)
{
    std::vector<std::string> lines;
    for (std::size_t from = 0; from < input.size();) {
        const std::size_t to = std::min(input.find('\n', from), input.size());
        lines.push_back(input.substr(from, to - from));
        from = to + 1;
    }
    if (lines.empty())
        return {};
    std::string &line = lines[oneIn(3) ? 0 : below(lines.size())];
    if (oneIn(6))
        lines.push_back(line);
    else
        line = changedJson(line, other.substr(0, other.find('\n')));
    std::string text;
    for (const std::string &each : lines)
        text += each + '\n';
    return text;
}

template <typename Message>
std::string Changes::changedMessage(const std::string &input, const std::string &other)
{
    Message message;
    Message second;
    if (!message.ParseFromString(input))
        return {};
    if (!second.ParseFromString(other))
        second = message;
    for (std::size_t i = 1 + below(3); i > 0; --i)
        changeField(message, second);
    return message.SerializeAsString();
}

void Changes::changeField(ProtoMessage &root, const ProtoMessage &other)
{
    std::vector<ProtoMessage *> messages;
    collect(root, messages);
    ProtoMessage &message = *messages[below(messages.size())];
    const auto *reflection = message.GetReflection();
    std::vector<const FieldDescriptor *> fields;
    reflection->ListFields(message, &fields);
    if (message.GetDescriptor()->field_count() == 0)
        return;
    if (fields.empty() || oneIn(6)) // one that is not there
        fields = {message.GetDescriptor()->field(
            static_cast<int>(below(static_cast<std::size_t>(message.GetDescriptor()->field_count()))))};
    const FieldDescriptor *field = fields[below(fields.size())];
    if (oneIn(8))
        return reflection->ClearField(&message, field);
    const bool repeated = field->is_repeated();
    const int size = repeated ? reflection->FieldSize(message, field) : 0;
    if (repeated && size > 0 && oneIn(4)) {
        const int last = size - 1;
        reflection->SwapElements(&message, field, static_cast<int>(below(static_cast<std::size_t>(size))), last);
        return oneIn(2) ? reflection->RemoveLast(&message, field) : void();
    }
    const bool add = repeated && (size == 0 || oneIn(4));
    const int at = size == 0 ? 0 : static_cast<int>(below(static_cast<std::size_t>(size)));
    const auto put = [&](auto adding, auto setting, auto alone, const auto &value) {
        if (add)
            (reflection->*adding)(&message, field, value);
        else if (repeated)
            (reflection->*setting)(&message, field, at, value);
        else
            (reflection->*alone)(&message, field, value);
    };
    using R = google::protobuf::Reflection;
    switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
        return put(&R::AddInt32, &R::SetRepeatedInt32, &R::SetInt32, static_cast<std::int32_t>(number()));
    case FieldDescriptor::CPPTYPE_INT64: return put(&R::AddInt64, &R::SetRepeatedInt64, &R::SetInt64, number());
    case FieldDescriptor::CPPTYPE_UINT32:
        return put(&R::AddUInt32, &R::SetRepeatedUInt32, &R::SetUInt32, static_cast<std::uint32_t>(number()));
    case FieldDescriptor::CPPTYPE_UINT64:
        return put(&R::AddUInt64, &R::SetRepeatedUInt64, &R::SetUInt64, static_cast<std::uint64_t>(number()));
    case FieldDescriptor::CPPTYPE_ENUM:
        return put(&R::AddEnumValue, &R::SetRepeatedEnumValue, &R::SetEnumValue, static_cast<int>(below(24)));
    case FieldDescriptor::CPPTYPE_BOOL: return put(&R::AddBool, &R::SetRepeatedBool, &R::SetBool, oneIn(2));
    case FieldDescriptor::CPPTYPE_FLOAT:
        return put(&R::AddFloat, &R::SetRepeatedFloat, &R::SetFloat, static_cast<float>(number()));
    case FieldDescriptor::CPPTYPE_DOUBLE:
        return put(&R::AddDouble, &R::SetRepeatedDouble, &R::SetDouble,
                   oneIn(4) ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(number()));
    case FieldDescriptor::CPPTYPE_STRING: {
        std::vector<std::string> texts{""};
        collectTexts(root, texts);
        collectTexts(other, texts);
        std::string text = texts[below(texts.size())];
        if (oneIn(4))
            text = changedBytes(text + '.', text);
        return put(static_cast<void (R::*)(ProtoMessage *, const FieldDescriptor *, std::string) const>(&R::AddString),
                   static_cast<void (R::*)(ProtoMessage *, const FieldDescriptor *, int, std::string) const>(
                       &R::SetRepeatedString),
                   static_cast<void (R::*)(ProtoMessage *, const FieldDescriptor *, std::string) const>(&R::SetString),
                   text);
    }
    case FieldDescriptor::CPPTYPE_MESSAGE: {
        const std::unique_ptr<ProtoMessage> before(root.New());
        before->CopyFrom(root); // a member of a oneof takes the place of another one
        const std::unique_ptr<ProtoMessage> second(other.New());
        second->CopyFrom(other);
        ProtoMessage *made = add        ? reflection->AddMessage(&message, field)
                             : repeated ? reflection->MutableRepeatedMessage(&message, field, at)
                                        : reflection->MutableMessage(&message, field);
        std::vector<ProtoMessage *> alike; // of the same kind, here or in the other input
        collect(*before, alike);
        collect(*second, alike);
        std::erase_if(alike, [&](const ProtoMessage *each) { return each->GetDescriptor() != made->GetDescriptor(); });
        if (!alike.empty())
            made->CopyFrom(*alike[below(alike.size())]);
    }
    }
}

} // namespace stagecraft::fuzz
