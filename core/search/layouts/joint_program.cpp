#include "search/layouts/joint_program.h"

#include "schedule/stage_groups.h"
#include "search/stages/chain.h"

#include <algorithm>
#include <queue>

namespace stagecraft {
namespace {

constexpr std::int64_t kStatesPerReport = 4096;
constexpr std::int64_t kMostBoundSteps = 2'000'000'000; // transitions looked at for bounds

} // namespace

JointProgram::JointProgram(JointSpace &space, AllowedStages allowed, const JointOptions &options, const char *step)
    : m_space(space), m_allowed(std::move(allowed)), m_options(options), m_step(step),
      m_layouts(space.problem().layouts.size())
{
    findToGo();
}

double JointProgram::betweenUs(bool isFirst, bool earlierConcurrent, bool laterConcurrent) const
{
    if (isFirst)
        return 0;
    return earlierConcurrent || laterConcurrent ? m_space.boundary().barrierUs : m_space.boundary().chainUs;
}

// Boundaries from the last stage by way of the conversions to the next one, or to the end.
double JointProgram::conversionBoundariesUs(bool isFirst, bool before, std::optional<bool> after,
                                            std::size_t conversions) const
{
    if (conversions == 0)
        return after ? betweenUs(isFirst, before, *after) : 0;
    return betweenUs(isFirst, before, false) + static_cast<double>(conversions - 1) * m_space.boundary().chainUs +
           (after ? betweenUs(false, false, *after) : 0);
}

void JointProgram::findToGo()
{
    m_toGo.assign(m_space.blocks(), {});
    for (std::size_t block = m_space.blocks(); block-- > 0;) {
        const StateSpace &space = m_space.block(block);
        std::vector<ToGo> &toGo = m_toGo[block];
        toGo.resize(space.states.count());
        toGo.back().us = block + 1 < m_space.blocks() ? m_toGo[block + 1].front().us : std::array<double, 2>{0, 0};
        for (std::uint32_t target = space.states.full(); target > 0; --target) {
            for (std::size_t i = space.firstTransition[target]; i < space.firstTransition[target + 1]; ++i) {
                const auto [rest, stage] = space.transitions[i];
                if (!isAllowed(block, stage))
                    continue;
                const bool concurrent = i >= space.firstConcurrent[target];
                const double behindUs =
                    m_space.atLeastUs(block, stage) + toGo[target].us[static_cast<std::size_t>(concurrent)];
                for (const bool last : {false, true}) {
                    const auto kind = static_cast<std::size_t>(last);
                    const double us = betweenUs(block == 0 && rest == 0, last, concurrent) + behindUs;
                    if (us < toGo[rest].us[kind]) {
                        toGo[rest].us[kind] = us;
                        toGo[rest].stage[kind] = stage;
                        toGo[rest].target[kind] = target;
                    }
                }
            }
        }
    }
}

Result<void> JointProgram::tighten()
{
    std::int64_t transitions = 0;
    for (std::size_t block = 0; block < m_space.blocks(); ++block)
        transitions += static_cast<std::int64_t>(m_space.block(block).transitions.size());
    for (std::int64_t steps = 0; steps < kMostBoundSteps; steps += transitions) {
        bool isEvaluated = true;
        const AllowedStages path = bestStages();
        for (std::size_t block = 0; block < path.size(); ++block) {
            for (std::uint32_t stage = 0; stage < path[block].size(); ++stage) {
                if (!path[block][stage] || m_space.isEvaluated(block, stage))
                    continue;
                isEvaluated = false;
                TRY(m_space.evaluated(block, stage, m_options.stop));
            }
        }
        if (isEvaluated)
            return {};
        if (auto on = goOn(); !on)
            return on;
        findToGo();
    }
    return {};
}

AllowedStages JointProgram::bestStages() const
{
    AllowedStages allowed;
    std::size_t kind = 0;
    for (std::size_t block = 0; block < m_space.blocks(); ++block) {
        const StateSpace &space = m_space.block(block);
        auto &stages = allowed.emplace_back(space.stages.size());
        for (std::uint32_t state = 0; state != space.states.full() && m_toGo[block][state].us[kind] != kImpossible;) {
            const ToGo &toGo = m_toGo[block][state];
            state = toGo.target[kind];
            const std::uint32_t stage = toGo.stage[kind];
            stages[stage] = true;
            kind = static_cast<std::size_t>(space.stages[stage].concurrent);
        }
    }
    return allowed;
}

template <typename Visit>
void JointProgram::combine(std::size_t block, const Reads &reads, double mostUs, const Conversion &soFar, Ways &ways,
                           const Visit &visit)
{
    ++m_steps;
    if (soFar.us > mostUs)
        return;
    if (soFar.tensors == reads.size()) {
        visit(soFar);
        return;
    }
    const auto &[tensor, wanted] = reads[soFar.tensors];
    const std::size_t slot = m_space.tensors(block).slotOf(tensor);
    const std::vector<CopiesWay> &all = m_space.waysOf(tensor).of(soFar.copies.at(slot, m_layouts), wanted);
    for (std::size_t i = 0; i < all.size(); ++i) {
        Conversion next{soFar.copies, soFar.us + all[i].us, soFar.hops + all[i].hops.size(), soFar.tensors + 1,
                        soFar.option * all.size() + i};
        next.copies.set(slot, m_layouts, all[i].copies);
        ways.push_back(&all[i]);
        combine(block, reads, mostUs, next, ways, visit);
        ways.pop_back();
    }
}

// Calls visit(option, ways, copies, us) for every way to make what a variant reads and run it, in a fixed order;
// conversions take `mostUs` at most.
template <typename Visit>
void JointProgram::forEachOption(std::size_t block, std::uint32_t target, bool isFirst, const State &state,
                                 const StageVariant &variant, bool isConcurrent, double mostUs, const Visit &visit)
{
    const BlockTensors &tensors = m_space.tensors(block);
    const OperatorSet done = m_space.block(block).states.set(target);
    const bool before = state.copies.at(0, m_layouts) != 0;
    Ways ways;
    ways.reserve(variant.reads.size());
    combine(block, variant.reads, mostUs, {state.copies}, ways, [&](const Conversion &made) {
        CopiesOfCut copies = made.copies;
        for (const auto &[tensor, wanted] : variant.reads) {
            const std::size_t slot = tensors.slotOf(tensor);
            if (!tensors.isLive(slot, done))
                copies.set(slot, m_layouts, 0);
        }
        for (const auto &[tensor, layout] : variant.writes)
            copies.set(tensors.slotOf(tensor), m_layouts, only(layout));
        copies.set(0, m_layouts, static_cast<LayoutSet>(isConcurrent ? 1 : 0));
        const double us =
            state.us + made.us + conversionBoundariesUs(isFirst, before, isConcurrent, made.hops) + variant.us;
        visit(made.option, ways, copies, us);
    });
}

Result<std::optional<JointProgram::States>> JointProgram::statesOf(std::size_t block, std::uint32_t target,
                                                                   const Limits &limits)
{
    // The dearest of the cheapest that will stay, where only some will.
    std::priority_queue<double> cheapest;
    const bool isFew = limits.statesOfSet < limits.states;
    const auto isTooDear = [&](double us) {
        const bool is = isFew && cheapest.size() == limits.statesOfSet && us > cheapest.top();
        m_isComplete = m_isComplete && !is;
        return is;
    };
    const StateSpace &space = m_space.block(block);
    const std::array<double, 2> behindUs = m_toGo[block][target].us;
    StatesByCopies<State> found;
    for (std::size_t i = space.firstTransition[target]; i < space.firstTransition[target + 1]; ++i) {
        const std::uint32_t rest = space.transitions[i].rest;
        const std::uint32_t stage = space.transitions[i].stage;
        const bool isConcurrent = i >= space.firstConcurrent[target];
        const double toGoUs = behindUs[static_cast<std::size_t>(isConcurrent)];
        const States &before = m_statesOf[block][rest];
        if (!isAllowed(block, stage) || before.empty())
            continue;
        const bool isFirst = block == 0 && rest == 0;
        const double margin = limits.us * (1 + kSumMargin);
        const auto mayBeBest = [&](const State &state, double stageUs) {
            return state.us + betweenUs(isFirst, state.copies.at(0, m_layouts) != 0, isConcurrent) + stageUs + toGoUs <=
                   margin;
        };
        const double atLeastUs = m_space.atLeastUs(block, stage);
        if (std::ranges::none_of(before, [&](const State &state) { return mayBeBest(state, atLeastUs); }))
            continue;
        TRY_AS(const auto variants, m_space.evaluated(block, stage, m_options.stop));
        for (std::uint32_t index = 0; index < before.size(); ++index) {
            for (std::uint32_t variant = 0; variant < variants->size(); ++variant) {
                const StageVariant &what = (*variants)[variant];
                if (!mayBeBest(before[index], what.us) || isTooDear(before[index].us + what.us))
                    continue;
                if (m_steps > limits.steps)
                    return std::nullopt;
                if (++m_transitions % kStatesPerReport == 0) {
                    TRY(goOn());
                }
                const double mostUs = margin - before[index].us - what.us - toGoUs;
                forEachOption(block, target, isFirst, before[index], what, isConcurrent, mostUs,
                              [&](std::uint64_t option, const Ways &, const CopiesOfCut &copies, double us) {
                                  if (us + toGoUs > margin || isTooDear(us))
                                      return;
                                  found.add({copies, us, index, rest, stage, variant, option});
                                  if (!isFew)
                                      return;
                                  cheapest.push(us);
                                  if (cheapest.size() > limits.statesOfSet)
                                      cheapest.pop();
                              });
            }
        }
    }
    return std::optional(found.take());
}

void JointProgram::keepFirst(States &states, std::size_t count)
{
    if (states.size() <= count)
        return;
    m_isComplete = false;
    std::ranges::nth_element(states, states.begin() + static_cast<std::ptrdiff_t>(count), {}, &State::us);
    states.resize(count);
}

JointProgram::States JointProgram::firstStates() const
{
    State first;
    for (std::size_t slot = 1; slot < m_space.tensors(0).slots(); ++slot) {
        if (m_space.problem().tensors[m_space.tensors(0).tensor(slot)].isInput)
            first.copies.set(slot, m_layouts, only(m_space.problem().fixed));
    }
    return {first};
}

// The states at the end of the block before, as those at the start of this one.
JointProgram::States JointProgram::handedOver(std::size_t block) const
{
    const BlockTensors &from = m_space.tensors(block - 1);
    const BlockTensors &to = m_space.tensors(block);
    States states;
    for (const State &before : m_statesOf[block - 1].back()) {
        State state;
        state.us = before.us;
        state.before = static_cast<std::uint32_t>(states.size());
        state.copies.set(0, m_layouts, before.copies.at(0, m_layouts));
        for (std::size_t slot = 1; slot < to.slots(); ++slot) {
            if (const std::size_t old = from.slotOf(to.tensor(slot)); old != 0)
                state.copies.set(slot, m_layouts, before.copies.at(old, m_layouts));
        }
        states.push_back(state);
    }
    return states;
}

JointProgram::Reads JointProgram::outputs() const
{
    Reads reads;
    const LayoutProblem &problem = m_space.problem();
    for (std::uint32_t tensor = 0; tensor < problem.tensors.size(); ++tensor) {
        if (problem.tensors[tensor].isOutput)
            reads.emplace_back(tensor, only(problem.fixed));
    }
    return reads;
}

// Calls visit(option, ways, us) for every way to convert the outputs.
template <typename Visit>
void JointProgram::forEachEnd(const State &state, const Visit &visit)
{
    Ways ways;
    combine(m_space.blocks() - 1, outputs(), kImpossible, {state.copies}, ways, [&](const Conversion &made) {
        const bool before = state.copies.at(0, m_layouts) != 0;
        visit(made.option, ways, state.us + made.us + conversionBoundariesUs(false, before, std::nullopt, made.hops));
    });
}

Result<void> JointProgram::goOn()
{
    if (m_options.stop.stop_requested())
        return fail(ErrorCode::Cancelled, "stopped");
    if (m_options.progress)
        m_options.progress(m_step, m_states);
    return {};
}

Result<std::optional<JointPath>> JointProgram::solve(const Limits &limits)
{
    m_isComplete = true;
    m_states = 0;
    m_transitions = 0;
    m_steps = 0;
    m_statesOf.assign(m_space.blocks(), {});
    for (std::size_t block = 0; block < m_space.blocks(); ++block) {
        m_statesOf[block].resize(m_space.block(block).states.count());
        m_statesOf[block].front() = block == 0 ? firstStates() : handedOver(block);
        for (std::uint32_t target = 1; target < m_statesOf[block].size(); ++target) {
            TRY_AS(auto found, statesOf(block, target, limits));
            const bool isTooMuch = !found.has_value();
            States states = std::move(found).value_or(States{});
            keepFirst(states, limits.statesOfSet);
            m_states += static_cast<std::int64_t>(states.size());
            m_statesOf[block][target] = std::move(states);
            if (isTooMuch || static_cast<std::size_t>(m_states) > limits.states) {
                m_isComplete = false;
                return std::nullopt;
            }
        }
    }
    double bestUs = kImpossible;
    std::uint32_t best = 0;
    std::uint64_t bestOption = 0;
    const States &last = m_statesOf.back().back();
    for (std::uint32_t index = 0; index < last.size(); ++index) {
        forEachEnd(last[index], [&](std::uint64_t option, const Ways &, double us) {
            if (us < bestUs) {
                bestUs = us;
                best = index;
                bestOption = option;
            }
        });
    }
    if (bestUs >= limits.us)
        return std::nullopt;
    return retrace(best, bestOption, bestUs);
}

JointPath JointProgram::retrace(std::uint32_t last, std::uint64_t endOption, double us)
{
    struct Ran {
        std::size_t block = 0;
        State after;
        std::uint32_t target = 0;
        State before;
    };
    std::vector<Ran> ran;
    std::uint32_t index = last;
    for (std::size_t block = m_space.blocks(); block-- > 0;) {
        for (std::uint32_t target = m_space.block(block).states.full(); target != 0;) {
            const State &state = m_statesOf[block][target][index];
            ran.push_back({block, state, target, m_statesOf[block][state.rest][state.before]});
            target = state.rest;
            index = state.before;
        }
        index = m_statesOf[block].front()[index].before;
    }
    std::ranges::reverse(ran);

    const LayoutProblem &problem = m_space.problem();
    JointPath path;
    LayoutAssignment &made = path.layouts;
    made.operators.resize(problem.operators.size());
    made.tensors.assign(problem.tensors.size(), problem.fixed);
    made.latencyUs = us;
    const auto note = [&](const Ways &ways, const Reads &reads) {
        for (std::size_t i = 0; i < ways.size(); ++i) {
            for (const ConversionHop &hop : ways[i]->hops)
                made.conversions.push_back(
                    {reads[i].first, hop.from, hop.to, problem.conversionUs(reads[i].first, hop.from, hop.to)});
        }
    };
    for (const Ran &step : ran) {
        const Stage stage = m_space.block(step.block).stage(step.after.stage);
        const StageVariant &variant =
            (**m_space.evaluated(step.block, step.after.stage, {}))[step.after.variant]; // it was evaluated before
        const std::vector<OperatorId> operators = operatorsOf(stage);
        for (std::size_t member = 0; member < operators.size(); ++member) {
            const std::size_t op = operators[member].index();
            made.operators[op] = variant.layouts[member];
            for (const std::uint32_t tensor : problem.operators[op].outputs)
                made.tensors[tensor] = variant.layouts[member].out;
        }
        forEachOption(step.block, step.target, false, step.before, variant, false, kImpossible,
                      [&](std::uint64_t option, const Ways &ways, const CopiesOfCut &, double) {
                          if (option == step.after.option)
                              note(ways, variant.reads);
                      });
        path.stages.push_back(stage);
    }
    forEachEnd(m_statesOf.back().back()[last], [&](std::uint64_t option, const Ways &ways, double) {
        if (option == endOption)
            note(ways, outputs());
    });
    bringForward(problem, made);
    return path;
}

} // namespace stagecraft
