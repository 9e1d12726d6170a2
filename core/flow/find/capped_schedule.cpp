#include "flow/find/capped_schedule.h"

#include "flow/explain/memory_of_schedule.h"
#include "flow/find/measured.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

namespace stagecraft {

std::optional<std::size_t> bytesFrom(std::string_view text)
{
    constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
        {{"", 1}, {"B", 1}, {"KiB", 1024.0}, {"MiB", 1024.0 * 1024}, {"GiB", 1024.0 * 1024 * 1024}}};
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    for (const auto &[name, factor] : kUnits) {
        const double bytes = number * factor;
        if (error == std::errc() && unit == name && bytes >= 1 && bytes < 1e18)
            return static_cast<std::size_t>(bytes);
    }
    return std::nullopt;
}

Result<FoundSchedule> cappedSchedule(FoundSchedule found, std::size_t cap, const Model &model, DeviceSession &session,
                                     const DeviceInfo &device, const SearchOptions &search,
                                     const CappedProgress &progress, const std::stop_token &stop)
{
    TRY_AS(const auto memory, memoryOfSchedule(model, found.schedule, device, session, stop));
    if (neededBytes(found.schedule, memory) <= cap)
        return found;
    const auto start = std::chrono::steady_clock::now();
    TRY_AS(auto capped, searchCapped(*model.graph, model.blocks, session, search,
                                     {cap, countedMemory(device, session, stop)}, progress, stop));
    FoundSchedule made;
    made.schedule.stages = std::move(capped.stages);
    SearchRecord &record = made.schedule.search;
    record = found.schedule.search;
    record.states = capped.states;
    record.transitions = capped.transitions;
    record.stageMeasurements = capped.stageMeasurements;
    record.stagesRepeated = 0;
    record.stagesRefused = 0;
    record.cacheHits = 0;
    record.searchSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    record.measureSeconds = 0;
    record.gap = 0;
    record.assumption.reset();
    record.termination = Termination::Optimal;
    record.sumUs = capped.sumUs;
    made.schedule.context.model = found.schedule.context.model;
    made.schedule.context.batch = found.schedule.context.batch;
    TRY(measureInto(made.schedule, model, session, device, stop));
    return made;
}

} // namespace stagecraft
