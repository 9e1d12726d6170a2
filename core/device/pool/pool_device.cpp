#include "device/pool/pool_device.h"

#include "device/pool/pool_session.h"
#include "support/stop_here.h"

#include <algorithm>
#include <fmt/format.h>
#include <future>
#include <optional>
#include <utility>

namespace stagecraft {
namespace {

// Why latencies of the two do not count for each other; empty: they do.
std::string differenceOf(const DeviceInfo &first, const DeviceInfo &second)
{
    if (!first.fingerprint.empty() || !second.fingerprint.empty())
        return first.fingerprint == second.fingerprint
                   ? std::string()
                   : fmt::format("{} is {}, and {} is {}", first.id,
                                 first.fingerprint.empty() ? first.title : first.fingerprint, second.id,
                                 second.fingerprint.empty() ? second.title : second.fingerprint);
    if (first.title != second.title)
        return fmt::format("{} is {}, and {} is {}", first.id, first.title, second.id, second.title);
    if (first.version != second.version || first.precision != second.precision || first.launches != second.launches ||
        first.fileHash != second.fileHash || first.facts != second.facts)
        return fmt::format("{} and {} differ in version, precision or constants", first.id, second.id);
    return {};
}

// `pool`: its id.
Result<void> checkEqual(const std::string &pool, const DeviceInfo &first, const DeviceInfo &other)
{
    const std::string difference = differenceOf(first, other);
    if (difference.empty())
        return {};
    return fail(ErrorCode::WrongUse, "the members of a pool are not equal: " + difference,
                "Pool equal devices; stagecraft-cli specialize MODEL --devices " + pool +
                    " measures on unequal ones at the same time, each its own search, and makes a table across them");
}

Result<void> checkNames(const std::vector<DeviceInfo> &infos)
{
    for (auto info = infos.begin(); info != infos.end(); ++info) {
        if (info->provenance == Provenance::Recorded)
            return fail(ErrorCode::WrongUse, info->id + " is a recording, which measures nothing: a pool does not help",
                        "Search on the recording alone");
        const bool isAgain = std::any_of(infos.begin(), info, [&](const DeviceInfo &other) {
            return other.id == info->id && other.provenance == Provenance::Measured;
        });
        if (isAgain)
            return fail(ErrorCode::WrongUse,
                        info->id + " is named twice in the pool: it would disturb its own measurements",
                        "Name each device once");
    }
    return {};
}

PoolMembers eachOnce(PoolMembers named)
{
    PoolMembers now{{}, std::move(named.wrong)};
    for (std::string &id : named.ids) {
        if (std::ranges::find(now.ids, id) == now.ids.end())
            now.ids.push_back(std::move(id));
        else
            now.wrong.push_back(id + " is named twice in the pool, and counts once");
    }
    return now;
}

class PoolDevice : public Device {
public:
    // `equal`: what every member is.
    PoolDevice(DeviceInfo info, DeviceInfo equal, std::vector<std::string> members, FindMember find,
               PoolOptions options)
        : m_info(std::move(info)), m_equal(std::move(equal)), m_members(std::move(members)), m_find(std::move(find)),
          m_options(std::move(options))
    {
    }

    DeviceInfo info() const override { return m_info; }

    Result<std::unique_ptr<DeviceSession>> open(std::shared_ptr<const Graph> graph) const override
    {
        std::unique_ptr<DeviceSession> bounds;
        if (m_info.provenance == Provenance::Simulated) {
            TRY_AS(const auto device, m_find(m_members.front()));
            TRY_AS(bounds, device->open(graph));
        }
        PoolOptions options = m_options;
        if (options.members && m_info.provenance == Provenance::Measured)
            options.members = [members = m_options.members] { return eachOnce(members()); };
        auto work = std::make_unique<PoolWork>(m_members, openerOf(graph), std::move(options), m_waiting);
        if (stopHere().stop_requested())
            return fail(ErrorCode::Cancelled, "stopped");
        auto session = std::make_unique<PoolSession>(std::move(work), std::move(bounds), std::move(graph));
        TRY(session->readTraits());
        return session;
    }

private:
    // The session may outlive this, and openers keep the device of a member.
    [[nodiscard]] OpenerOf openerOf(const std::shared_ptr<const Graph> &graph) const
    {
        return [graph, find = m_find, file = m_file, pool = m_info.id, equal = m_equal](const std::string &member) {
            return [=, kept = std::shared_ptr<Device>()](
                       Device::Waiting told) mutable -> Result<std::unique_ptr<DeviceSession>> {
                TRY_AS(kept, find(member));
                const DeviceInfo info = kept->info();
                if (!info.available)
                    return fail(ErrorCode::DeviceFailed, info.unavailableReason);
                TRY(checkEqual(pool, equal, info));
                kept->onWaiting(std::move(told));
                kept->setModelFile(file);
                return kept->open(graph);
            };
        };
    }

    DeviceInfo m_info;
    DeviceInfo m_equal;
    std::vector<std::string> m_members;
    FindMember m_find;
    PoolOptions m_options;
};

// All at a time: each may start a worker on another machine.
Result<std::vector<DeviceInfo>> infosOf(const std::vector<std::string> &members, const FindMember &find)
{
    std::vector<std::future<Result<DeviceInfo>>> asked;
    for (const std::string &member : members)
        asked.push_back(std::async(std::launch::async, [&find, &member, stop = stopHere()]() -> Result<DeviceInfo> {
            const StopHere whileFinding(stop);
            TRY_AS(const auto device, find(member));
            return device->info();
        }));
    std::vector<DeviceInfo> infos;
    std::optional<Error> error;
    for (auto &each : asked) {
        auto info = each.get();
        if (info)
            infos.push_back(std::move(*info));
        else if (!error)
            error = info.error();
    }
    if (error)
        return tl::unexpected(*error);
    return infos;
}

DeviceInfo infoOf(const std::string &id, const std::vector<DeviceInfo> &infos, const DeviceInfo &equal)
{
    DeviceInfo pool = equal;
    pool.id = id;
    pool.countsAs = equal.id;
    pool.title = fmt::format("{} times {}", infos.size(), equal.title);
    pool.facts.clear();
    for (std::size_t i = 0; i < infos.size(); ++i)
        pool.facts.emplace_back(
            fmt::format("Member {}", i + 1),
            infos[i].available ? infos[i].id
                               : fmt::format("{}, not available now: {}", infos[i].id, infos[i].unavailableReason));
    pool.facts.insert(pool.facts.end(), equal.facts.begin(), equal.facts.end());
    return pool;
}

} // namespace

Result<std::unique_ptr<Device>> makePool(const std::string &id, const std::vector<std::string> &members,
                                         const FindMember &find, PoolOptions options)
{
    if (members.size() < 2)
        return fail(ErrorCode::WrongUse, id + ": a pool has at least two members",
                    "Name more devices, or take the one without a pool");
    TRY_AS(const auto infos, infosOf(members, find));
    if (stopHere().stop_requested())
        return fail(ErrorCode::Cancelled, "stopped");
    TRY(checkNames(infos));
    const auto first = std::ranges::find_if(infos, &DeviceInfo::available);
    if (first == infos.end())
        return fail(ErrorCode::DeviceFailed, fmt::format("no member of the pool is available: {}: {}", infos.front().id,
                                                         infos.front().unavailableReason));
    for (const DeviceInfo &info : infos) {
        if (info.available)
            TRY(checkEqual(id, *first, info));
    }
    return std::make_unique<PoolDevice>(infoOf(id, infos, *first), *first, members, find, std::move(options));
}

} // namespace stagecraft
