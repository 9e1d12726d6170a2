#include "cli/co_run_answer.h"

#include "cli/command_line.h"
#include "cli/cost_text.h"
#include "cli/text_table.h"
#include "graph/operator_names.h"
#include "results/files/schedule_parts.h"
#include "results/schedule_words.h"
#include "support/error_text.h"
#include "support/shown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <utility>

namespace stagecraft {
namespace {

const CostBasis &basisOf(const CoRunAnswer &answer)
{
    return answer.found.plan().schedule.search.costs;
}

std::string queueBasis(const CoRunAnswer &answer)
{
    return fmt::format("a simulated queue: one request of each model at a time, not interrupted, with {} latencies",
                       toString(answer.device.provenance));
}

// One after another, and, where another plan was kept, with that.
std::vector<std::pair<std::string, QueueAnswer>> queuesOf(const CoRunAnswer &answer)
{
    std::vector<std::pair<std::string, QueueAnswer>> queues;
    const auto &arrivals = *answer.arrivals;
    queues.emplace_back(toString(CoRunKind::OneAfterAnother), queueOf(answer.found, arrivals, false));
    if (const CoRunPlan &plan = answer.found.plan(); plan.kind != CoRunKind::OneAfterAnother)
        queues.emplace_back(toString(plan.kind), queueOf(answer.found, arrivals, true));
    return queues;
}

// One after another in both orders, the other kinds each once, and what was kept.
std::vector<std::size_t> shownPlans(const CoRunPlans &found)
{
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < found.plans.size(); ++i) {
        const CoRunPlan &plan = found.plans[i];
        if (plan.variant.empty() || i < 2 || i == found.chosen)
            shown.push_back(i);
    }
    return shown;
}

std::vector<std::size_t> frontPlans(const CoRunPlans &found)
{
    std::vector<std::size_t> front;
    for (std::size_t i = 0; i < found.plans.size(); ++i) {
        if (found.plans[i].isOnFront)
            front.push_back(i);
    }
    std::ranges::stable_sort(front, {}, [&](std::size_t i) { return found.plans[i].endsUs; });
    return front;
}

void printPlans(const CoRunAnswer &answer)
{
    const CoRunPlans &found = answer.found;
    const auto &parts = found.both.parts;
    TextTable table({"plan", "both", speedupTitle(basisOf(answer)), parts[0].name, parts[1].name, ""});
    const auto add = [&](std::size_t i) {
        const CoRunPlan &plan = found.plans[i];
        table.add(shownText(nameOf(plan)), plainLatency(plan.latencyUs()),
                  speedupText(plan.against ? plan.against->speedup : 1), plainLatency(plan.endsUs[0]),
                  plainLatency(plan.endsUs[1]), i == found.chosen ? "kept" : "");
    };
    std::ranges::for_each(shownPlans(found), add);
    std::cout << table;
    TextTable front({"no plan here has both results earlier", parts[0].name, parts[1].name});
    for (const std::size_t i : frontPlans(found))
        front.add(shownText(nameOf(found.plans[i])), plainLatency(found.plans[i].endsUs[0]),
                  plainLatency(found.plans[i].endsUs[1]));
    std::cout << '\n' << front << '\n';
}

void printSearch(const CoRunPlans &found)
{
    std::cout << fmt::format("{} of {} over both were asked for; {}\n", counted(found.overBoth.asked, "stage"),
                             grouped(found.overBoth.possible),
                             found.overBoth.isProved ? "no schedule of such stages is faster than the one above"
                                                     : "the search ended before it could say that none is faster");
    if (found.noStreams)
        std::cout << "no streams: " << errorText(*found.noStreams) << '\n';
}

void printModels(const CoRunAnswer &answer)
{
    const CoRunPlans &found = answer.found;
    TextTable table({"model", "batch", "together", "alone", "slowdown", "deadline"});
    for (std::size_t i = 0; i < kUnionModels; ++i)
        table.add(shownText(found.both.parts[i].name), answer.batches[i], plainLatency(found.plan().endsUs[i]),
                  plainLatency(found.aloneUs(i)), speedupText(found.plan().endsUs[i] / found.aloneUs(i)),
                  answer.deadlinesUs[i] ? plainLatency(*answer.deadlinesUs[i]) : std::string());
    std::cout << '\n' << table;
}

void printWhy(const CoRunPlans &found)
{
    const auto &before = found.plans.front().parts;
    const auto &after = found.plan().parts;
    if (!before || !after)
        return;
    TextTable table({"where the time goes", nameOf(found.plans.front()), nameOf(found.plan())});
    for (std::size_t i = 0; i < kTimeParts; ++i) {
        const auto part = static_cast<TimePart>(i);
        if (before->has(part) || after->has(part))
            table.add(timePartText(part, after->sources), plainLatency(before->whole.of(part)),
                      plainLatency(after->whole.of(part)));
    }
    std::cout << '\n' << table;
}

void printTail(const CoRunAnswer &answer)
{
    const auto &parts = answer.found.both.parts;
    TextTable table({"requests", "busy", parts[0].name + " p50", "p99", parts[1].name + " p50", "p99"});
    for (const auto &[name, queue] : queuesOf(answer)) {
        std::vector<std::string> row{name, percent(queue.busyShare)};
        for (const TailLatency &tail : queue.models) {
            row.push_back(queue.isOverloaded ? "overloaded" : plainLatency(tail.p50Us));
            row.push_back(queue.isOverloaded ? "overloaded" : plainLatency(tail.p99Us));
        }
        table.add(row);
    }
    std::cout << '\n'
              << fmt::format("requests at random (Poisson, seed {}): {} a second of {}, {} of {}\n",
                             answer.arrivals->seed, answer.arrivals->perSecond[0], parts[0].name,
                             answer.arrivals->perSecond[1], parts[1].name)
              << table << queueBasis(answer) << '\n';
}

} // namespace

answers::CoRun coRunAnswer(const CoRunAnswer &answer)
{
    const CoRunPlans &found = answer.found;
    const CoRunPlan &kept = found.plan();
    answers::CoRun record{.model = found.both.source,
                          .device = answer.device,
                          .latencyUs = kept.latencyUs(),
                          .plan = std::string(toString(kept.kind)),
                          .speedup = kept.against ? kept.against->speedup : 1,
                          .rounds = found.rounds,
                          .stageSearch = {found.overBoth.asked, found.overBoth.possible, found.overBoth.refused,
                                          found.overBoth.isProved, found.overBoth.isFrontProved},
                          .streamSearch = found.streams,
                          .file = scheduleInFile(OperatorNames(*found.both.graph), kept.schedule),
                          .notes = found.both.report.notes,
                          .basis = basisOf(answer)};
    if (found.noStreams)
        record.noStreams = errorText(*found.noStreams);
    for (std::size_t i = 0; i < kUnionModels; ++i)
        record.models.push_back({found.both.parts[i].name, answer.batches[i], kept.endsUs[i], found.aloneUs(i),
                                 found.alone[i].schedule.streams.has_value(), answer.deadlinesUs[i]});
    for (std::size_t i = 0; i < found.plans.size(); ++i) {
        const CoRunPlan &plan = found.plans[i];
        record.plans.push_back({std::string(toString(plan.kind)), plan.variant, plan.latencyUs(),
                                plan.against.value_or(SpeedupEstimate{}), found.rounds > 1, plan.endsUs, plan.isOnFront,
                                i == found.chosen});
        if (plan.parts && (i == 0 || i == found.chosen))
            record.why.push_back({std::string(toString(plan.kind)), {*plan.parts}});
    }
    record.memory = {neededBytes(kept.schedule, *found.memory, {}), found.memory->use.arenaBytes,
                     found.memory->weightsBytes,
                     neededBytes(found.plans.front().schedule, *found.memoryOneAfterAnother, {}), found.memory->basis};
    if (answer.arrivals) {
        record.tail = {{answer.arrivals->perSecond.begin(), answer.arrivals->perSecond.end()},
                       answer.arrivals->seed,
                       queueBasis(answer),
                       {}};
        for (const auto &[name, queue] : queuesOf(answer))
            record.tail->queues.push_back(
                {name, queue.isOverloaded, queue.busyShare, {queue.models.begin(), queue.models.end()}});
    }
    return record;
}

void printCoRun(const CoRunAnswer &answer)
{
    const CoRunPlans &found = answer.found;
    const CoRunPlan &kept = found.plan();
    std::cout << costLines(basisOf(answer));
    printPlans(answer);
    printSearch(found);
    printModels(answer);
    printWhy(found);
    const auto text = [](std::size_t bytes) { return plainBytes(static_cast<double>(bytes)); };
    std::cout << fmt::format("\nmemory of both: {} ({} one after another), weights {} beside it; {}\n",
                             text(neededBytes(kept.schedule, *found.memory, {})),
                             text(neededBytes(found.plans.front().schedule, *found.memoryOneAfterAnother, {})),
                             text(found.memory->weightsBytes), found.memory->basis);
    if (answer.arrivals)
        printTail(answer);
    std::cout << fmt::format("\n{} on {}: {} ({}, {}) for both, {}: {} over one after another{}\n",
                             shownText(found.both.name), kept.schedule.context.device,
                             plainLatency(kept.latencyUs(), basisOf(answer)), provenanceWords(kept.schedule),
                             kept.schedule.context.precision, shownText(nameOf(kept)),
                             speedupText(kept.against ? kept.against->speedup : 1),
                             found.rounds > 0 ? fmt::format(", timed in {} rounds", found.rounds) : std::string())
              << simulationLines(kept.schedule.measured.calibration, kept.schedule.measured.simulationErrors);
}

} // namespace stagecraft
