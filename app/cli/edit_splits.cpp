#include "cli/edit_splits.h"

#include "flow/find/measured.h"
#include "flow/open/split_opened.h"
#include "flow/open_model.h"
#include "model/rewrite/split_operators.h"
#include "schedule/stage_groups.h"

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

Result<double> latencyOf(TimedSchedule schedule, const Model &model, const DeviceOption &device,
                         const std::stop_token &stop)
{
    TRY_AS(auto opened, device.open(model));
    schedule.layouts = {}; // an edit runs in those that the device chooses
    if (auto measured = measureInto(schedule, model, *opened.session, opened.info, stop); !measured)
        return withinModel(model, std::move(measured.error()));
    return schedule.latencyUs().value_or(0);
}

// Without latencies.
TimedSchedule asSplit(const TimedSchedule &schedule, const Schedule &made, const Reading &reading)
{
    TimedSchedule split{made, schedule.context, {}, {}};
    split.context.model.reading = reading;
    split.search.strategy = schedule.search.strategy;
    split.search.editedFrom = schedule.search.editedFrom;
    return split;
}

} // namespace

void SplitInEdit::addTo(EditedByHand &edited, const Graph &graph) const
{
    edited.unsplitUs = beforeUs;
    std::set<std::size_t> changed(edited.changed.begin(), edited.changed.end());
    const std::vector<std::size_t> stageOf = stageOfOperators(graph, edited.schedule.stages);
    auto word = edited.words.begin();
    for (const auto &[op, parts] : splits) {
        word = std::next(edited.words.insert(
            word, fmt::format("{} split into {} parts{}", op, parts, byRows.contains(op) ? " by rows" : "")));
        changed.insert(stageOf[graph.find(nameOfJoin(op))->index()]);
        for (std::int64_t part = 1; part <= parts; ++part)
            changed.insert(stageOf[graph.find(nameOfPart(op, part))->index()]);
    }
    edited.changed.assign(changed.begin(), changed.end());
}

Result<SplitInEdit> splitInEdit(ScheduledModel &opened, const ModelOptions &options, const DeviceOption &device,
                                const std::stop_token &stop)
{
    SplitInEdit result;
    Reading wanted;
    TRY(options.readSplits(wanted));
    result.splits = wanted.splits;
    result.byRows = wanted.splitByRows;
    if (result.splits.empty())
        return result;
    const Model before = opened.model;
    auto made = splitInSchedule(opened.model, opened.schedule, result.splits, result.byRows);
    if (!made)
        return within("--split-operator", std::move(made.error()));
    if (!device.id.empty()) {
        TRY_AS(const auto us, latencyOf(opened.schedule, before, device, stop));
        result.beforeUs = us;
    }
    opened.schedule = asSplit(opened.schedule, *made, opened.model.reading);
    if (opened.file)
        opened.file = asSplit(*opened.file, *made, opened.model.reading);
    return result;
}

} // namespace stagecraft
