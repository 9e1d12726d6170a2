#pragma once

// The answer on two models that run on one device.

#include "answers/answer_parts.h"
#include "answers/comparison_answers.h"
#include "device/device.h"
#include "flow/co_run.h"
#include "search/search_record.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

void eachMember(Of<TailLatency> auto &tail, auto &&visit)
{
    visit({"requests", "that arrived and were served", Unit::Count}, tail.requests);
    visit({"p50_us", "half of them had their result in as much time from their arrival", Unit::Us}, tail.p50Us);
    visit({"p99_us", "99 % of them had", Unit::Us}, tail.p99Us);
}

namespace answers {

struct CoRunModel {
    std::string name;
    std::int64_t batch = 0;
    double latencyUs = 0;
    double aloneUs = 0;
    bool isAloneInStreams = false;
    std::optional<double> deadlineUs = {};
};

void eachMember(Of<CoRunModel> auto &model, auto &&visit)
{
    visit({"name", "as --rate and --deadline take it, and before the names of its operators"}, model.name);
    visit(fields::kBatch, model.batch);
    visit({"latency_us", "from the start of both until it has its result, with the plan that was kept", Unit::Us},
          model.latencyUs);
    visit({"alone_us", "with its own best schedule and the device to itself", Unit::Us}, model.aloneUs);
    visit({"alone_plan", "what that schedule is: stages or streams"},
          std::string(model.isAloneInStreams ? "streams" : "stages"));
    visit({"slowdown", "latency_us over alone_us", Unit::Times},
          model.aloneUs > 0 ? model.latencyUs / model.aloneUs : 0);
    visit({"deadline_us", "with --deadline of this model", Unit::Us}, model.deadlineUs, model.deadlineUs.has_value());
}

struct CoRunPlanned {
    std::string kind;
    std::string variant;
    double latencyUs = 0;
    SpeedupEstimate against{};
    bool isTimedInRounds = false;
    std::array<double, kUnionModels> modelsUs{};
    bool isOnFront = false;
    bool isChosen = false;
};

void eachMember(Of<CoRunPlanned> auto &plan, auto &&visit)
{
    visit({"kind", "one-after-another, side-by-side, stages or streams"}, plan.kind);
    visit({"variant", "which of its kind; empty: the usual one"}, plan.variant);
    visit({"latency_us", "until both models have their results", Unit::Us}, plan.latencyUs);
    visit({"speedup", "against the first plan, one after another", Unit::Times}, plan.against.speedup);
    visit({"speedup_interval", "where plans were timed in rounds: both ends of the 95 % interval of speedup",
           Unit::Times},
          intervalOf(plan.against), plan.isTimedInRounds);
    visit({"verdict", "in rounds: faster, slower, same or no difference shown; null: none is drawn"},
          plan.isTimedInRounds ? statedVerdict(plan.against) : std::nullopt);
    visit({"models_us", "when each model has its result, in the order of models", Unit::Us}, plan.modelsUs);
    visit({"front", "whether no other plan here gives both models their results as early, and one of them earlier"},
          plan.isOnFront);
    visit({"chosen", "whether it is the one that was kept"}, plan.isChosen);
}

struct UnionSearchRecord {
    std::int64_t asked = 0;
    std::int64_t possible = 0;
    std::int64_t refused = 0;
    bool isProved = false;
    bool isFrontProved = false;
};

void eachMember(Of<UnionSearchRecord> auto &search, auto &&visit)
{
    visit({"stages_asked", "stages over both models whose latency was asked for", Unit::Count}, search.asked);
    visit({"stages_possible", "stages over both models that there are", Unit::Count}, search.possible);
    visit({"stages_refused", "of those asked for, refused by the device and left out", Unit::Count}, search.refused);
    visit({"proved", "whether no other schedule of such stages is faster; of measured latencies, if a stage takes at "
                     "least as long as each of its parts"},
          search.isProved);
    visit({"front_proved", "whether the same is so of the front of the models' latencies"}, search.isFrontProved);
}

struct CoRunMemory {
    std::size_t peakBytes = 0;
    std::size_t arenaBytes = 0;
    std::size_t weightsBytes = 0;
    std::size_t oneAfterAnotherBytes = 0;
    std::string basis;
};

void eachMember(Of<CoRunMemory> auto &memory, auto &&visit)
{
    visit({"peak_bytes",
           "of the plan that was kept: the most that is live in one stage, workspace included; of streams: the arena",
           Unit::Bytes},
          memory.peakBytes);
    visit({"arena_bytes", "of one arena for all tensors of both", Unit::Bytes}, memory.arenaBytes);
    visit({"weights_bytes", "of both models, beside it", Unit::Bytes}, memory.weightsBytes);
    visit({"one_after_another_bytes", "as peak_bytes, one after another", Unit::Bytes}, memory.oneAfterAnotherBytes);
    visit({"basis", "whose plan it is"}, memory.basis);
}

struct CoRunWhy {
    std::string plan;
    ExplainedWhole whole;
};

void eachMember(Of<CoRunWhy> auto &why, auto &&visit)
{
    visit({"plan", "its kind"}, why.plan);
    eachMember(why.whole, visit);
}

struct CoRunQueue {
    std::string plan;
    bool isOverloaded = false;
    double busyShare = 0;
    std::vector<TailLatency> models{};
};

void eachMember(Of<CoRunQueue> auto &queue, auto &&visit)
{
    visit({"plan", "one-after-another, or the kind of the plan that was kept"}, queue.plan);
    visit({"overloaded", "whether requests arrive faster than they are served: percentiles then grow with time"},
          queue.isOverloaded);
    visit({"busy", "share of the time in which the device works", Unit::Share}, queue.busyShare);
    visit({"models", "the requests to one model, in the order of models"}, queue.models);
}

struct CoRunTail {
    std::vector<double> perSecond{};
    std::uint64_t seed = 0;
    std::string basis;
    std::vector<CoRunQueue> queues{};
};

void eachMember(Of<CoRunTail> auto &tail, auto &&visit)
{
    visit({"arrivals", "poisson: at random, independently for each model"}, std::string("poisson"));
    visit({"per_second", "requests to each model, in the order of models", Unit::Number}, tail.perSecond);
    visit({"seed", "of the arrivals", Unit::Number}, tail.seed);
    visit({"basis", "what the percentiles rest on"}, tail.basis);
    visit({"queues", "one after another, and with the plan that was kept"}, tail.queues);
}

struct CoRun {
    static constexpr Title kTitle{"co-run", "stagecraft-cli co-run MODEL MODEL [--rate ...] [--deadline ...] --json",
                                  "two models on one device: the plan for both, and what each takes"};
    std::string model;
    DeviceInfo device;
    double latencyUs = 0;
    std::string plan;
    double speedup = 1;
    int rounds = 0;
    std::vector<CoRunModel> models{};
    std::vector<CoRunPlanned> plans{};
    UnionSearchRecord stageSearch{};
    std::optional<StreamSearchRecord> streamSearch{};
    std::optional<std::string> noStreams{};
    CoRunMemory memory{};
    std::vector<CoRunWhy> why{};
    std::optional<CoRunTail> tail{};
    ScheduleInFile file;
    std::vector<ImportNote> notes{};
    CostBasis basis;
};

void eachMember(Of<CoRun> auto &answer, auto &&visit)
{
    visit({"model", "both models as one, as other commands take it: MODEL+MODEL"}, answer.model);
    visit(fields::kDevice, answer.device.id);
    visit(fields::kCalibration, answer.device.calibration);
    visitSimulationErrors(answer.device.simulationErrors, visit);
    visit(fields::kProvenanceOfAll, answer.device.provenance);
    visit({"latency_us", "until both models have their results, with the plan that was kept", Unit::Us},
          answer.latencyUs);
    visit({"plan", "the kind of that plan: one-after-another, side-by-side, stages or streams"}, answer.plan);
    visit({"speedup", "of that plan over one after another", Unit::Times}, answer.speedup);
    visit({"rounds", "in which the plans were timed; 0: not", Unit::Count}, answer.rounds);
    visit({"models", "a model, in the order of the command"}, answer.models);
    visit({"plans", "a plan that was timed; the first is one after another"}, answer.plans);
    visit({"stage_search", "the search for stages over both"}, answer.stageSearch);
    visit({"stream_search", "that for streams over both, where it ran"}, answer.streamSearch,
          answer.streamSearch.has_value());
    visit({"no_streams", "why there are no streams, where the device runs none"}, answer.noStreams,
          answer.noStreams.has_value());
    visit({"memory", "of the plan that was kept"}, answer.memory);
    visit({"why", "where the time of one after another and of the plan that was kept goes, by resource"}, answer.why);
    visit({"tail", "with --rate: latencies of requests in a simulated queue"}, answer.tail, answer.tail.has_value());
    visit(fields::kSchedule, answer.file);
    visit(fields::kNotes, answer.notes);
    visitBasis(answer.basis, visit);
}

} // namespace answers
} // namespace stagecraft
