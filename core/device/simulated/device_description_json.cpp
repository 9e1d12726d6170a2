// Device descriptions as JSON (declared in device_description.h).

#include "device/simulated/device_description.h"
#include "device/simulated/device_judgement_json.h"
#include "device/simulated/device_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

namespace stagecraft {

namespace {

using Json = nlohmann::ordered_json;
using D = DeviceDescription;

struct TextField {
    const char *key;
    std::string DeviceDescription::*member;
    bool needed;
};
constexpr std::array kTexts{TextField{"name", &D::name, true}, TextField{"title", &D::title, true},
                            TextField{"calibration", &D::calibration, false}, TextField{"sources", &D::sources, false}};

constexpr const char *kLaunches = "launches";

std::string knownKeys()
{
    std::string keys = std::string("format, version, ") + kLaunches;
    for (const TextField &field : kTexts)
        keys += std::string(", ") + field.key;
    for (const DeviceNumber &number : deviceNumbers())
        keys += ", " + std::string(number.key);
    return keys + ", " + kJudgedKey;
}

bool isKnown(const std::string &key)
{
    return key == "format" || key == "version" || key == kJudgedKey || key == kLaunches ||
           std::ranges::find(kTexts, key, &TextField::key) != kTexts.end() ||
           std::ranges::find(deviceNumbers(), key, &DeviceNumber::key) != deviceNumbers().end();
}

std::string lineAndColumn(std::string_view text, std::size_t byte)
{
    const std::string_view before = text.substr(0, std::min(text.size(), byte == 0 ? 0 : byte - 1));
    const auto line = std::ranges::count(before, '\n') + 1;
    const std::size_t lineStart = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    return fmt::format("line {}, column {}", line, before.size() - lineStart + 1);
}

// The value in the file, shortened.
std::string quoted(const Json &value)
{
    constexpr std::size_t kLongest = 40;
    std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (text.size() > kLongest)
        text = text.substr(0, kLongest) + "...";
    return text;
}

Result<Json> parse(std::string_view text)
{
    constexpr int kDeepest = 8; // deeper entries are not kept: endless nesting must not exhaust the stack
    std::set<std::string> seen;
    std::string twice;
    bool tooDeep = false;
    const auto watch = [&](int depth, Json::parse_event_t event, Json &parsed) {
        if (event == Json::parse_event_t::key && depth == 1 && !seen.insert(parsed.get<std::string>()).second)
            twice = parsed.get<std::string>();
        const bool opens = event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
        tooDeep = tooDeep || (opens && depth > kDeepest);
        return !tooDeep;
    };
    try {
        Json json = Json::parse(text, watch);
        if (tooDeep)
            return fail(ErrorCode::InvalidInput, "an entry has nested lists",
                        "Every entry of a device but judged is text or a number");
        if (!twice.empty())
            return fail(ErrorCode::InvalidInput, twice + " occurs twice", "Keep one of them");
        return json;
    } catch (const Json::parse_error &error) {
        return fail(ErrorCode::InvalidInput, "this is not JSON: " + lineAndColumn(text, error.byte),
                    "JSON has no NaN, no comments, and no comma after the last entry");
    } catch (const Json::exception &) { // a number too large for a double
        return fail(ErrorCode::InvalidInput, "a number is too large", "Every number of a device has a range");
    }
}

Result<std::string> readText(const Json &json, const TextField &field)
{
    const auto found = json.find(field.key);
    if (found == json.end() && !field.needed)
        return std::string();
    const std::string remedy = fmt::format(R"(Write "{}": "...")", field.key);
    if (found == json.end())
        return fail(ErrorCode::InvalidInput, std::string(field.key) + " is missing", remedy);
    if (!found->is_string())
        return fail(ErrorCode::InvalidInput, fmt::format("{} is {}, not text", field.key, quoted(*found)), remedy);
    if (field.needed && found->get_ref<const std::string &>().empty())
        return fail(ErrorCode::InvalidInput, std::string(field.key) + " is empty", remedy);
    return found->get<std::string>();
}

Result<double> readNumber(const Json &json, const DeviceNumber &number)
{
    const std::string key(number.key);
    const auto found = json.find(key);
    if (found == json.end() && !number.needed)
        return 0.0;
    if (found == json.end())
        return fail(ErrorCode::InvalidInput, key + " is missing", wantedText(number));
    if (!found->is_number())
        return fail(ErrorCode::InvalidInput, fmt::format("{} is {}, not a number", key, quoted(*found)),
                    wantedText(number) + ", without quotation marks and without its unit");
    const double value = found->get<double>();
    if (const Result<void> checked = checkNumber(number, value); !checked)
        return tl::unexpected(checked.error());
    return value;
}

Result<Launches> readLaunches(const Json &json, const DeviceDescription &description)
{
    const Json value = json.value(kLaunches, Json("host"));
    if (value != "host" && value != "graph")
        return fail(ErrorCode::InvalidInput, fmt::format("{} is {}", kLaunches, quoted(value)),
                    R"(Write "host", one launch at a time, or "graph", the whole schedule as one CUDA graph)");
    if (value == "graph" && description.graphKernelUs == 0)
        return fail(ErrorCode::InvalidInput, "launches is graph, but graph_kernel_us is missing",
                    "Give the cost of a kernel in a CUDA graph in us, or leave launches out");
    return value == "host" ? Launches::Host : Launches::Graph;
}

} // namespace

Result<DeviceDescription> deviceDescriptionFromJson(std::string_view text)
{
    TRY_AS(const auto json, parse(text));
    if (!json.is_object() || json.value("format", Json()) != "stagecraft-device")
        return fail(ErrorCode::InvalidInput, "this is not a device description",
                    "A description has \"format\": \"stagecraft-device\"");
    if (json.value("version", Json()) != 1)
        return fail(ErrorCode::InvalidInput, "version is " + quoted(json.value("version", Json())),
                    "This program reads version 1");
    for (const auto &[key, value] : json.items()) {
        if (!isKnown(key))
            return fail(ErrorCode::InvalidInput, "the key " + key + " is not known", "Known are " + knownKeys());
    }
    DeviceDescription description;
    for (const TextField &field : kTexts) {
        TRY_AS(auto read, readText(json, field));
        description.*field.member = std::move(read);
    }
    if (description.name.find('*') != std::string::npos)
        return fail(ErrorCode::InvalidInput, "name is " + description.name,
                    "Choose a name without *, which marks changed devices");
    for (const DeviceNumber &number : deviceNumbers()) {
        TRY_AS(const auto read, readNumber(json, number));
        description.*number.member = read;
    }
    TRY_AS(description.launches, readLaunches(json, description));
    TRY_AS(description.judgements, judgementsFrom(json, description));
    return description;
}

std::string toJson(const DeviceDescription &description)
{
    Json json;
    json["format"] = "stagecraft-device";
    json["version"] = 1;
    for (const TextField &field : kTexts) {
        if (field.needed || !(description.*field.member).empty())
            json[field.key] = description.*field.member;
    }
    if (description.launches == Launches::Graph)
        json[kLaunches] = "graph";
    for (const DeviceNumber &number : deviceNumbers()) {
        const double value = description.*number.member;
        if (number.whole || value == std::floor(value)) // the range of every number is within that of integers
            json[std::string(number.key)] = static_cast<std::int64_t>(value);
        else
            json[std::string(number.key)] = value;
    }
    if (!description.judgements.empty())
        json[kJudgedKey] = jsonOfJudgements(description);
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string deviceFileText(DeviceDescription description, const std::string &path)
{
    std::string name = std::filesystem::path(path).stem().string();
    std::erase(name, '*');
    const auto &builtIn = builtInDeviceDescriptions();
    if (name.empty() || std::ranges::find(builtIn, name, &D::name) != builtIn.end())
        name = "my-" + name;
    description.name = name;
    return toJson(description);
}

} // namespace stagecraft
