#include "flow/verify/launches_file.h"

#include "support/json_depth.h"
#include "support/records/json_fault.h"
#include "support/records/object_reader.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;

class LaunchesReader {
public:
    Result<plan::LaunchedProgram> read(const Json &json)
    {
        int version = 0;
        ObjectReader header(json, "launches");
        header.required("version", version);
        TRY(header.result());
        if (version != kVersion)
            return refuseAt("launches", fmt::format("version {} is not known, only version {}", version, kVersion));
        TRY_AS(const auto memory, listOf(json, "memory"));
        for (const Json &entry : *memory)
            TRY(readMemory(entry));
        TRY_AS(const auto steps, listOf(json, "steps"));
        for (std::size_t i = 0; i < steps->size(); ++i)
            TRY(readStep((*steps)[i], fmt::format("step {}", i + 1)));
        TRY(readOrigin(json));
        return std::move(m_program);
    }

private:
    using Numbers = std::map<std::string, std::uint32_t, std::less<>>;

    static Result<const Json *> listOf(const Json &json, const char *key)
    {
        const auto found = json.find(key);
        if (found == json.end() || !found->is_array())
            return refuseAt("launches", fmt::format("\"{}\" is not a list", key));
        return &*found;
    }

    static std::uint32_t numberOf(Numbers &numbers, std::vector<std::string> &names, const std::string &name)
    {
        const auto [found, isNew] = numbers.try_emplace(name, static_cast<std::uint32_t>(names.size()));
        if (isNew)
            names.push_back(name);
        return found->second;
    }

    std::size_t arenaOf(const std::string &name)
    {
        const auto [found, isNew] = m_arenas.try_emplace(name, m_arenaCount);
        m_arenaCount += isNew ? 1 : 0;
        return found->second;
    }

    Result<void> readMemory(const Json &entry)
    {
        if (!entry.is_string() && !entry.is_object())
            return refuseAt("memory", entry.dump() + " is neither a name nor an object");
        std::string name;
        std::string arena;
        std::string whole;
        bool isOutput = false;
        std::optional<std::size_t> begin;
        std::optional<std::size_t> end;
        if (entry.is_string()) {
            name = entry.get<std::string>();
        } else {
            ObjectReader reader(entry, "memory");
            reader.required("name", name);
            reader.optional("arena", arena);
            reader.optional("of", whole);
            reader.optional("output", isOutput);
            if (entry.contains("begin") || entry.contains("end")) {
                reader.required("begin", begin.emplace());
                reader.required("end", end.emplace());
            }
            TRY(reader.result());
        }
        if (begin && *begin >= *end)
            return refuseAt("memory " + name,
                            fmt::format("it has no bytes: it begins at {} and ends before {}", *begin, *end));
        if (!(arena.empty() && whole.empty()) && !begin)
            return refuseAt("memory " + name, "it is in an arena or a part, and \"begin\" and \"end\" are missing");
        plan::Allocation bytes{0, begin.value_or(0), end.value_or(1)};
        if (whole.empty())
            bytes.arena = begin ? arenaOf(arena) : m_arenaCount++; // without bytes it has one to itself
        else
            TRY(placeWithin(whole, name, bytes));
        if (!m_memory.try_emplace(name, static_cast<std::uint32_t>(m_program.memory.size())).second)
            return refuseAt("memory " + name, "it is listed twice");
        m_program.memory.push_back({name, m_program.allocations.size(), false, isOutput});
        m_program.allocations.push_back(bytes);
        return {};
    }

    Result<void> placeWithin(const std::string &whole, const std::string &name, plan::Allocation &bytes) const
    {
        const auto found = m_memory.find(whole);
        if (found == m_memory.end())
            return refuseAt("memory " + name, fmt::format("it is part of {}, which is not listed before it", whole));
        const std::size_t place = m_program.memory[found->second].allocation;
        const plan::Allocation &other = m_program.allocations[place];
        if (other.partOf || bytes.end > other.end - other.begin)
            return refuseAt("memory " + name,
                            fmt::format("it does not lie within {}, or that is a part itself", whole));
        bytes = {other.arena, other.begin + bytes.begin, other.begin + bytes.end, place};
        return {};
    }

    Result<std::vector<std::uint32_t>> memoryIn(const Json &step, const char *key, const std::string &where) const
    {
        std::vector<std::uint32_t> all;
        std::unordered_set<std::uint32_t> listed; // a name counts once
        const auto found = step.find(key);
        if (found == step.end())
            return all;
        if (!found->is_array())
            return refuseAt(where, fmt::format("\"{}\" is not a list of names", key));
        for (const Json &name : *found) {
            const auto known = name.is_string() ? m_memory.find(name.get_ref<const std::string &>()) : m_memory.end();
            if (known == m_memory.end())
                return within(where, refused(fmt::format("{} is not listed in \"memory\"", name.dump()),
                                             "List all memory that launches use")
                                         .value());
            if (listed.insert(known->second).second)
                all.push_back(known->second);
        }
        return all;
    }

    Result<void> readStep(const Json &step, const std::string &where)
    {
        if (!step.is_object())
            return refuseAt(where, "it is not an object");
        const int kinds = static_cast<int>(step.count("launch") + step.count("record") + step.count("wait") +
                                           step.count("synchronize"));
        if (kinds != 1)
            return refuseAt(where, "it is not one of launch, record, wait and synchronize");
        if (step.contains("synchronize")) {
            m_synchronises = m_synchronises.empty() ? where : m_synchronises;
            m_program.steps.emplace_back(plan::WaitForAll{});
            return {};
        }
        std::string streamName;
        std::string name;
        ObjectReader reader(step, where);
        reader.required("stream", streamName);
        for (const char *kind : {"launch", "record", "wait"}) {
            if (step.contains(kind))
                reader.required(kind, name);
        }
        TRY(reader.result());
        const std::uint32_t stream = numberOf(m_streams, m_program.streams, streamName);
        if (step.contains("launch"))
            return readLaunch(step, where, name, stream);
        const std::uint32_t event = numberOf(m_events, m_program.events, name);
        if (step.contains("record"))
            m_program.steps.emplace_back(plan::EventRecord{stream, event});
        else
            m_program.steps.emplace_back(plan::EventWait{stream, event});
        return {};
    }

    Result<void> readLaunch(const Json &step, const std::string &where, const std::string &name, std::uint32_t stream)
    {
        plan::ProgramLaunch launch{name, stream};
        TRY_AS(launch.reads, memoryIn(step, "reads", where));
        TRY_AS(launch.writes, memoryIn(step, "writes", where));
        TRY_AS(const auto workspace, memoryIn(step, "workspace", where));
        for (const std::uint32_t memory : launch.reads)
            m_readIn.try_emplace(memory, where);
        for (const std::uint32_t memory : workspace) {
            m_program.memory[memory].isWorkspace = true;
            m_workspaceIn.try_emplace(memory, where);
            launch.writes.push_back(memory);
        }
        TRY(checkRoles(launch.reads, where));
        TRY(checkRoles(workspace, where));
        m_program.steps.emplace_back(std::move(launch));
        return {};
    }

    // What is left in a workspace is read by nobody.
    Result<void> checkRoles(const std::vector<std::uint32_t> &used, const std::string &where) const
    {
        for (const std::uint32_t each : used) {
            const auto workspace = m_workspaceIn.find(each);
            if (workspace == m_workspaceIn.end())
                continue;
            const plan::NamedMemory &memory = m_program.memory[each];
            if (memory.isOutput)
                return refuseRoles(where, fmt::format("{} is a workspace here, and an output", memory.name));
            if (const auto read = m_readIn.find(each); read != m_readIn.end())
                return refuseRoles(where, fmt::format("{} is a workspace in {}, and read in {}", memory.name,
                                                      workspace->second, read->second));
        }
        return {};
    }

    static tl::unexpected<Error> refuseRoles(const std::string &where, std::string reason)
    {
        return within(where, refused(std::move(reason), "List it in \"writes\" where what is written is read").value());
    }

    Result<void> readOrigin(const Json &json)
    {
        std::string origin;
        ObjectReader reader(json, "launches");
        reader.optional("origin", origin);
        TRY(reader.result());
        if (origin.empty())
            return {};
        const auto known = m_streams.find(origin);
        if (known == m_streams.end())
            return refuseAt("launches", fmt::format("\"origin\" is {}, and no step is on that stream", origin));
        if (!m_synchronises.empty())
            return within(m_synchronises, refused("the host cannot wait for the device while a stream is captured",
                                                  "Leave \"origin\" out where nothing is captured, or use events")
                                              .value());
        m_program.capturedOn = known->second;
        return {};
    }

    plan::LaunchedProgram m_program;
    Numbers m_streams;
    Numbers m_events;
    Numbers m_memory;
    std::map<std::string, std::size_t> m_arenas; // by name; "" is the one without
    std::size_t m_arenaCount = 0;
    std::unordered_map<std::uint32_t, std::string> m_readIn; // by memory: the first step
    std::unordered_map<std::uint32_t, std::string> m_workspaceIn;
    std::string m_synchronises; // the first step that does
};

} // namespace

bool isLaunchesFile(std::string_view text)
{
    if (nestsTooDeeply(text) || text.find("\"launches\"") == std::string_view::npos)
        return false;
    const Json json = Json::parse(text, nullptr, false);
    return json.is_object() && json.contains("kind") && json["kind"] == "launches";
}

Result<plan::LaunchedProgram> programFromLaunches(std::string_view text)
{
    try {
        return LaunchesReader().read(Json::parse(text));
    } catch (const Json::exception &error) {
        return refused("is no file of launches: " + jsonFault(error), "Write it again");
    }
}

} // namespace stagecraft
