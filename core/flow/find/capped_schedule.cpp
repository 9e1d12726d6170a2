#include "flow/find/capped_schedule.h"

#include "flow/find/measured.h"
#include "search/infinity.h"
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

// Searches under caps of this program's own plan, until what one finds meets the limit.
class CappedSearch {
public:
    CappedSearch(const MemoryLimit &limit, const Model &model, DeviceSession &session, const DeviceInfo &device,
                 const SearchOptions &search, const CappedProgress &progress, const std::stop_token &stop)
        : m_limit(limit), m_model(model), m_session(session), m_device(device), m_search(search), m_progress(progress),
          m_stop(stop), m_counted(countedMemory(device, session, stop)), m_start(std::chrono::steady_clock::now())
    {
    }

    // `least`: what is known to be needed.
    [[nodiscard]] Result<std::vector<Stage>> stages(std::size_t least)
    {
        if (!m_limit.target)
            return searched(m_limit.bytes).map([](CappedResult found) { return std::move(found.stages); });
        TRY_AS(const std::size_t smallest,
               smallestCap(*m_model.graph, m_model.blocks, m_search, m_counted, m_progress, m_stop));
        std::size_t cap = std::max(m_limit.bytes, smallest);
        while (true) {
            TRY_AS(auto found, searched(cap));
            TRY_AS(const std::size_t bytes,
                   neededBytes(m_model, Schedule{.stages = found.stages}, m_limit.target, m_device, m_session, m_stop));
            if (bytes <= m_limit.bytes)
                return std::move(found.stages);
            least = std::min(least, bytes);
            if (found.livePeakBytes <= smallest)
                return tl::unexpected(missed(m_limit, least));
            cap = std::max(smallest, std::min(cap, found.livePeakBytes) / 8 * 7);
        }
    }

    [[nodiscard]] SearchRecord record(SearchRecord record) const
    {
        record.states = m_states;
        record.transitions = m_transitions;
        record.stageMeasurements = m_stageMeasurements;
        record.stagesRepeated = 0;
        record.stagesRefused = 0;
        record.cacheHits = 0;
        record.searchSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
        record.measureSeconds = 0;
        // With a target there may be a faster one between two caps.
        record.gap = m_limit.target ? kInfinity : 0;
        record.assumption.reset();
        record.termination = m_limit.target ? Termination::InPart : Termination::Optimal;
        record.sumUs = m_sumUs;
        return record;
    }

private:
    [[nodiscard]] Result<CappedResult> searched(std::size_t cap)
    {
        TRY_AS(auto found,
               searchCapped(*m_model.graph, m_model.blocks, m_session, m_search, {cap, m_counted}, m_progress, m_stop));
        m_states += found.states;
        m_transitions += found.transitions;
        m_stageMeasurements += found.stageMeasurements;
        m_sumUs = found.sumUs;
        return found;
    }

    const MemoryLimit &m_limit;
    const Model &m_model;
    DeviceSession &m_session;
    const DeviceInfo &m_device;
    const SearchOptions &m_search;
    const CappedProgress &m_progress;
    const std::stop_token &m_stop;
    CountedMemory m_counted;
    std::chrono::steady_clock::time_point m_start;
    std::int64_t m_states = 0; // of all searches
    std::int64_t m_transitions = 0;
    std::int64_t m_stageMeasurements = 0;
    double m_sumUs = 0; // of the last one
};

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
    TRY_AS(const std::size_t needed, neededBytes(model, found.schedule, limit.target, device, session, stop));
    if (needed <= limit.bytes)
        return found;
    CappedSearch under(limit, model, session, device, search, progress, stop);
    FoundSchedule made;
    TRY_AS(made.schedule.stages, under.stages(needed));
    made.schedule.search = under.record(found.schedule.search);
    made.schedule.context.model = found.schedule.context.model;
    made.schedule.context.batch = found.schedule.context.batch;
    TRY(measureInto(made.schedule, model, session, device, stop));
    return made;
}

} // namespace stagecraft
