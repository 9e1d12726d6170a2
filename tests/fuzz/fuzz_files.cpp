// Files of this program, about the network "sample" where they are about one, and tensors.

#include "device/npy.h"
#include "device/recorded/recorded_latencies.h"
#include "device/simulated/device_description.h"
#include "device/simulated/fit/measured_kernels.h"
#include "device/simulated/simulated_device.h"
#include "flow/open/schedule_file.h"
#include "flow/open_model.h"
#include "fuzz/target.h"
#include "measure/store/latency_store.h"
#include "results/files/schedule_json.h"
#include "results/files/session_json.h"
#include "schedule/verify.h"
#include "search/layouts/layout_costs.h"
#include "support/random_session.h"

namespace stagecraft::fuzz {
void readSchedule(std::string_view bytes)
{
    const Graph &graph = *sampleModel().graph;
    (void)batchOfSchedule(bytes);
    (void)modelOfSchedule(bytes);
    (void)unverifiedScheduleFromJson(bytes, graph, sampleModel().reference());
    const auto read = scheduleFromFile(std::string(bytes), sampleModel());
    if (!read)
        return;
    const auto again = scheduleFromJson(toJson(graph, *read), graph, sampleModel().blocks, sampleModel().reference());
    requireDone(again, "a schedule that was read can be written and read");
}

void readSession(std::string_view bytes)
{
    (void)autosaveNoteIn(bytes);
    const auto read = sessionFromJson(bytes);
    if (!read)
        return;
    (void)digestOf(bytes);
    const std::string text = toJson(*read);
    const auto again = sessionFromJson(text);
    requireDone(again, "a session that was read can be written and read");
    require(toJson(*again) == text, "a session keeps everything");
}

std::vector<std::string> madeSessions()
{
    std::vector<std::string> texts;
    for (std::uint32_t seed = 0; seed < 6; ++seed)
        texts.push_back(toJson(test::RandomSession(seed).session));
    return texts;
}

void readLatencies(std::string_view bytes)
{
    const auto read = recordedLatenciesFromText(bytes);
    if (!read)
        return;
    requireDone(recordedLatenciesFromText(toText(*read)), "latencies that were read can be written and read");
    auto store = LatencyStore::inMemory();
    requireDone(store, "a store in memory opens");
    (void)store->import(*read);
}

void readLayoutCosts(std::string_view bytes)
{
    const auto read = layoutCostsFrom(bytes, *sampleModel().graph);
    if (read)
        requireDone(layoutCostsFrom(toJson(*read), *sampleModel().graph),
                    "layout costs that were read can be written and read");
}

// A device that can be described can be asked.
void readDevice(std::string_view bytes)
{
    auto read = deviceDescriptionFromJson(bytes);
    if (!read)
        return;
    const auto session = makeSimulatedDevice(std::move(*read))->open(sampleModel().graph);
    if (!session)
        return;
    Stage stage;
    stage.groups = {{*sampleModel().graph->find("conv1")}};
    (void)(*session)->stageLatency(stage, {});
}

void readKernels(std::string_view bytes)
{
    (void)measuredKernelsFromCsv(bytes, "fuzzed.csv");
}

void readNpy(std::string_view bytes)
{
    (void)tensorFromNpy(bytes);
    const auto read = typedTensorFromNpy(bytes);
    if (read)
        requireDone(typedTensorFromNpy(toNpy(*read)), "a tensor that was read can be written and read");
}

void openStore(std::string_view bytes)
{
    const std::string path = fileWith("fuzzed.sqlite", bytes);
    auto store = LatencyStore::open(path);
    if (!store)
        return;
    const auto sets = store->list();
    if (!sets)
        return;
    for (const StoredSet &set : *sets) {
        (void)store->latencies(set.context);
        (void)store->samples(set.context);
        (void)store->exported(set.context);
    }
    (void)store->clear({});
}

} // namespace stagecraft::fuzz
