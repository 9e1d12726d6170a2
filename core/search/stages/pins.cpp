#include "search/stages/pins.h"

#include "schedule/stage_groups.h"
#include "schedule/verify.h"
#include "schedule/verify_words.h"
#include "search/stages/baselines.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace stagecraft {

namespace {

constexpr std::size_t kUnpinned = ~std::size_t{0};

// Runs the operators of a schedule in its order, as far as the pinned stages, each run as a whole, allow.
class Keeper {
public:
    Keeper(const Graph &graph, std::span<const Stage> pins, std::optional<int> s)
        : m_graph(graph), m_pins(pins), m_s(s), m_pinOf(graph.size(), kUnpinned), m_isDone(graph.size()),
          m_isKept(pins.size())
    {
        for (std::size_t p = 0; p < pins.size(); ++p) {
            for (const OperatorId id : operatorsOf(pins[p]))
                m_pinOf[id.index()] = p;
        }
    }

    // Empty if it cannot continue.
    std::vector<Stage> keep(const Blocks &blocks, const std::vector<Stage> &stages)
    {
        m_stageOf = stageOfOperators(m_graph, stages);
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            for (std::size_t left = blocks[b].operators.size(); left > 0;) {
                const OperatorId next = nextOf(blocks[b]);
                if (!next.isValid())
                    return {};
                left -= m_pinOf[next.index()] == kUnpinned ? append(b, blocks[b], stages[m_stageOf[next.index()]])
                                                           : appendPin(m_pinOf[next.index()]);
            }
        }
        return std::move(m_result);
    }

    // An operator of the first pinned stage that waits, and an input of it that waits for the same stage.
    [[nodiscard]] std::pair<OperatorId, OperatorId> stuck() const
    {
        for (std::size_t p = 0; p < m_pins.size(); ++p) {
            for (const OperatorId id : m_isKept[p] ? std::vector<OperatorId>() : operatorsOf(m_pins[p])) {
                for (const OperatorId producer : m_graph.predecessors(id)) {
                    if (!m_isDone[producer.index()] && m_pinOf[producer.index()] != p)
                        return {id, producer};
                }
            }
        }
        return {};
    }

private:
    [[nodiscard]] bool isReady(OperatorId id, std::size_t pin) const
    {
        return std::ranges::all_of(m_graph.predecessors(id), [&](OperatorId producer) {
            return m_isDone[producer.index()] || (pin != kUnpinned && m_pinOf[producer.index()] == pin);
        });
    }

    // The ready operator, or operator of a ready pinned stage, that comes earliest. Invalid if there is none.
    [[nodiscard]] OperatorId nextOf(const Block &block) const
    {
        OperatorId next;
        for (const OperatorId id : block.operators) {
            const std::size_t pin = m_pinOf[id.index()];
            if (m_isDone[id.index()] || (next.isValid() && m_stageOf[next.index()] <= m_stageOf[id.index()]))
                continue;
            const bool ready = pin == kUnpinned ? isReady(id, pin)
                                                : std::ranges::all_of(operatorsOf(m_pins[pin]), [&](OperatorId member) {
                                                      return isReady(member, pin);
                                                  });
            if (ready)
                next = id;
        }
        return next;
    }

    // Appends what can run of a stage.
    std::size_t append(std::size_t index, const Block &block, const Stage &stage)
    {
        std::vector<OperatorId> chosen;
        for (const OperatorId id : operatorsOf(stage)) {
            if (m_pinOf[id.index()] != kUnpinned || m_isDone[id.index()] ||
                !std::ranges::binary_search(block.operators, id))
                continue;
            const bool canRun = std::ranges::all_of(m_graph.predecessors(id), [&](OperatorId producer) {
                return m_isDone[producer.index()] || std::ranges::binary_search(chosen, producer);
            });
            if (canRun)
                chosen.push_back(id);
        }
        for (const OperatorId id : chosen)
            m_isDone[id.index()] = true;
        const Stage made = stageOf(m_graph, index, chosen, stage.strategy);
        const auto most =
            m_s && made.strategy == Strategy::Concurrent ? static_cast<std::size_t>(*m_s) : made.groups.size();
        for (std::size_t first = 0; first < made.groups.size(); first += most) {
            const auto from = made.groups.begin() + static_cast<std::ptrdiff_t>(first);
            const auto count = static_cast<std::ptrdiff_t>(std::min(most, made.groups.size() - first));
            m_result.push_back({index, made.strategy, {from, from + count}});
        }
        return chosen.size();
    }

    std::size_t appendPin(std::size_t pin)
    {
        m_isKept[pin] = true;
        for (const OperatorId id : operatorsOf(m_pins[pin]))
            m_isDone[id.index()] = true;
        m_result.push_back(m_pins[pin]);
        return m_pins[pin].operatorCount();
    }

    const Graph &m_graph;
    std::span<const Stage> m_pins;
    std::optional<int> m_s;
    std::vector<std::size_t> m_pinOf;
    std::vector<std::size_t> m_stageOf;
    std::vector<bool> m_isDone;
    std::vector<bool> m_isKept;
    std::vector<Stage> m_result;
};

} // namespace

SearchOptions withPinsInNormalForm(SearchOptions options)
{
    for (Stage &stage : options.pinned)
        stage = normalized(std::move(stage));
    return options;
}

Result<void> checkPins(const Graph &graph, const Blocks &blocks, std::span<const Stage> pins)
{
    if (pins.empty())
        return {};
    std::vector<bool> isPinned(graph.size());
    for (const Stage &pin : pins) {
        if (pin.block >= blocks.size() || pin.operatorCount() == 0)
            return fail(ErrorCode::InvalidInput, "a stage to keep has no operators or no block");
        for (const OperatorId id : operatorsOf(pin)) {
            if (!id.isValid() || id.index() >= graph.size())
                return fail(ErrorCode::InvalidInput, "a stage to keep has an operator that the model does not have");
            if (!std::ranges::binary_search(blocks[pin.block].operators, id))
                return refusedOperator(graph, id, "is to be kept in a stage of a block that it does not belong to");
            if (isPinned[id.index()])
                return refusedOperator(graph, id, "is to be kept in two stages");
            isPinned[id.index()] = true;
        }
    }
    Keeper keeper(graph, pins, std::nullopt);
    TimedSchedule kept;
    kept.stages = keeper.keep(blocks, sequentialSchedule(graph, blocks).stages);
    if (kept.stages.empty()) {
        const auto [reader, producer] = keeper.stuck();
        return refusedOperator(graph, reader,
                               "cannot be kept in its stage: it reads " + graph.op(producer).name +
                                   ", which has to wait for that stage");
    }
    return verifySchedule(graph, blocks, kept);
}

TimedSchedule keepPins(const Graph &graph, const Blocks &blocks, TimedSchedule schedule, const SearchOptions &options)
{
    if (!options.pinned.empty())
        schedule.stages = Keeper(graph, options.pinned, options.s).keep(blocks, schedule.stages);
    return schedule;
}

Result<void> verifyPins(const Graph &graph, const Schedule &schedule, std::span<const Stage> pins)
{
    for (const Stage &pin : pins) {
        if (std::ranges::find(schedule.stages, pin) == schedule.stages.end())
            return refusedOperator(graph, pin.groups.front().front(), "should be kept in its stage, but is in another");
    }
    return {};
}

std::optional<double> freeOptimumUs(const TimedSchedule &pinned, const TimedSchedule &other)
{
    const SearchRecord &one = pinned.search;
    const SearchRecord &free = other.search;
    const bool isSameSpace = one.strategy == free.strategy && one.r == free.r && one.s == free.s &&
                             one.singleSource == free.singleSource && free.pinnedStages == 0;
    const bool isSameDevice = pinned.context == other.context &&
                              pinned.measured.calibration == other.measured.calibration &&
                              pinned.measured.provenance == other.measured.provenance;
    const bool isProved = free.termination == Termination::Optimal && free.sumUs > 0;
    return isSameSpace && isSameDevice && isProved ? std::optional(free.sumUs) : std::nullopt;
}

} // namespace stagecraft
