#include "simulate/device_description.h"

#include "simulate/embedded_devices.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace stagecraft {

namespace {

using D = DeviceDescription;

constexpr std::array kNumbers{
    DeviceNumber{"sm_count", "SMs", "", 1, 1024, true, &D::smCount},
    DeviceNumber{"sm_clock_mhz", "SM clock", "MHz", 50, 10000, false, &D::smClockMhz},
    DeviceNumber{"fp32_fma_per_clock_per_sm", "FP32 FMA per clock and SM", "", 1, 4096, true, &D::fp32FmaPerClockPerSm},
    DeviceNumber{"fp16_fma_per_clock_per_sm", "FP16 FMA per clock and SM", "", 1, 8192, true, &D::fp16FmaPerClockPerSm},
    DeviceNumber{"tensor_fma_per_clock_per_sm", "FP16 tensor FMA per clock and SM", "", 0, 65536, true,
                 &D::tensorFmaPerClockPerSm},
    DeviceNumber{"max_blocks_per_sm", "Resident blocks per SM", "", 1, 64, true, &D::maxBlocksPerSm},
    DeviceNumber{"max_warps_per_sm", "Resident warps per SM", "warps", 8, 256, true, &D::maxWarpsPerSm},
    DeviceNumber{"registers_per_sm", "Registers per SM", "", 32768, 1048576, true, &D::registersPerSm},
    DeviceNumber{"shared_memory_per_sm_kib", "Shared memory per SM", "KiB", 48, 4096, false, &D::sharedMemoryPerSmKib},
    DeviceNumber{"l2_kib", "L2 cache", "KiB", 64, 4194304, false, &D::l2Kib},
    DeviceNumber{"l2_gb_per_second", "L2 bandwidth", "GB/s", 10, 200000, false, &D::l2GbPerSecond},
    DeviceNumber{"dram_gb_per_second", "DRAM bandwidth", "GB/s", 1, 100000, false, &D::dramGbPerSecond},
    DeviceNumber{"launch_us", "Host time per launch", "us", 0, 1000, false, &D::launchUs},
    DeviceNumber{"cudnn_call_us", "Host time per cuDNN call", "us", 0, 1000, false, &D::cudnnCallUs},
    DeviceNumber{"kernel_ramp_us", "Ramp and drain of a kernel", "us", 0, 1000, false, &D::kernelRampUs},
    DeviceNumber{"barrier_us", "Barrier", "us", 0, 1000, false, &D::barrierUs},
    DeviceNumber{"saturating_warps_per_sm", "Warps that saturate an SM", "warps", 1, 64, false,
                 &D::saturatingWarpsPerSm},
    DeviceNumber{"gemm_efficiency", "GEMM efficiency", "", 0.001, 1, false, &D::gemmEfficiency},
    DeviceNumber{"winograd_efficiency", "Winograd efficiency", "", 0.001, 1, false, &D::winogradEfficiency},
    DeviceNumber{"depthwise_efficiency", "Depthwise efficiency", "", 0.001, 1, false, &D::depthwiseEfficiency},
    DeviceNumber{"dram_efficiency", "DRAM efficiency", "", 0.001, 1, false, &D::dramEfficiency},
};

constexpr std::array<std::string_view, 6> kTexts{"format", "version", "name", "title", "calibration", "sources"};

// In full and without an exponent, so that it reads back as the same number.
std::string plain(double value)
{
    std::array<char, 400> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    return {text.data(), end.ptr};
}

Result<void> checkNumber(const DeviceNumber &number, double value)
{
    const std::string key(number.key);
    if (!(value >= number.minimum && value <= number.maximum))
        return fail(ErrorCode::InvalidInput, key + " is " + plain(value),
                    "give a number from " + plain(number.minimum) + " to " + plain(number.maximum));
    if (number.whole && value != std::floor(value))
        return fail(ErrorCode::InvalidInput, key + " is " + plain(value), "give a whole number");
    return {};
}

Result<std::string> readText(const nlohmann::json &json, const char *key, bool needed)
{
    const auto found = json.find(key);
    if (found == json.end() && !needed)
        return std::string();
    if (found == json.end() || !found->is_string() || found->get_ref<const std::string &>().empty())
        return fail(ErrorCode::InvalidInput, std::string(key) + " is missing or not a text");
    return found->get<std::string>();
}

Result<DeviceDescription> read(const nlohmann::json &json)
{
    if (!json.is_object() || json.value("format", nlohmann::json()) != "stagecraft-device")
        return fail(ErrorCode::InvalidInput, "this is not a device description",
                    "a description starts with \"format\": \"stagecraft-device\"");
    if (json.value("version", nlohmann::json()) != 1)
        return fail(ErrorCode::InvalidInput, "version is not 1");
    for (const auto &[key, value] : json.items()) {
        const bool known = std::ranges::find(kTexts, key) != kTexts.end() ||
                           std::ranges::find(kNumbers, key, &DeviceNumber::key) != kNumbers.end();
        if (!known)
            return fail(ErrorCode::InvalidInput, "unknown key " + key);
    }

    DeviceDescription description;
    for (const auto &[key, member, needed] :
         {std::tuple{"name", &D::name, true}, {"title", &D::title, true}, {"calibration", &D::calibration, false}}) {
        Result<std::string> text = readText(json, key, needed);
        if (!text)
            return tl::unexpected(text.error());
        description.*member = *std::move(text);
    }
    for (const DeviceNumber &number : kNumbers) {
        const auto found = json.find(number.key);
        if (found == json.end() || !found->is_number())
            return fail(ErrorCode::InvalidInput, std::string(number.key) + " is missing or not a number");
        description.*number.member = found->get<double>();
        if (Result<void> checked = checkNumber(number, description.*number.member); !checked)
            return tl::unexpected(checked.error());
    }
    return description;
}

Result<std::pair<std::string, double>> readChange(std::string_view text)
{
    const std::size_t equals = text.find('=');
    double value = 0;
    const char *end = text.data() + text.size();
    if (equals == std::string_view::npos || std::from_chars(text.data() + equals + 1, end, value).ptr != end ||
        equals + 1 == text.size())
        return fail(ErrorCode::WrongUse, "\"" + std::string(text) + "\" changes no number of a device",
                    "Write changes like v100*sm_count=40,dram_gb_per_second=1800");
    return std::pair{std::string(text.substr(0, equals)), value};
}

// "40 SMs", "DRAM bandwidth 1800 GB/s"
std::string spoken(const DeviceNumber &number, double value)
{
    std::string label(number.label);
    if (label.size() > 1 && std::islower(static_cast<unsigned char>(label[1])))
        label[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(label[0])));
    if (number.whole && number.unit.empty())
        return plain(value) + " " + label;
    return label + " " + plain(value) + (number.unit.empty() ? "" : " " + std::string(number.unit));
}

std::string builtInNames()
{
    std::string names;
    for (const DeviceDescription &description : builtInDeviceDescriptions())
        names += (names.empty() ? "" : ", ") + description.name;
    return names;
}

} // namespace

std::span<const DeviceNumber> deviceNumbers()
{
    return kNumbers;
}

Result<DeviceDescription> deviceDescriptionFromJson(std::string_view text)
{
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded())
        return fail(ErrorCode::InvalidInput, "this is not JSON");
    return read(json);
}

std::string toJson(const DeviceDescription &description)
{
    nlohmann::ordered_json json;
    json["format"] = "stagecraft-device";
    json["version"] = 1;
    json["name"] = description.name;
    json["title"] = description.title;
    if (!description.calibration.empty())
        json["calibration"] = description.calibration;
    for (const DeviceNumber &number : kNumbers)
        json[std::string(number.key)] = description.*number.member;
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

const std::vector<DeviceDescription> &builtInDeviceDescriptions()
{
    static const std::vector<DeviceDescription> descriptions = [] {
        std::vector<DeviceDescription> read;
        for (const std::string_view text : embeddedDeviceTexts()) {
            // A file that does not read is our own bug: tst_device_description reads every one of them.
            if (Result<DeviceDescription> description = deviceDescriptionFromJson(text))
                read.push_back(*std::move(description));
        }
        return read;
    }();
    return descriptions;
}

Result<DeviceDescription> findDeviceDescription(const std::string &nameOrPath)
{
    const auto &descriptions = builtInDeviceDescriptions();
    if (const auto found = std::ranges::find(descriptions, nameOrPath, &D::name); found != descriptions.end())
        return *found;

    std::error_code error;
    const bool isFile = std::filesystem::is_regular_file(nameOrPath, error);
    if (!isFile && nameOrPath.find('*') != std::string::npos) {
        const auto whatIf = readWhatIfName(nameOrPath);
        if (!whatIf)
            return tl::unexpected(whatIf.error());
        auto original = findDeviceDescription(whatIf->original);
        return original ? withChanges(*std::move(original), whatIf->changes) : original;
    }
    if (!isFile)
        return fail(ErrorCode::WrongUse, "there is no simulated device " + nameOrPath,
                    "Known are " + builtInNames() + ", or the path of a device description");
    constexpr std::uintmax_t kLargestFileBytes = 1 << 20;
    const std::uintmax_t sizeBytes = std::filesystem::file_size(nameOrPath, error);
    std::ifstream file(nameOrPath, std::ios::binary);
    if (error || sizeBytes > kLargestFileBytes || !file)
        return within(nameOrPath, Error{ErrorCode::InvalidInput, "the file cannot be read or is too large", {}, {}});
    std::ostringstream text;
    text << file.rdbuf();
    Result<DeviceDescription> description = deviceDescriptionFromJson(text.str());
    if (!description)
        return within(nameOrPath, description.error());
    return description;
}

Result<DeviceDescription> withChanges(DeviceDescription description, std::span<const DeviceChange> changes)
{
    constexpr int kInTitle = 2;
    std::string changed;
    std::string title;
    int count = 0;
    for (const auto &[key, value] : changes) {
        const auto number = std::ranges::find(kNumbers, key, &DeviceNumber::key);
        if (number == kNumbers.end())
            return fail(ErrorCode::WrongUse, "a device has no number called " + key);
        if (Result<void> checked = checkNumber(*number, value); !checked)
            return tl::unexpected(checked.error());
        if (description.*number->member == value)
            continue;
        changed += (changed.empty() ? "" : ", ") + key + " = " + plain(value) + " instead of " +
                   plain(description.*number->member);
        description.*number->member = value;
        if (++count <= kInTitle)
            title += (title.empty() ? " with " : ", ") + spoken(*number, value);
    }
    if (count > kInTitle)
        title += " and " + std::to_string(count - kInTitle) + " more";
    if (!changed.empty()) {
        description.name += "*";
        description.title += title;
        description.calibration += (description.calibration.empty() ? "" : "; ") + ("changed by hand: " + changed);
    }
    return description;
}

std::string whatIfName(const WhatIf &whatIf)
{
    std::string name = whatIf.original;
    for (const auto &[key, value] : whatIf.changes)
        name += (name.size() == whatIf.original.size() ? "*" : ",") + key + "=" + plain(value);
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
        auto change = readChange(std::string_view(name).substr(from, comma - from));
        if (!change)
            return tl::unexpected(change.error());
        whatIf.changes.push_back(*std::move(change));
        from = comma + 1;
    }
    return whatIf;
}

} // namespace stagecraft
