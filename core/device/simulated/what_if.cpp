// Devices with changed numbers, and their names (declared in device_description.h).

#include "device/simulated/device_description.h"
#include "device/simulated/device_text.h"
#include "support/closest_name.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>

namespace stagecraft {

namespace {

tl::unexpected<Error> unknownNumber(const std::string &key)
{
    std::vector<std::string> keys;
    for (const DeviceNumber &number : deviceNumbers())
        keys.emplace_back(number.key);
    return fail(ErrorCode::WrongUse, "a device has no number called " + key,
                didYouMean(key, keys) + "Its numbers are " + listed(keys));
}

Result<std::pair<std::string, double>> readChange(std::string_view text)
{
    const std::size_t equals = text.find('=');
    double value = 0;
    const char *end = text.data() + text.size();
    const bool complete = equals != std::string_view::npos && equals + 1 < text.size();
    const auto read = complete ? std::from_chars(text.data() + equals + 1, end, value) : std::from_chars_result{};
    if (!complete || read.ec != std::errc() || read.ptr != end)
        return fail(ErrorCode::WrongUse, fmt::format("\"{}\" changes no number of a device", text),
                    "Write changes like v100*sm_count=40,dram_gb_per_second=1800");
    return std::pair{std::string(text.substr(0, equals)), value};
}

} // namespace

Result<DeviceDescription> withChanges(DeviceDescription description, std::span<const DeviceChange> changes)
{
    constexpr int kInTitle = 2;
    std::string changed;
    std::string title;
    int count = 0;
    for (const auto &[key, value] : changes) {
        const auto number = std::ranges::find(deviceNumbers(), key, &DeviceNumber::key);
        if (number == deviceNumbers().end())
            return unknownNumber(key);
        if (Result<void> checked = checkNumber(*number, value); !checked)
            return tl::unexpected(checked.error());
        if (description.*number->member == value)
            continue;
        changed += fmt::format("{}{} = {} instead of {}", changed.empty() ? "" : ", ", key, plain(value),
                               plain(description.*number->member));
        description.*number->member = value;
        if (++count <= kInTitle)
            title += (title.empty() ? " with " : ", ") + spoken(*number, value);
    }
    if (count > kInTitle)
        title += fmt::format(" and {} more", count - kInTitle);
    if (!changed.empty()) {
        description.name += "*";
        description.judgements.clear();
        description.title += title;
        description.calibration += (description.calibration.empty() ? "" : "; ") + ("changed by hand: " + changed);
    }
    return description;
}

std::string whatIfName(const WhatIf &whatIf)
{
    std::string name = whatIf.original;
    for (const auto &[key, value] : whatIf.changes)
        name += fmt::format("{}{}={}", name.size() == whatIf.original.size() ? "*" : ",", key, plain(value));
    return name;
}

Result<WhatIf> readWhatIfName(const std::string &name)
{
    std::error_code error;
    const std::size_t star = name.rfind('*');
    if (star == std::string::npos || std::filesystem::is_regular_file(name, error))
        return WhatIf{name, {}};
    WhatIf whatIf{name.substr(0, star), {}};
    for (std::size_t from = star + 1; from <= name.size();) {
        const std::size_t comma = std::min(name.find(',', from), name.size());
        TRY_AS(auto change, readChange(std::string_view(name).substr(from, comma - from)));
        whatIf.changes.push_back(std::move(change));
        from = comma + 1;
    }
    return whatIf;
}

} // namespace stagecraft
