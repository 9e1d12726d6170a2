#pragma once

// Records as messages with fields of the same names, by reflection. Lists and messages within are left to the caller.
// Internal to this folder.

#include "support/records/record.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <type_traits>

namespace stagecraft::worker {

template <Record T>
void writeMembers(const T &record, google::protobuf::Message &message)
{
    const auto *reflection = message.GetReflection();
    eachMember(record, [&]<typename Value>(const Field &field, const Value &value, bool = true) {
        const auto *to = message.GetDescriptor()->FindFieldByName(std::string(field.columnName()));
        if constexpr (std::is_same_v<Value, std::string>)
            reflection->SetString(&message, to, value);
        else if constexpr (std::is_same_v<Value, bool>)
            reflection->SetBool(&message, to, value);
        else if constexpr (std::is_same_v<Value, double>)
            reflection->SetDouble(&message, to, value);
        else if constexpr (std::is_same_v<Value, int> || std::is_enum_v<Value>)
            reflection->SetInt32(&message, to, static_cast<int>(value));
    });
}

// Enumerators are left to the caller, who knows which there are.
template <Record T>
void readMembers(const google::protobuf::Message &message, T &record)
{
    const auto *reflection = message.GetReflection();
    eachMember(record, [&]<typename Value>(const Field &field, Value &value, bool = true) {
        const auto *from = message.GetDescriptor()->FindFieldByName(std::string(field.columnName()));
        if constexpr (std::is_same_v<Value, std::string>)
            value = reflection->GetString(message, from);
        else if constexpr (std::is_same_v<Value, bool>)
            value = reflection->GetBool(message, from);
        else if constexpr (std::is_same_v<Value, double>)
            value = reflection->GetDouble(message, from);
        else if constexpr (std::is_same_v<Value, int>)
            value = reflection->GetInt32(message, from);
    });
}

} // namespace stagecraft::worker
