#pragma once

// The events of a trace in Chrome's trace event format, one after the other, without a tree of the whole text: a trace
// of 100 MB has some hundred thousand. Numbers keep their digits, so that times become whole nanoseconds.
// Source: the Trace Event Format of Chrome; JSON as of RFC 8259.

#include "support/result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::profiles {

inline constexpr std::int64_t kLargestNs = std::int64_t{1} << 61; // sums of two fit

// A value as text: of a string its characters, of a number its digits, of a list or object its JSON.
struct EventValue {
    enum class Kind { Null, Bool, Number, Text, Nested };

    Kind kind = Kind::Null;
    std::string text;

    [[nodiscard]] bool isNumber() const { return kind == Kind::Number; }
    [[nodiscard]] std::optional<std::int64_t> integer() const; // also of a text that is a whole number
    [[nodiscard]] std::optional<double> real() const;
    // A number of units of `unitNs` nanoseconds, rounded to whole ones. Empty: no number, or out of range.
    [[nodiscard]] std::optional<std::int64_t> nanoseconds(std::int64_t unitNs) const;
    [[nodiscard]] std::vector<std::int64_t> integers() const;                     // [8, 16, 5]
    [[nodiscard]] std::vector<std::vector<std::int64_t>> listsOfIntegers() const; // lists within it, one level down
};

// The first text in a list or object; empty where there is none.
[[nodiscard]] std::string firstText(const EventValue &value);

// The members of an event, and of its `args`.
class EventMembers {
public:
    [[nodiscard]] const EventValue *find(std::string_view key) const;
    [[nodiscard]] const std::string &text(std::string_view key) const; // empty where there is none
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key) const;
    [[nodiscard]] std::optional<std::int64_t> nanoseconds(std::string_view key, std::int64_t unitNs) const;

    void clear() { m_size = 0; }
    EventValue &add(std::string_view key);
    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] const std::pair<std::string, EventValue> &at(std::size_t i) const { return m_members[i]; }

private:
    std::vector<std::pair<std::string, EventValue>> m_members; // those behind m_size keep their memory
    std::size_t m_size = 0;
};

struct TraceEvent {
    EventMembers members;
    EventMembers args;
    std::size_t number = 0; // in the trace, from 1

    [[nodiscard]] const std::string &name() const { return members.text("name"); }
    [[nodiscard]] const std::string &category() const { return members.text("cat"); }
    [[nodiscard]] const std::string &phase() const { return members.text("ph"); }
};

// Calls for each event of the list with that key, or where it is empty of the list that the text is; what the trace
// says outside of its events is returned, by key. Errors, also those of `onEvent`, name the line; Cancelled.
[[nodiscard]] Result<std::map<std::string, EventValue>>
readTraceEvents(std::string_view text, std::string_view listKey, const std::stop_token &stop,
                const std::function<Result<void>(TraceEvent &)> &onEvent);

// "line 12" of a place in a text.
[[nodiscard]] std::string lineOf(std::string_view text, std::size_t byte);

} // namespace stagecraft::profiles
