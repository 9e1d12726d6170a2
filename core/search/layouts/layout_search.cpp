#include "search/layouts/layout_search.h"

#include "search/layouts/conversions.h"
#include "search/layouts/cut_steps.h"
#include "search/layouts/layout_states.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft {
namespace {

class LayoutDynamicProgram {
public:
    // States from which nothing below `knownUs`, the latency of some assignment, can be reached are left out.
    LayoutDynamicProgram(const LayoutProblem &problem, const LayoutSearchOptions &options, double knownUs)
        : m_problem(problem), m_options(options), m_knownUs(knownUs), m_layouts(problem.layouts.size()),
          m_maker(problem)
    {
        for (const ConversionTable &table : problem.conversionTables)
            m_conversions.emplace_back(table, m_layouts);
        std::vector<std::uint32_t> order = options.order;
        if (order.empty())
            order = narrowOrder(problem);
        m_steps = m_maker.make(order);
        m_behindUs.assign(m_steps.size() + 1, 0);
        for (std::size_t i = m_steps.size(); i-- > 0;)
            m_behindUs[i] = m_behindUs[i + 1] + leastUs(m_steps[i]);
    }

    Result<LayoutResult> run()
    {
        if (m_maker.slots() > CopiesOfCut::slots(m_layouts))
            return refused(
                fmt::format("a cut of the network has {} tensors, which is more than the layout search holds",
                            m_maker.widest()),
                "give fewer layouts");
        m_result.widestCut = m_maker.widest();
        m_open.assign(m_maker.slots(), nullptr);
        for (std::uint32_t tensor = 0; tensor < m_problem.tensors.size(); ++tensor) {
            if (const std::size_t slot = m_maker.inputSlots()[tensor]; slot != kNoSlot)
                m_open[slot] = &conversionsOf(tensor);
        }
        m_cut = {{firstCopies(), 0, {}}};
        double droppedUs = kImpossible;
        for (std::size_t i = 0; i < m_steps.size(); ++i) {
            if (m_options.stop.stop_requested())
                return fail(ErrorCode::Cancelled, "stopped");
            if (m_options.progress)
                m_options.progress(static_cast<std::int64_t>(i), static_cast<std::int64_t>(m_steps.size()));
            LayoutStates next;
            for (std::uint32_t state = 0; state < m_cut.size(); ++state)
                expand(m_steps[i], state, next);
            if (next.all().empty() && m_knownUs == kImpossible)
                return refused(impossible(m_steps[i]), droppedUs < kImpossible
                                                           ? "search without leaving states out: --prune dominance"
                                                           : "add the entries that are missing, or allow more layouts");
            updateOpen(m_steps[i]);
            m_result.states += static_cast<std::int64_t>(next.all().size());
            droppedUs = std::min(droppedUs, prune(next, m_behindUs[i + 1]) + m_behindUs[i + 1]);
            if (m_cut.empty()) { // what is known is no worse than all that were kept
                m_result.best.latencyUs = kImpossible;
                m_result.lowerBoundUs = droppedUs;
                return std::move(m_result);
            }
            m_backwards.emplace_back();
            for (const LayoutState &state : m_cut)
                m_backwards.back().push_back(state.step);
        }
        retrace();
        m_result.best.latencyUs = m_cut.front().us;
        m_result.lowerBoundUs = std::min(droppedUs, m_result.best.latencyUs);
        m_result.proved = m_options.pruning.rule != LayoutPruning::Rule::Threshold &&
                          m_result.lowerBoundUs >= m_result.best.latencyUs;
        return std::move(m_result);
    }

private:
    [[nodiscard]] const Conversions &conversionsOf(std::uint32_t tensor) const
    {
        return m_conversions[m_problem.tensors[tensor].conversions];
    }

    [[nodiscard]] double leastUs(const CutStep &step) const
    {
        if (!step.op)
            return 0;
        double least = kImpossible;
        for (const LayoutProblem::Choice &choice : m_problem.operators[*step.op].choices)
            least = std::min(least, choice.latencyUs);
        return least;
    }

    [[nodiscard]] CopiesOfCut firstCopies() const
    {
        CopiesOfCut copies;
        for (const std::size_t slot : m_maker.inputSlots()) {
            if (slot != kNoSlot)
                copies.set(slot, m_layouts, only(m_problem.fixed));
        }
        return copies;
    }

    // The ways that an option of a step takes, one per tensor read.
    using Ways = std::vector<const ConversionWay *>;

    // Calls visit(option, choice, ways, copies, us) for everything that a state can do at a step, in a fixed order.
    // Choice is null for an output of the graph.
    template <typename Visit>
    void forEachOption(const CutStep &step, const CopiesOfCut &copies, double us, const Visit &visit) const
    {
        std::uint32_t option = 0;
        if (!step.op) {
            combine(step, 0, m_problem.fixed, copies, us, m_ways, [&](const CopiesOfCut &after, double afterUs) {
                visit(option++, nullptr, m_ways, after, afterUs);
            });
            return;
        }
        for (const LayoutProblem::Choice &choice : m_problem.operators[*step.op].choices) {
            combine(step, 0, choice.layouts.in, copies, us, m_ways, [&](CopiesOfCut after, double afterUs) {
                for (const std::size_t slot : step.writes) {
                    if (slot != kNoSlot)
                        after.set(slot, m_layouts, only(choice.layouts.out));
                }
                visit(option++, &choice, m_ways, after, afterUs + choice.latencyUs);
            });
        }
    }

    template <typename Visit>
    void combine(const CutStep &step, std::size_t input, LayoutIndex wanted, const CopiesOfCut &copies, double us,
                 Ways &ways, const Visit &visit) const
    {
        if (input == 0)
            ways.assign(step.reads.size(), nullptr);
        if (input == step.reads.size()) {
            visit(copies, us);
            return;
        }
        const TensorRead &read = step.reads[input];
        const LayoutSet there = copies.at(read.slot, m_layouts);
        const Conversions &conversions = conversionsOf(read.tensor);
        for (const ConversionWay &way :
             read.isLast ? conversions.cheapest(there, wanted) : conversions.ways(there, wanted)) {
            CopiesOfCut after = copies;
            after.set(read.slot, m_layouts, read.isLast ? LayoutSet{0} : way.copies);
            ways[input] = &way;
            combine(step, input + 1, wanted, after, us + way.us, ways, visit);
        }
    }

    void expand(const CutStep &step, std::uint32_t state, LayoutStates &next) const
    {
        forEachOption(step, m_cut[state].copies, m_cut[state].us,
                      [&](std::uint32_t option, const LayoutProblem::Choice *, const Ways &, const CopiesOfCut &copies,
                          double us) {
                          next.add({copies, us, {state, option}});
                      });
    }

    // Makes the rest the current cut; returns the least latency of a state that is left out without proof. `behindUs`:
    // what is still to come takes at least that.
    double prune(LayoutStates &next, double behindUs)
    {
        double droppedUs = kImpossible;
        if (m_options.pruning.rule == LayoutPruning::Rule::Dominance)
            m_cut = undominated(next);
        else
            m_cut = next.take();
        std::erase_if(m_cut, [&](const LayoutState &state) { return state.us + behindUs > m_knownUs; });
        double best = kImpossible;
        for (const LayoutState &state : m_cut)
            best = std::min(best, state.us);
        const auto drop = [&](const auto &isTooDear) {
            std::erase_if(m_cut, [&](const LayoutState &state) {
                if (!isTooDear(state))
                    return false;
                droppedUs = std::min(droppedUs, state.us);
                return true;
            });
        };
        if (m_options.pruning.rule == LayoutPruning::Rule::Threshold)
            drop([&](const LayoutState &state) { return state.us > best * m_options.pruning.threshold; });
        if (m_cut.size() > m_options.maxStates) {
            std::vector<double> us;
            for (const LayoutState &state : m_cut)
                us.push_back(state.us);
            const auto limit = us.begin() + static_cast<std::ptrdiff_t>(m_options.maxStates) - 1;
            std::ranges::nth_element(us, limit);
            drop([&](const LayoutState &state) { return state.us > *limit; });
        }
        return droppedUs;
    }

    // A state goes if another one that differs in one tensor covers it at no higher price; of two that cover each other
    // the first stays.
    std::vector<LayoutState> undominated(LayoutStates &next) const
    {
        const std::vector<LayoutState> &states = next.all();
        std::vector<bool> isDropped(states.size());
        for (std::uint32_t by = 0; by < states.size(); ++by) {
            for (std::size_t slot = 0; slot < m_open.size(); ++slot) {
                if (!m_open[slot])
                    continue;
                const LayoutSet own = states[by].copies.at(slot, m_layouts);
                for (LayoutSet other = 1; other >> m_layouts == 0; ++other) {
                    const double us = states[by].us + m_open[slot]->coverUs(own, other);
                    if (other == own || us == kImpossible)
                        continue;
                    CopiesOfCut copies = states[by].copies;
                    copies.set(slot, m_layouts, other);
                    const std::uint32_t found = next.find(copies);
                    if (found != LayoutStates::kNone &&
                        (us < states[found].us || (us == states[found].us && by < found)))
                        isDropped[found] = true;
                }
            }
        }
        std::vector<LayoutState> kept;
        for (std::uint32_t i = 0; i < states.size(); ++i) {
            if (!isDropped[i])
                kept.push_back(states[i]);
        }
        return kept;
    }

    // Which tensors cross the cut behind a step.
    void updateOpen(const CutStep &step)
    {
        for (const TensorRead &read : step.reads) {
            if (read.isLast)
                m_open[read.slot] = nullptr;
        }
        for (std::size_t output = 0; output < step.writes.size(); ++output) {
            if (step.writes[output] != kNoSlot)
                m_open[step.writes[output]] = &conversionsOf(m_problem.operators[*step.op].outputs[output]);
        }
    }

    [[nodiscard]] std::string impossible(const CutStep &step) const
    {
        if (!step.op)
            return fmt::format("no layouts are possible: output {} cannot be converted to {}",
                               m_problem.tensors[step.reads.front().tensor].name, m_problem.layouts[m_problem.fixed]);
        const LayoutProblem::Operator &op = m_problem.operators[*step.op];
        return fmt::format("no layouts are possible: operator {} has {}", op.name,
                           op.choices.empty() ? "no latency in any layout"
                                              : "none that what it reads can be converted to");
    }

    // From the last cut back to the first by the steps that were kept, then forwards to what they did.
    void retrace()
    {
        std::vector<std::uint32_t> options(m_steps.size());
        std::uint32_t state = 0;
        for (std::size_t i = m_steps.size(); i-- > 0;) {
            options[i] = m_backwards[i][state].option;
            state = m_backwards[i][state].before;
        }
        LayoutAssignment &best = m_result.best;
        best.operators.resize(m_problem.operators.size());
        best.tensors.assign(m_problem.tensors.size(), m_problem.fixed);
        CopiesOfCut copies = firstCopies();
        for (std::size_t i = 0; i < m_steps.size(); ++i) {
            CopiesOfCut taken;
            forEachOption(m_steps[i], copies, 0,
                          [&](std::uint32_t option, const LayoutProblem::Choice *choice, const Ways &ways,
                              const CopiesOfCut &after, double) {
                              if (option != options[i])
                                  return;
                              note(m_steps[i], choice, ways);
                              taken = after;
                          });
            copies = taken;
        }
        bringForward(m_problem, m_result.best);
    }

    void note(const CutStep &step, const LayoutProblem::Choice *choice, const Ways &ways)
    {
        LayoutAssignment &best = m_result.best;
        for (std::size_t input = 0; input < ways.size(); ++input) {
            const std::uint32_t tensor = step.reads[input].tensor;
            for (const ConversionHop &hop : ways[input]->hops)
                best.conversions.push_back({tensor, hop.from, hop.to, m_problem.conversionUs(tensor, hop.from, hop.to),
                                            step.op ? std::int64_t{*step.op} : -1});
        }
        if (!choice)
            return;
        best.operators[*step.op] = choice->layouts;
        for (const std::uint32_t tensor : m_problem.operators[*step.op].outputs)
            best.tensors[tensor] = choice->layouts.out;
    }

    const LayoutProblem &m_problem;
    const LayoutSearchOptions &m_options;
    double m_knownUs;
    std::size_t m_layouts;
    StepMaker m_maker;
    std::vector<CutStep> m_steps;
    std::vector<double> m_behindUs; // by step: the least that it and all later ones take
    std::vector<Conversions> m_conversions;
    std::vector<LayoutState> m_cut;                   // the current one
    std::vector<std::vector<LayoutStep>> m_backwards; // by step: how the states after it were reached
    std::vector<const Conversions *> m_open;          // by slot: of the tensor that crosses the cut; null: none does
    mutable Ways m_ways;
    LayoutResult m_result;
};

} // namespace

void bringForward(const LayoutProblem &problem, LayoutAssignment &assignment)
{
    const auto isSooner = [](std::int64_t a, std::int64_t b) { return a >= 0 && (b < 0 || a < b); };
    for (std::size_t i = assignment.conversions.size(); i-- > 0;) {
        LayoutConversion &made = assignment.conversions[i];
        for (std::size_t op = 0; op < assignment.operators.size(); ++op) {
            const auto reader = static_cast<std::int64_t>(op);
            if (assignment.operators[op].in == made.to && isSooner(reader, made.before) &&
                std::ranges::count(problem.operators[op].inputs, made.tensor) > 0)
                made.before = reader;
        }
        for (std::size_t later = i + 1; later < assignment.conversions.size(); ++later) {
            const LayoutConversion &copy = assignment.conversions[later];
            if (copy.tensor == made.tensor && copy.from == made.to && isSooner(copy.before, made.before))
                made.before = copy.before;
        }
    }
    std::ranges::stable_sort(assignment.conversions, [&](const LayoutConversion &a, const LayoutConversion &b) {
        return isSooner(a.before, b.before);
    });
}

Result<LayoutResult> searchLayouts(const LayoutProblem &problem, const LayoutSearchOptions &options)
{
    constexpr double kRounding = 1e-12; // sums in another order differ in their last digits
    if (options.pruning.rule != LayoutPruning::Rule::Dominance || options.maxStates <= options.firstStates)
        return LayoutDynamicProgram(problem, options, kImpossible).run();
    LayoutSearchOptions quick = options;
    quick.maxStates = options.firstStates;
    auto known = LayoutDynamicProgram(problem, quick, kImpossible).run();
    if (known ? known->proved : known.error().code == ErrorCode::Cancelled) // proved: no cut has more
        return known;
    const double knownUs = known ? known->best.latencyUs * (1 + kRounding) : kImpossible;
    auto found = LayoutDynamicProgram(problem, options, knownUs).run();
    if (found && known && known->best.latencyUs <= found->best.latencyUs) {
        found->best = std::move(known->best);
        found->lowerBoundUs = std::min(found->lowerBoundUs, found->best.latencyUs);
        found->proved = found->lowerBoundUs >= found->best.latencyUs;
    }
    return found;
}

} // namespace stagecraft
