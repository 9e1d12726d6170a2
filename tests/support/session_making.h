#pragma once

// A session to export: two baselines, a search and a study of squeezenet on sim:v100, and a latency without a schedule.

#include "flow/find_schedule.h"
#include "results/files/session.h"
#include "results/pooled_latency.h"
#include "support/opened_model.h"
#include "wiring/device_catalog.h"

#include <memory>

namespace stagecraft::test {

inline Session shelfOfSqueezenet()
{
    const Model model = *openedModel("squeezenet");
    const auto device = *findDevice("sim:v100");
    const auto session = *device->open(model.graph);
    auto reference = std::make_shared<SessionModel>(SessionModel{{model.name, model.sha256}, 1, "squeezenet", {}});
    for (const Operator &op : model.graph->operators())
        reference->operators.push_back(op.name);
    std::uint32_t lastId = 0;
    const auto made = [&](ScheduleKind kind, const SearchOptions &options) {
        ScheduleResult result;
        result.id = ResultId{++lastId};
        result.title = title(kind);
        result.asked.strategy = toString(kind);
        result.origin = kind == ScheduleKind::IosBoth ? Origin::Searched : Origin::Baseline;
        result.settings = {reference->reference, "sim:v100", "1", 1, "fp32"};
        result.schedule = std::make_shared<const TimedSchedule>(
            findSchedule(model, *session, device->info(), {kind, options}, {}, {})->schedule);
        result.measurements.push_back(*measurementOf(*result.schedule, 1));
        return result;
    };
    Session shelf;
    shelf.models.push_back(reference);
    for (const ScheduleKind kind : {ScheduleKind::Sequential, ScheduleKind::Greedy, ScheduleKind::IosBoth})
        shelf.results.push_back(made(kind, {}));
    ScheduleResult stated = shelf.results.front();
    stated.id = ResultId{++lastId};
    stated.title = "what I run today";
    stated.origin = Origin::Stated;
    stated.schedule = nullptr;
    shelf.results.push_back(stated);
    SessionStudy study;
    for (const int r : {1, 2}) {
        SearchOptions options;
        options.r = r;
        study.points.push_back(made(ScheduleKind::IosBoth, options));
        study.stagesAsked.push_back(study.points.back().schedule->search.stageMeasurements);
    }
    shelf.studies.push_back(study);
    return shelf;
}

} // namespace stagecraft::test
