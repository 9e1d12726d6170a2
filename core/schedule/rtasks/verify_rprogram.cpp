#include "schedule/rtasks/verify_rprogram.h"

#include "schedule/verify_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace stagecraft {

namespace {

class RProgramVerifier {
public:
    RProgramVerifier(const Graph &graph, const RProgram &program) : m_graph(graph), m_program(program) {}

    Result<void> verify(const ResidentUnits &resident)
    {
        TRY(checkOperators());
        TRY(checkTasks());
        for (std::size_t unit = 0; unit < m_program.units.size(); ++unit)
            TRY(checkReads(unit));
        TRY(checkProgress());
        return checkResidence(resident);
    }

private:
    [[nodiscard]] bool has(std::uint32_t rOperator) const { return rOperator < m_program.rOperators.size(); }
    [[nodiscard]] const ROperator &at(std::uint32_t rOperator) const { return m_program.rOperators[rOperator]; }
    [[nodiscard]] std::string name(std::uint32_t rOperator) const { return m_graph.op(at(rOperator).op).name; }
    [[nodiscard]] tl::unexpected<Error> fault(std::uint32_t rOperator, std::string reason) const
    {
        return refusedOperator(m_graph, at(rOperator).op, std::move(reason));
    }
    static std::string unitName(std::size_t unit) { return fmt::format("unit {}", unit + 1); }

    Result<void> checkOperators()
    {
        for (std::uint32_t i = 0; has(i); ++i) {
            const ROperator &one = at(i);
            if (!one.op.isValid() || one.op.index() >= m_graph.size())
                return refused(fmt::format("rOperator {} is of an operator that the model does not have", i + 1));
            if (one.chosen >= one.rKernels.size())
                return fault(i, fmt::format("its rKernel {} is chosen, of {}", one.chosen + 1, one.rKernels.size()));
            if (one.rKernel().rTasks < 1)
                return fault(i, "its rKernel has no rTasks");
            if (!std::ranges::all_of(one.reads, [&](std::uint32_t read) { return has(read); }))
                return fault(i, "it reads an rOperator that the rProgram does not have");
        }
        std::vector<State> states(m_program.rOperators.size(), State::New);
        for (std::uint32_t i = 0; has(i); ++i)
            TRY(checkCycle(i, states));
        return {};
    }

    enum class State { New, Open, Done };

    // Depth first, without recursion: reads may be as deep as the model.
    Result<void> checkCycle(std::uint32_t from, std::vector<State> &states) const
    {
        std::vector<std::pair<std::uint32_t, std::size_t>> path;
        const auto open = [&](std::uint32_t rOperator) {
            states[rOperator] = State::Open;
            path.emplace_back(rOperator, 0);
        };
        if (states[from] == State::New)
            open(from);
        while (!path.empty()) {
            auto &[rOperator, next] = path.back();
            if (next == at(rOperator).reads.size()) {
                states[rOperator] = State::Done;
                path.pop_back();
                continue;
            }
            const std::uint32_t read = at(rOperator).reads[next++];
            if (states[read] == State::Open)
                return fault(read, "it reads its own output, in a cycle");
            if (states[read] == State::New)
                open(read);
        }
        return {};
    }

    Result<void> checkTasks()
    {
        std::vector<std::vector<bool>> isPlaced;
        for (const ROperator &one : m_program.rOperators)
            isPlaced.emplace_back(static_cast<std::size_t>(one.rKernel().rTasks), false);
        for (std::size_t unit = 0; unit < m_program.units.size(); ++unit) {
            for (const UnitStep &step : m_program.units[unit])
                TRY(checkStep(unit, step, isPlaced));
        }
        for (std::uint32_t i = 0; has(i); ++i) {
            const auto missing = std::ranges::find(isPlaced[i], false);
            if (missing != isPlaced[i].end())
                return fault(i, fmt::format("its rTask {} is on no unit", missing - isPlaced[i].begin() + 1));
        }
        return {};
    }

    Result<void> checkStep(std::size_t unit, const UnitStep &step, std::vector<std::vector<bool>> &isPlaced) const
    {
        if (const Wait *wait = std::get_if<Wait>(&step)) {
            if (!std::ranges::all_of(wait->rOperators, [&](std::uint32_t one) { return has(one); }))
                return refused(unitName(unit) + " waits for an rOperator that the rProgram does not have");
            return {};
        }
        const RTask &task = std::get<RTask>(step);
        if (!has(task.rOperator))
            return refused(unitName(unit) + " runs an rTask of an rOperator that the rProgram does not have");
        std::vector<bool> &placed = isPlaced[task.rOperator];
        if (task.index < 0 || task.index >= std::ssize(placed))
            return fault(task.rOperator,
                         fmt::format("{} runs its rTask {}, of {}", unitName(unit), task.index + 1, placed.size()));
        const auto index = static_cast<std::size_t>(task.index);
        if (placed[index])
            return fault(task.rOperator, fmt::format("its rTask {} runs again on {}", index + 1, unitName(unit)));
        placed[index] = true;
        return {};
    }

    Result<void> checkReads(std::size_t unit) const
    {
        std::vector<std::int64_t> left; // by rOperator: rTasks that this unit has not seen the end of
        for (const ROperator &one : m_program.rOperators)
            left.push_back(one.rKernel().rTasks);
        for (const UnitStep &step : m_program.units[unit]) {
            if (const Wait *wait = std::get_if<Wait>(&step)) {
                for (const std::uint32_t one : wait->rOperators)
                    left[one] = 0;
                continue;
            }
            const RTask &task = std::get<RTask>(step);
            for (const std::uint32_t read : at(task.rOperator).reads) {
                if (left[read] > 0)
                    return fault(task.rOperator,
                                 fmt::format("its rTask {} on {} has not waited for {}, whose output it reads",
                                             task.index + 1, unitName(unit), name(read)));
            }
            left[task.rOperator] -= left[task.rOperator] > 0 ? 1 : 0;
        }
        return {};
    }

    // Runs all units as far as they come. Every rTask is placed.
    Result<void> checkProgress() const
    {
        std::vector<std::int64_t> left;
        for (const ROperator &one : m_program.rOperators)
            left.push_back(one.rKernel().rTasks);
        std::vector<std::size_t> next(m_program.units.size(), 0);
        bool hasMoved = true;
        while (hasMoved) {
            hasMoved = false;
            for (std::size_t unit = 0; unit < next.size(); ++unit) {
                const auto &steps = m_program.units[unit];
                for (; next[unit] < steps.size() && openWait(steps[next[unit]], left) == kNone; ++next[unit]) {
                    if (const RTask *task = std::get_if<RTask>(&steps[next[unit]]))
                        --left[task->rOperator];
                    hasMoved = true;
                }
            }
        }
        for (std::size_t unit = 0; unit < next.size(); ++unit) {
            if (next[unit] < m_program.units[unit].size()) {
                const std::uint32_t awaited = openWait(m_program.units[unit][next[unit]], left);
                return fault(awaited, fmt::format("{} waits for it for ever", unitName(unit)));
            }
        }
        return {};
    }

    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    // What the step still waits for.
    static std::uint32_t openWait(const UnitStep &step, const std::vector<std::int64_t> &left)
    {
        if (const Wait *wait = std::get_if<Wait>(&step)) {
            for (const std::uint32_t one : wait->rOperators) {
                if (left[one] > 0)
                    return one;
            }
        }
        return kNone;
    }

    // Units that are not resident together wait for each other for ever.
    Result<void> checkResidence(const ResidentUnits &resident) const
    {
        if (m_program.rOperators.empty())
            return {};
        const UnitNeeds needs = greediest(m_program.rOperators);
        const std::int64_t most = resident(needs);
        if (std::ssize(m_program.units) <= most)
            return {};
        const auto isGreediest = [&](const ROperator &one) {
            return one.rKernel().needs.registersPerThread == needs.registersPerThread;
        };
        const auto greedy = std::ranges::find_if(m_program.rOperators, isGreediest);
        return fault(static_cast<std::uint32_t>(greedy - m_program.rOperators.begin()),
                     fmt::format("{} units with what its rKernel {} needs are not resident together, only {}",
                                 m_program.units.size(), greedy->rKernel().name, most));
    }

    const Graph &m_graph;
    const RProgram &m_program;
};

} // namespace

Result<void> verifyRProgram(const Graph &graph, const RProgram &program, const ResidentUnits &resident)
{
    return RProgramVerifier(graph, program).verify(resident);
}

} // namespace stagecraft
