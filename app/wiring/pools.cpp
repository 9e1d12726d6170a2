#include "wiring/pools.h"

#include "device/device_file.h"
#include "device/pool/pool_file.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::string_view kFile = "pool:";
constexpr std::array<std::string_view, 8> kKinds{
    "sim:", "rec:", "cpu", "gpu:", "onnxruntime", "pytorch:", "ssh:", "slurm:"};

bool beginsAsDevice(std::string_view part)
{
    return std::ranges::any_of(kKinds, [&](std::string_view kind) {
        return kind.ends_with(':') ? part.starts_with(kind) : part == kind || part.starts_with(std::string(kind) + ":");
    });
}

std::vector<std::string> partsOf(const std::string &ids)
{
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= ids.size();) {
        const std::size_t comma = std::min(ids.find(',', from), ids.size());
        std::string part = ids.substr(from, comma - from);
        const bool isOption =
            !parts.empty() && parts.back().starts_with("slurm:") && parts.back().find('/') == std::string::npos;
        if (isOption) // slurm:gpu:time=30,gres=gpu:1/gpu:0
            parts.back() += ',' + part;
        else
            parts.push_back(std::move(part));
        from = comma + 1;
    }
    return parts;
}

} // namespace

std::vector<std::string> poolParts(const std::string &id)
{
    if (id.find(',') == id.npos || !deviceFile(id).empty())
        return {};
    auto parts = partsOf(id);
    return parts.size() > 1 && std::ranges::all_of(parts, beginsAsDevice) ? parts : std::vector<std::string>();
}

Result<std::vector<std::string>> eachDevice(const std::vector<std::string> &named)
{
    std::vector<std::string> devices;
    for (const std::string &part : partsOf(fmt::format("{}", fmt::join(named, ",")))) {
        if (!part.starts_with(kFile)) {
            devices.push_back(part);
            continue;
        }
        TRY_AS(const auto members, readPoolFile(part.substr(kFile.size())));
        devices.insert(devices.end(), members.begin(), members.end());
    }
    return devices;
}

bool isPool(const std::string &id)
{
    return id.starts_with(kFile) || !poolParts(id).empty();
}

Result<std::unique_ptr<Device>> findPool(const std::string &id, const FindMember &find, PoolOptions options)
{
    if (!id.starts_with(kFile))
        return makePool(id, poolParts(id), find, std::move(options));
    const std::string path = id.substr(kFile.size());
    TRY_AS(const auto members, readPoolFile(path));
    options.members = [path] { return membersNow(path); };
    const auto findNamed = [path, find](const std::string &member) -> Result<std::unique_ptr<Device>> {
        auto device = find(member);
        if (!device)
            return within(lineOfMember(path, member), std::move(device.error()));
        return device;
    };
    return makePool(id, members, findNamed, std::move(options));
}

} // namespace stagecraft
