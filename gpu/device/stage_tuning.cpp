#include "gpu/device/stage_tuning.h"

#include "gpu/device/stopwatch.h"
#include "gpu/plan/joint_choice.h"
#include "schedule/launched_groups.h"

#include <algorithm>
#include <limits>

namespace stagecraft::gpu {
namespace {

constexpr double kWorthwhile = 0.01; // smaller gains are noise
constexpr int kRounds = 2;
constexpr int kRepeatsInGraph = 8;

double timeUs(GpuContext &context, Program &program)
{
    program.fillOutside();
    Stopwatch stopwatch(context, program, kRepeatsInGraph);
    stopwatch.wakeUp({});
    return stopwatch.medianUs();
}

} // namespace

Result<std::vector<StageTuner::Tuned>> StageTuner::tuned(const Stage &stage)
{
    const Schedule alone{.stages = {stage}};
    TRY_AS(const auto plain, Program::compile(m_context, alone));
    std::vector<std::string> keys;
    std::vector<std::vector<ConvChoice>> offers;
    std::vector<std::size_t> counts;
    for (const Task &task : plain->plan().tasks) {
        if (const auto *conv = std::get_if<ConvTask>(&task.work)) {
            keys.push_back(keyOf(*conv, m_context.options()));
            offers.push_back(m_context.choicesFor(*conv));
            counts.push_back(stage.concurrentGroups() > 1 ? offers.back().size() : 1);
        }
    }
    const auto cost = [&](const std::vector<std::size_t> &choice) {
        const auto program =
            Program::compile(m_context, alone, [&](std::size_t index, const ConvTask &) -> const ConvChoice & {
                return offers[index][choice[index]];
            });
        return program ? timeUs(m_context, **program) : std::numeric_limits<double>::infinity();
    };
    // A stage with nothing to choose is not timed.
    const bool isGiven = std::ranges::all_of(counts, [](std::size_t count) { return count == 1; });
    const std::vector<std::size_t> best =
        isGiven ? std::vector<std::size_t>(counts.size(), 0) : chooseJointly(counts, cost, kWorthwhile, kRounds);
    std::vector<Tuned> tuned;
    for (std::size_t i = 0; i < best.size(); ++i)
        tuned.push_back({std::move(keys[i]), offers[i][best[i]]});
    return tuned;
}

Result<std::unique_ptr<Program>> StageTuner::compile(const Schedule &schedule)
{
    if (schedule.streams)
        return Program::compile(m_context, schedule);
    std::vector<Tuned> choices;
    for (const Stage &stage : schedule.stages) {
        const bool concurrent = !stage.isMerged();
        auto groups = launchedGroups(stage);
        auto found = concurrent ? m_known.find(groups) : m_known.end();
        TRY_AS(auto made, found != m_known.end() ? found->second : tuned(stage));
        if (concurrent && found == m_known.end())
            m_known.emplace(std::move(groups), made);
        choices.insert(choices.end(), made.begin(), made.end());
    }
    return Program::compile(m_context, schedule, [&](std::size_t index, const ConvTask &conv) -> const ConvChoice & {
        return choices[index].key == keyOf(conv, m_context.options()) ? choices[index].choice
                                                                      : m_context.choicesFor(conv).front();
    });
}

} // namespace stagecraft::gpu
