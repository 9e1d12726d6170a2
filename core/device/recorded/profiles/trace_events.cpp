#include "device/recorded/profiles/trace_events.h"

#include "support/records/json_fault.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace stagecraft::profiles {
namespace {

template <typename T>
std::optional<T> whole(std::string_view text)
{
    T number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// A decimal number without exponent, in units of `unitNs`.
std::optional<std::int64_t> decimalNs(std::string_view text, std::int64_t unitNs)
{
    constexpr std::size_t kDigits = 9; // of the fraction; those after them are less than a nanosecond
    const bool isNegative = text.starts_with('-');
    if (isNegative)
        text.remove_prefix(1);
    const std::size_t point = std::min(text.find('.'), text.size());
    const auto units = whole<std::int64_t>(text.substr(0, point));
    if (!units || *units < 0 || *units > kLargestNs / unitNs)
        return std::nullopt;
    std::int64_t ns = *units * unitNs;
    if (point < text.size()) {
        const std::string_view digits = text.substr(point + 1, kDigits);
        const auto fraction = whole<std::int64_t>(digits);
        if (!fraction || *fraction < 0)
            return std::nullopt;
        std::int64_t one = 1;
        for (std::size_t i = 0; i < digits.size(); ++i)
            one *= 10;
        ns += (*fraction * unitNs + one / 2) / one;
    }
    return isNegative ? -ns : ns;
}

// Walks over a text and tells how far it is.
class ToldIterator {
public:
    using iterator_category = std::input_iterator_tag; // NOLINT: as the standard names them
    using value_type = char;                           // NOLINT
    using difference_type = std::ptrdiff_t;            // NOLINT
    using pointer = const char *;                      // NOLINT
    using reference = const char &;                    // NOLINT

    ToldIterator(const char *at, const char **told) : m_at(at), m_told(told) {}

    const char &operator*() const { return *m_at; }
    ToldIterator &operator++()
    {
        *m_told = ++m_at;
        return *this;
    }
    friend bool operator==(const ToldIterator &a, const ToldIterator &b) { return a.m_at == b.m_at; }

private:
    const char *m_at;
    const char **m_told;
};

class EventParser final : public nlohmann::json_sax<nlohmann::json> {
public:
    EventParser(std::string_view listKey, const std::stop_token &stop,
                const std::function<Result<void>(TraceEvent &)> &onEvent)
        : m_listKey(listKey), m_stop(stop), m_onEvent(onEvent)
    {
    }

    bool null() override { return scalar(EventValue::Kind::Null, "null"); }
    bool boolean(bool value) override { return scalar(EventValue::Kind::Bool, value ? "true" : "false"); }
    bool number_integer(number_integer_t value) override { return number(value); }
    bool number_unsigned(number_unsigned_t value) override { return number(value); }
    bool number_float(number_float_t /*value*/, const string_t &digits) override
    {
        return scalar(EventValue::Kind::Number, digits);
    }
    bool string(string_t &text) override
    {
        return m_depth > 0 ? nest(quoted(text)) : scalar(EventValue::Kind::Text, text);
    }
    bool binary(binary_t & /*bytes*/) override { return false; } // not in JSON

    bool key(string_t &key) override
    {
        if (m_depth > 0) {
            nest(quoted(key));
            *m_nested += ':';
            return true;
        }
        m_key = key;
        return true;
    }

    bool start_object(std::size_t /*elements*/) override
    {
        if (m_depth > 0)
            return open('{');
        switch (m_place) {
        case Place::Start: return m_listKey.empty() ? notAList() : enter(Place::Top);
        case Place::Top: return beginNested(m_outside[m_key], '{');
        case Place::List:
            m_event.members.clear();
            m_event.args.clear();
            ++m_event.number;
            return enter(Place::Event);
        case Place::Event: return m_key == "args" ? enter(Place::Args) : beginNested(m_event.members.add(m_key), '{');
        case Place::Args: return beginNested(m_event.args.add(m_key), '{');
        }
        return false;
    }

    bool end_object() override
    {
        if (m_depth > 0)
            return close('}');
        switch (m_place) {
        case Place::Args: return enter(Place::Event);
        case Place::Event: return finishEvent() && enter(Place::List);
        default: return true;
        }
    }

    bool start_array(std::size_t /*elements*/) override
    {
        if (m_depth > 0)
            return open('[');
        switch (m_place) {
        case Place::Start: return m_listKey.empty() ? enterList() : notAList();
        case Place::Top: return m_key == m_listKey ? enterList() : beginNested(m_outside[m_key], '[');
        case Place::List: return notAnEvent();
        case Place::Event: return beginNested(m_event.members.add(m_key), '[');
        case Place::Args: return beginNested(m_event.args.add(m_key), '[');
        }
        return false;
    }

    bool end_array() override { return m_depth > 0 ? close(']') : enter(Place::Top); }

    bool parse_error(std::size_t /*byte*/, const std::string & /*token*/,
                     const nlohmann::detail::exception &fault) override
    {
        m_error = refused(jsonFault(fault)).value();
        return false;
    }

    [[nodiscard]] Error error() const { return m_error.value_or(refused("it is not JSON").value()); }
    [[nodiscard]] bool hasList() const { return m_hasList; }
    std::map<std::string, EventValue> takeOutside() { return std::move(m_outside); }

private:
    enum class Place { Start, Top, List, Event, Args };

    bool enter(Place place)
    {
        m_place = place;
        return true;
    }
    bool enterList()
    {
        m_hasList = true;
        return enter(Place::List);
    }
    bool notAList() { return failWith("it is no list of events"); }
    bool notAnEvent() { return failWith(fmt::format("event {} is not an object", m_event.number + 1)); }
    bool failWith(std::string reason)
    {
        m_error = refused(std::move(reason)).value();
        return false;
    }

    template <typename T>
    bool number(T value)
    {
        std::array<char, 24> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        return scalar(EventValue::Kind::Number, std::string_view(digits.data(), end));
    }

    bool scalar(EventValue::Kind kind, std::string_view text)
    {
        if (m_depth > 0)
            return nest(text);
        switch (m_place) {
        case Place::Start: return notAList();
        case Place::List: return notAnEvent();
        case Place::Top: return set(m_outside[m_key], kind, text);
        case Place::Event: return set(m_event.members.add(m_key), kind, text);
        case Place::Args: return set(m_event.args.add(m_key), kind, text);
        }
        return false;
    }
    static bool set(EventValue &value, EventValue::Kind kind, std::string_view text)
    {
        value.kind = kind;
        value.text = text;
        return true;
    }

    static std::string quoted(const std::string &text) { return nlohmann::json(text).dump(); }

    // The text of what lies within a member is put together again.
    bool nest(std::string_view text)
    {
        if (const char last = m_nested->back(); last != '[' && last != '{' && last != ':')
            *m_nested += ',';
        *m_nested += text;
        return true;
    }
    bool beginNested(EventValue &value, char bracket)
    {
        m_nested = &value.text;
        value.kind = EventValue::Kind::Nested;
        value.text = bracket;
        m_depth = 1;
        return true;
    }
    bool open(char bracket)
    {
        constexpr int kDeepest = 64;
        if (++m_depth > kDeepest)
            return failWith(fmt::format("event {} is nested too deeply", m_event.number));
        return nest(std::string_view(&bracket, 1));
    }
    bool close(char bracket)
    {
        *m_nested += bracket;
        --m_depth;
        return true;
    }

    bool finishEvent()
    {
        constexpr std::size_t kBetweenLooks = 1024;
        if (m_event.number % kBetweenLooks == 0 && m_stop.stop_requested()) {
            m_error = fail(ErrorCode::Cancelled, "cancelled").value();
            return false;
        }
        auto read = m_onEvent(m_event);
        if (!read)
            m_error = std::move(read.error());
        return read.has_value();
    }

    std::string_view m_listKey;
    const std::stop_token &m_stop;
    const std::function<Result<void>(TraceEvent &)> &m_onEvent;
    Place m_place = Place::Start;
    std::string m_key;
    TraceEvent m_event;
    std::map<std::string, EventValue> m_outside;
    std::string *m_nested = nullptr;
    int m_depth = 0; // within a member
    bool m_hasList = false;
    std::optional<Error> m_error;
};

} // namespace

std::optional<std::int64_t> EventValue::integer() const
{
    return kind == Kind::Number || kind == Kind::Text ? whole<std::int64_t>(text) : std::nullopt;
}

std::optional<double> EventValue::real() const
{
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool isRead = error == std::errc() && end == text.data() + text.size() && std::isfinite(number);
    return kind == Kind::Number && isRead ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> EventValue::nanoseconds(std::int64_t unitNs) const
{
    if (kind != Kind::Number)
        return std::nullopt;
    if (text.find_first_of("eE") == std::string::npos)
        return decimalNs(text, unitNs);
    const auto number = real();
    const double ns = number.value_or(0) * static_cast<double>(unitNs);
    return number && std::abs(ns) < static_cast<double>(kLargestNs) ? std::optional(std::llround(ns)) : std::nullopt;
}

std::vector<std::int64_t> EventValue::integers() const
{
    const auto lists = EventValue{kind, '[' + text + ']'}.listsOfIntegers();
    return lists.size() == 1 ? lists.front() : std::vector<std::int64_t>();
}

std::vector<std::vector<std::int64_t>> EventValue::listsOfIntegers() const
{
    std::vector<std::vector<std::int64_t>> lists;
    if (kind != Kind::Nested)
        return lists;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') { // its quotes were escaped when it was written
            for (++i; i < text.size() && text[i] != '"'; ++i)
                i += text[i] == '\\' ? 1 : 0;
        } else if (c == '[' && ++depth == 2) {
            lists.emplace_back();
        } else if (c == ']') {
            --depth;
        } else if (depth == 2 && (c == '-' || (c >= '0' && c <= '9'))) {
            const std::size_t end = std::min(text.find_first_of(",]", i), text.size());
            if (const auto number = whole<std::int64_t>(std::string_view(text).substr(i, end - i)))
                lists.back().push_back(*number);
            i = end - 1;
        }
    }
    return lists;
}

std::string firstText(const EventValue &value)
{
    const std::size_t begin = value.kind == EventValue::Kind::Nested ? value.text.find('"') : std::string::npos;
    const std::size_t end = begin == std::string::npos ? begin : value.text.find('"', begin + 1);
    return end == std::string::npos ? std::string() : value.text.substr(begin + 1, end - begin - 1);
}

const EventValue *EventMembers::find(std::string_view key) const
{
    for (std::size_t i = 0; i < m_size; ++i) {
        if (m_members[i].first == key)
            return &m_members[i].second;
    }
    return nullptr;
}

const std::string &EventMembers::text(std::string_view key) const
{
    static const std::string kNone;
    const EventValue *value = find(key);
    return value ? value->text : kNone;
}

std::optional<std::int64_t> EventMembers::integer(std::string_view key) const
{
    const EventValue *value = find(key);
    return value ? value->integer() : std::nullopt;
}

std::optional<std::int64_t> EventMembers::nanoseconds(std::string_view key, std::int64_t unitNs) const
{
    const EventValue *value = find(key);
    return value ? value->nanoseconds(unitNs) : std::nullopt;
}

EventValue &EventMembers::add(std::string_view key)
{
    if (m_size == m_members.size())
        m_members.emplace_back();
    auto &[name, value] = m_members[m_size++];
    name = key;
    return value;
}

std::string lineOf(std::string_view text, std::size_t byte)
{
    return fmt::format("line {}", 1 + std::ranges::count(text.substr(0, byte), '\n'));
}

Result<std::map<std::string, EventValue>> readTraceEvents(std::string_view text, std::string_view listKey,
                                                          const std::stop_token &stop,
                                                          const std::function<Result<void>(TraceEvent &)> &onEvent)
{
    EventParser parser(listKey, stop, onEvent);
    const char *told = text.data();
    const ToldIterator begin(text.data(), &told);
    const ToldIterator end(text.data() + text.size(), &told);
    if (!nlohmann::json::sax_parse(begin, end, &parser)) {
        Error error = parser.error();
        if (error.code == ErrorCode::Cancelled)
            return tl::unexpected(std::move(error));
        const auto read = static_cast<std::size_t>(told - text.data()); // the last may be behind what is wrong
        return within(lineOf(text, read > 0 ? read - 1 : 0), std::move(error));
    }
    if (!parser.hasList())
        return refused(fmt::format("\"{}\" is missing", listKey));
    return parser.takeOutside();
}

} // namespace stagecraft::profiles
