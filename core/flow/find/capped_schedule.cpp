#include "flow/find/capped_schedule.h"

#include "flow/find/measured.h"
#include "support/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {
namespace {

Error missed(const MemoryLimit &limit, std::size_t leastBytes)
{
    const auto text = [](std::size_t bytes) { return plainBytes(static_cast<double>(bytes)); };
    return {ErrorCode::InvalidInput,
            fmt::format("no schedule was found for which {} holds at most {}; the least is {}",
                        plan::memoryTargetRow(*limit.target).name, text(limit.bytes), text(leastBytes)),
            "Give a higher cap",
            {}};
}

SearchRecord recordOf(const CappedResult &capped, SearchRecord record, std::chrono::steady_clock::time_point start)
{
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
    return record;
}

} // namespace

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

Result<FoundSchedule> cappedSchedule(FoundSchedule found, const MemoryLimit &limit, const Model &model,
                                     DeviceSession &session, const DeviceInfo &device, const SearchOptions &search,
                                     const CappedProgress &progress, const std::stop_token &stop)
{
    const auto needed = [&](const Schedule &schedule) {
        return neededBytes(model, schedule, limit.target, device, session, stop);
    };
    TRY_AS(std::size_t least, needed(found.schedule));
    if (least <= limit.bytes)
        return found;
    const auto start = std::chrono::steady_clock::now();
    CappedResult capped;
    std::size_t cap = limit.bytes;
    while (least > limit.bytes) {
        auto tried = searchCapped(*model.graph, model.blocks, session, search,
                                  {cap, countedMemory(device, session, stop)}, progress, stop);
        if (!tried && limit.target && tried.error().code == ErrorCode::InvalidInput)
            return tl::unexpected(missed(limit, least));
        if (!tried)
            return tl::unexpected(tried.error());
        capped = std::move(*tried);
        cap = std::min(cap, capped.livePeakBytes) / 8 * 7;
        // Without a target the search itself counts what the limit does.
        TRY_AS(const std::size_t bytes,
               limit.target ? needed(Schedule{.stages = capped.stages}) : Result<std::size_t>(capped.livePeakBytes));
        least = std::min(least, bytes);
    }
    FoundSchedule made;
    made.schedule.stages = std::move(capped.stages);
    made.schedule.search = recordOf(capped, found.schedule.search, start);
    made.schedule.context.model = found.schedule.context.model;
    made.schedule.context.batch = found.schedule.context.batch;
    TRY(measureInto(made.schedule, model, session, device, stop));
    return made;
}

} // namespace stagecraft
