#include "results/files/streams_parts.h"

#include "support/records/object_reader.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace stagecraft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kNotLaunched = std::numeric_limits<std::size_t>::max();

class StreamsReader {
public:
    explicit StreamsReader(const OperatorNames &names) : m_names(names) {}

    Result<Streams> read(const Json &schedule)
    {
        TRY(readStreams(schedule));
        TRY(readLaunchOrder(schedule));
        TRY(readEvents(schedule));
        return std::move(m_streams);
    }

private:
    struct Item {
        StreamLaunch launch;
        std::size_t place = 0;               // on its stream
        std::size_t launched = kNotLaunched; // place in the launch order
    };

    static Result<const Json *> listOf(const Json &schedule, const char *key)
    {
        const auto found = schedule.find(key);
        if (found == schedule.end() || !found->is_array())
            return refuseAt("schedule", fmt::format("\"{}\" is not a list", key));
        return &*found;
    }

    Result<OperatorId> operatorOf(const Json &name, const char *where) const
    {
        if (!name.is_string())
            return refuseAt(where, name.dump() + " is not the name of an operator");
        const auto id = m_names.find(name.get_ref<const std::string &>());
        if (!id)
            return refuseAt("operator " + name.get<std::string>(), "the model has no operator of this name");
        return *id;
    }

    Result<void> readStreams(const Json &schedule)
    {
        TRY_AS(const auto streams, listOf(schedule, "streams"));
        for (const Json &stream : *streams) {
            if (!stream.is_array())
                return refuseAt("streams", "a stream is not a list of operators");
            for (std::size_t place = 0; place < stream.size(); ++place) {
                Item item{.launch = {.operators = {}, .stream = m_streams.count, .waits = {}}, .place = place};
                const Json one = stream[place].is_array() ? stream[place] : Json::array({stream[place]});
                for (const Json &name : one) {
                    TRY_AS(const auto id, operatorOf(name, "streams"));
                    item.launch.operators.push_back(id);
                }
                if (item.launch.operators.empty())
                    return refuseAt("streams", "a list of merged operators is empty");
                std::ranges::sort(item.launch.operators);
                m_items.push_back(std::move(item));
            }
            ++m_streams.count;
        }
        return {};
    }

    // The item whose first operator has this name.
    Result<Item *> itemOf(const Json &name, const char *where)
    {
        TRY_AS(const auto id, operatorOf(name, where));
        const auto found =
            std::ranges::find_if(m_items, [&](const Item &item) { return item.launch.operators.front() == id; });
        if (found == m_items.end())
            return refuseAt(where, fmt::format("{} is in no stream, or not the first of merged operators",
                                               name.get<std::string>()));
        return &*found;
    }

    Result<void> readLaunchOrder(const Json &schedule)
    {
        TRY_AS(const auto order, listOf(schedule, "launch_order"));
        std::vector<std::size_t> next(m_streams.count, 0);
        for (const Json &name : *order) {
            TRY_AS(Item * item, itemOf(name, "launch_order"));
            if (item->launched != kNotLaunched)
                return refuseAt("launch_order", name.get<std::string>() + " is launched twice");
            if (item->place != next[item->launch.stream]++)
                return refuseAt("launch_order", fmt::format("{} is not launched in the order of stream {}",
                                                            name.get<std::string>(), item->launch.stream + 1));
            item->launched = m_streams.launches.size();
            m_streams.launches.push_back(item->launch);
        }
        const auto missing = std::ranges::find(m_items, kNotLaunched, &Item::launched);
        if (missing != m_items.end())
            return refuseAt("launch_order", m_names[missing->launch.operators.front()] + " is never launched");
        return {};
    }

    Result<void> readEvents(const Json &schedule)
    {
        TRY_AS(const auto events, listOf(schedule, "events"));
        for (const Json &event : *events) {
            if (!event.is_object() || !event.contains("from") || !event.contains("to"))
                return refuseAt("events", event.dump() + " is not an object with \"from\" and \"to\"");
            TRY_AS(const Item *from, itemOf(event["from"], "events"));
            TRY_AS(const Item *to, itemOf(event["to"], "events"));
            if (from->launched >= to->launched)
                return refuseAt("events",
                                fmt::format("{} waits for {}, which is not launched before it: the wait "
                                            "never ends",
                                            event["to"].get<std::string>(), event["from"].get<std::string>()));
            m_streams.launches[to->launched].waits.push_back(static_cast<std::uint32_t>(from->launched));
        }
        for (StreamLaunch &launch : m_streams.launches)
            std::ranges::sort(launch.waits);
        return {};
    }

    const OperatorNames &m_names;
    std::vector<Item> m_items;
    Streams m_streams;
};

} // namespace

StreamsInFile streamsInFile(const OperatorNames &names, const Streams &streams)
{
    const auto nameOf = [&](std::size_t launch) { return names[streams.launches[launch].operators.front()]; };
    StreamsInFile file;
    file.streams.resize(streams.count);
    for (std::size_t i = 0; i < streams.launches.size(); ++i) {
        const StreamLaunch &launch = streams.launches[i];
        std::vector<std::string> merged;
        for (const OperatorId id : launch.operators)
            merged.push_back(names[id]);
        auto &stream = file.streams[launch.stream];
        if (launch.isMerged())
            stream.emplace_back(std::move(merged));
        else
            stream.emplace_back(nameOf(i));
        file.launchOrder.push_back(nameOf(i));
        for (const std::uint32_t before : launch.waits)
            file.events.push_back({nameOf(before), nameOf(i)});
    }
    return file;
}

Result<Streams> streamsFrom(const Json &schedule, const OperatorNames &names)
{
    return StreamsReader(names).read(schedule);
}

} // namespace stagecraft
