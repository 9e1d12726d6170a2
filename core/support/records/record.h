#pragma once

// A record is a value whose members are declared once, with key, unit and meaning, for everything that writes, reads or
// lists them: JSON (json_record.h), rows (measure/store), messages (device/worker/protocol) and help (key_list.h). The
// declaration is a function, in NAME_record.h where the header of the type is widely included:
//
//   void eachMember(Of<Timing> auto &timing, auto &&visit)
//   {
//       visit({"latency_us", "the latency itself", Unit::Us}, timing.latencyUs);
//       visit({"runs", "how often it was run", Unit::Count}, timing.runs, timing.hasSpread());
//   }
//
// The third argument says whether the member is known; without it, it always is. An empty std::optional is null. The
// key "*" stands for the names in a map, which become members themselves. A record that is only written may visit what
// it computes; keys are listed by visiting a default-constructed one. Of two visits with one key the first counts for
// the list, the second for the value.

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace stagecraft {

// Of numbers.
enum class Unit {
    None,
    Count,
    Us,
    Seconds,
    MHz,
    Flop,
    Bytes,
    Times,
    Share,
    Percent,
    Index,   // from 0
    Number,  // from 1
    InKey,   // the key of each names its own
    UsByKey, // us, though the key does not end in it
    OfFigure,
    OfCounter,
};

[[nodiscard]] constexpr std::string_view toString(Unit unit)
{
    switch (unit) {
    case Unit::None: break;
    case Unit::Count: return "count";
    case Unit::Us: return "us";
    case Unit::Seconds: return "s";
    case Unit::MHz: return "MHz";
    case Unit::Flop: return "FLOP";
    case Unit::Bytes: return "bytes";
    case Unit::Times: return "times";
    case Unit::Share: return "share";
    case Unit::Percent: return "percent";
    case Unit::Index: return "index from 0";
    case Unit::Number: return "number from 1";
    case Unit::InKey: return "number, unit in the key";
    case Unit::UsByKey: return "number in us";
    case Unit::OfFigure: return "number in the unit of the figure";
    case Unit::OfCounter: return "number in the unit of the counter";
    }
    return "";
}

struct Field {
    std::string_view key = {};    // in JSON; empty: it is not in JSON
    std::string_view means = {};  // for help; empty: its members say it, or it is not for people
    Unit unit = Unit::None;       // of a number
    std::string_view column = {}; // in SQLite and in messages, where it is not the key
    bool isRequired = false;      // when it is read

    [[nodiscard]] constexpr Field required() const { return {key, means, unit, column, true}; }
    [[nodiscard]] constexpr std::string_view columnName() const { return column.empty() ? key : column; }
};

template <typename T, typename Value>
concept Of = std::same_as<std::remove_const_t<T>, Value>;

template <typename T>
concept Record = requires(T &value)
{
    eachMember(value, [](const Field &, auto &&, bool = true) {});
};

// The name of an object that has its own place in help; empty: its keys are listed where it is.
template <typename T>
inline constexpr std::string_view kPartName{};

// The words of an enumeration, `table`; one without is written as toString() has it, and not read.
template <typename Enum>
struct Words {
};
template <typename Enum>
struct Word {
    Enum value;
    std::string_view text;
};
template <typename T>
concept HasWords = requires
{
    Words<T>::table;
};

// A number that is null in JSON where it has one value: infinity, which JSON lacks, or one that says "not known".
template <typename Number>
struct NullIf {
    Number &number; // const or not
    std::remove_const_t<Number> value;
};
template <typename Number, typename Value>
NullIf(Number &, Value) -> NullIf<Number>;

// Zero in JSON where there is none.
template <typename Optional>
struct ZeroIfEmpty {
    Optional &number; // const or not
};
template <typename Optional>
ZeroIfEmpty(Optional &) -> ZeroIfEmpty<Optional>;

// In lists of keys (key_list.h). "blocks[].states?": the key `states`, which may be absent, in each element of the list
// `blocks`. "*" stands for any name. The kind is a JSON type ("text", "true or false", "list", "object"), the unit of a
// number, or "part NAME" for an object that several answers share; "or null" may follow.
struct JsonKey {
    std::string path;
    std::string kind;
    std::string meaning;
};

} // namespace stagecraft
