#include "search/layouts/joint_search.h"

#include "search/layouts/joint_program.h"

#include <algorithm>

namespace stagecraft {
namespace {

constexpr int kMostRounds = 20;

// The stages of a schedule, found again in the spaces of the blocks.
AllowedStages onlyThese(const JointSpace &space, std::span<const Stage> stages)
{
    AllowedStages allowed(space.blocks());
    for (std::size_t block = 0; block < space.blocks(); ++block) {
        const auto count = static_cast<std::uint32_t>(space.block(block).stages.size());
        for (std::uint32_t stage = 0; stage < count; ++stage)
            allowed[block].push_back(std::ranges::find(stages, space.block(block).stage(stage)) != stages.end());
    }
    return allowed;
}

// Every operator in these layouts, conversions as they are.
LayoutProblem withPairs(LayoutProblem problem, std::span<const LayoutPair> pairs)
{
    for (std::size_t i = 0; i < problem.operators.size(); ++i) {
        std::erase_if(problem.operators[i].choices,
                      [&](const LayoutProblem::Choice &choice) { return choice.layouts != pairs[i]; });
    }
    return problem;
}

class JointSearch {
public:
    JointSearch(const LayoutProblem &problem, JointSpace space, const JointOptions &options)
        : m_problem(problem), m_space(std::move(space)), m_options(options)
    {
    }

    Result<JointResult> run()
    {
        TRY(alternate());
        JointProgram joint(m_space, {}, m_options, "stages and layouts together");
        TRY(joint.tighten());
        m_result.lowerBoundUs = joint.lowerBoundUs();
        m_result.proved = m_best && m_result.lowerBoundUs >= bestUs();
        if (!m_result.proved && m_options.maxStates > 0) {
            TRY_AS(auto better, joint.solve({bestUs(), m_options.maxStates, m_options.maxStates, kMostSteps}));
            if (better)
                m_best = std::move(better);
            m_result.proved = joint.isComplete() && m_space.isComplete();
        }
        if (!m_best)
            return refused("no stages and layouts were found that are possible together",
                           "add the latencies that are missing, or allow more layouts");
        if (m_result.proved)
            m_result.lowerBoundUs = bestUs();
        m_result.states = joint.states();
        m_result.transitions = joint.transitions();
        m_result.stagesEvaluated = m_space.evaluations();
        m_result.stagesOfSpace = m_space.stages();
        m_result.stages = std::move(m_best->stages);
        m_result.layouts = std::move(m_best->layouts);
        return std::move(m_result);
    }

private:
    // Infinity: none.
    static double latencyOf(const std::optional<JointPath> &path)
    {
        double us = kImpossible;
        if (path)
            us = path->layouts.latencyUs;
        return us;
    }
    [[nodiscard]] double bestUs() const { return latencyOf(m_best); }

    // Finds nothing where each order of the two searches ends in layouts that some stage does not have.
    Result<void> alternate()
    {
        LayoutSearchOptions layoutOptions;
        layoutOptions.stop = m_options.stop;
        layoutOptions.maxStates = m_options.maxStatesOfSet;
        TRY_AS(const auto alone, searchLayouts(m_problem, layoutOptions));
        TRY_AS(auto first, stagesFor(alone.best.operators, kImpossible));
        TRY_AS(auto plain, stagesIn(allIn(m_problem, m_problem.fixed), kImpossible));
        TRY_AS(auto second, plain ? layoutsFor(plain->stages, kImpossible) : std::move(plain));
        if (!first && !second)
            return {};
        m_result.layoutsThenStagesUs = latencyOf(first);
        m_result.stagesThenLayoutsUs = latencyOf(second);
        const bool isFirstBetter = m_result.layoutsThenStagesUs <= m_result.stagesThenLayoutsUs;
        m_best = std::move(isFirstBetter ? first : second);
        for (bool isBetter = true; isBetter && m_result.rounds < kMostRounds;) {
            isBetter = false;
            ++m_result.rounds;
            for (const bool stagesChange : {!isFirstBetter, isFirstBetter}) {
                const double beforeUs = bestUs();
                TRY_AS(auto next, stagesChange ? stagesFor(m_best->layouts.operators, beforeUs)
                                               : layoutsFor(m_best->stages, beforeUs));
                if (next) {
                    m_best = std::move(next);
                    isBetter = true;
                }
            }
        }
        return {};
    }

    // The best stages for layouts.
    Result<std::optional<JointPath>> stagesFor(std::span<const LayoutPair> pairs, double limitUs)
    {
        return stagesIn(withPairs(m_problem, pairs), limitUs);
    }

    Result<std::optional<JointPath>> stagesIn(const LayoutProblem &restricted, double limitUs)
    {
        JointSpace space = m_space.with(restricted);
        JointProgram program(space, {}, m_options, "stages for layouts");
        TRY(program.tighten());
        // What the stages of least bound take once their conversions are paid is a limit for the others.
        JointProgram narrow(space, program.bestStages(), m_options, "stages for layouts");
        auto found = narrow.solve({.us = limitUs, .statesOfSet = m_options.maxStatesOfSet});
        if (!found)
            return found;
        const double foundUs = *found ? (*found)->layouts.latencyUs : limitUs;
        return orBetter(program, std::move(*found), foundUs);
    }

    // The best layouts for stages.
    Result<std::optional<JointPath>> layoutsFor(std::span<const Stage> stages, double limitUs)
    {
        JointProgram program(m_space, onlyThese(m_space, stages), m_options, "layouts for stages");
        TRY(program.tighten());
        // What few states find is a limit for many.
        auto found = program.solve({.us = limitUs, .statesOfSet = kFewStates});
        if (!found)
            return found;
        const double foundUs = *found ? (*found)->layouts.latencyUs : limitUs;
        return orBetter(program, std::move(*found), foundUs);
    }

    // What the program finds below the limit within its states, or `found`.
    Result<std::optional<JointPath>> orBetter(JointProgram &program, std::optional<JointPath> found, double limitUs)
    {
        auto better = program.solve({limitUs, kStatesInTurn, m_options.maxStatesOfSet, kStepsInTurn});
        if (!better || *better)
            return better;
        return found;
    }

    static constexpr std::int64_t kMostSteps = 10'000'000'000; // of the joint program: some ten minutes
    // Of each turn of the alternation.
    static constexpr std::size_t kFewStates = 64; // of a set
    static constexpr std::size_t kStatesInTurn = 1'000'000;
    static constexpr std::int64_t kStepsInTurn = 100'000'000;

    const LayoutProblem &m_problem;
    JointSpace m_space;
    const JointOptions &m_options;
    std::optional<JointPath> m_best;
    JointResult m_result;
};

} // namespace

Result<JointResult> searchJointly(const Graph &graph, const Blocks &blocks, const LayoutProblem &problem,
                                  LayoutStageSource &source, const JointOptions &options)
{
    TRY_AS(auto space, JointSpace::make(graph, blocks, problem, source, options));
    return JointSearch(problem, std::move(space), options).run();
}

} // namespace stagecraft
