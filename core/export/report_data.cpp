#include "export/report_data.h"

#include "export/report_words.h"
#include "export/schedule_tables.h"
#include "graph/attribute_words.h"
#include "graph/operator_cost.h"
#include "operators/schema.h"
#include "results/schedule_words.h"
#include "schedule/streams/streams.h"
#include "support/shown_text.h"
#include "timing/timeline/timeline_rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stagecraft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestValue = 300; // of an attribute, in bytes
constexpr std::size_t kMostSteps = 1200;   // of a counter

void addText(Json &object, const char *key, const std::string &text)
{
    if (!text.empty())
        object[key] = shownText(text);
}

Json numbersOf(std::span<const OperatorId> operators)
{
    Json numbers = Json::array();
    for (const OperatorId id : operators)
        numbers.push_back(id.index());
    return numbers;
}

std::string cut(const std::string &text)
{
    if (text.size() <= kLongestValue)
        return text;
    std::size_t end = kLongestValue;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
        --end; // not within a character
    return text.substr(0, end) + "...";
}

Json attributesOf(const Operator &op)
{
    Json attributes = Json::array();
    for (const auto &[key, value] : attributeWords(op))
        attributes.push_back({shownText(key), shownText(cut(value))});
    return attributes;
}

Json operatorOf(const Graph &graph, OperatorId id, std::size_t block)
{
    const Operator &op = graph.op(id);
    Json object{{"name", shownText(op.name)}, {"type", shownText(displayType(op))}, {"block", block}};
    object["output"] = toString(graph.outputShape(id));
    if (const double count = flops(graph, id); count > 0)
        object["flops"] = count;
    if (const double count = memoryBytes(graph, id); count > 0)
        object["bytes"] = count;
    object["reads"] = numbersOf(graph.predecessors(id));
    if (Json attributes = attributesOf(op); !attributes.empty())
        object["attributes"] = std::move(attributes);
    return object;
}

Json operatorsOf(const Graph &graph, const Blocks &blocks)
{
    std::vector<std::size_t> blockOf(graph.size(), 0);
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        for (const OperatorId id : blocks[block].operators)
            blockOf[id.index()] = block;
    }
    Json operators = Json::array();
    for (std::size_t i = 0; i < graph.size(); ++i)
        operators.push_back(operatorOf(graph, OperatorId::fromIndex(i), blockOf[i]));
    return operators;
}

Json stagesOf(const TimedSchedule &schedule)
{
    Json stages = Json::array();
    for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
        const Stage &stage = schedule.stages[i];
        Json object{{"block", stage.block}, {"strategy", toString(stage.strategy)}, {"groups", Json::array()}};
        for (const auto &group : stage.groups)
            object["groups"].push_back(numbersOf(group));
        if (schedule.hasStageLatencies())
            object["latencyUs"] = schedule.measured.stages[i].latencyUs;
        if (!stage.launchOrder.empty())
            object["launchOrder"] = numbersOf(stage.launchOrder);
        stages.push_back(std::move(object));
    }
    return stages;
}

Json streamsOf(const Streams &streams)
{
    const std::vector<std::size_t> rows = launchRows(streams);
    Json launches = Json::array();
    for (std::size_t i = 0; i < streams.launches.size(); ++i) {
        const StreamLaunch &launch = streams.launches[i];
        launches.push_back({{"operators", numbersOf(launch.operators)},
                            {"stream", launch.stream},
                            {"waits", launch.waits},
                            {"row", rows[i]}});
    }
    return {{"count", streams.count}, {"launches", std::move(launches)}};
}

// Steps of equal length, each with the mean over it, where there are too many.
Json counterOf(const CounterSeries &series, std::int64_t durationNs)
{
    Json times = Json::array();
    Json values = Json::array();
    const std::size_t count = std::min(series.timesNs.size(), series.values.size());
    const auto step = static_cast<std::int64_t>(
        count > kMostSteps ? std::max<std::int64_t>(durationNs / static_cast<std::int64_t>(kMostSteps), 1) : 1);
    std::size_t i = 0;
    while (i < count) {
        const std::int64_t from = series.timesNs[i];
        std::size_t last = i;
        double area = 0;
        std::int64_t until = from;
        for (; last < count && (last == i || series.timesNs[last] < from + step); ++last) {
            until = last + 1 < count ? series.timesNs[last + 1] : durationNs;
            area += series.values[last] * static_cast<double>(until - series.timesNs[last]);
        }
        times.push_back(from);
        values.push_back(until > from ? area / static_cast<double>(until - from) : series.values[i]);
        i = last;
    }
    return {{"name", series.name},       {"unit", series.unit}, {"kind", series.kind},
            {"maximum", series.maximum}, {"times", times},      {"values", values}};
}

Json rowNames(const Timeline &timeline)
{
    Json names = Json::array();
    for (std::size_t row = 0; row < timeline.streams; ++row)
        names.push_back(row < timeline.streamNames.size()
                            ? shownText(timeline.streamNames[row])
                            : fmt::format("{} {}", hasThreadRows(timeline) ? "thread" : "stream", row + 1));
    return names;
}

Json timelineOf(const Timeline &timeline)
{
    Json kernels = Json::array();
    for (const KernelSpan &kernel : timeline.kernels) {
        const TimelineRows rows = rowsOf(kernel, timeline);
        kernels.push_back({rows.first, rows.count, kernel.startNs, kernel.endNs,
                           kernel.stageOrNone() ? Json(*kernel.stageOrNone()) : Json(nullptr),
                           numbersOf(kernel.operators), shownText(kernel.name)});
    }
    Json object{{"provenance", toString(timeline.provenance)},
                {"device", shownText(timeline.device)},
                {"durationNs", timeline.durationNs},
                {"rows", rowNames(timeline)},
                {"notes", Json::array()},
                {"kernels", std::move(kernels)}};
    for (const std::string &note : timeline.notes)
        object["notes"].push_back(shownText(note));
    if (!timeline.counters.empty())
        object["counter"] = counterOf(timeline.counters.front(), timeline.durationNs);
    return object;
}

void addSchedule(Json &object, const TimedSchedule &schedule)
{
    object["order"] = orderText(schedule);
    addText(object, "stageProvenance", provenanceOf(schedule));
    if (schedule.streams)
        object["streams"] = streamsOf(*schedule.streams);
    else
        object["stages"] = stagesOf(schedule);
}

Json resultOf(const RatedResult &result)
{
    Json object{{"name", shownText(result.name)}, {"latency", reportedLatency(result)}};
    addText(object, "madeBy", result.madeBy);
    if (const auto latencyUs = result.latencyUs())
        object["latencyUs"] = *latencyUs;
    addText(object, "provenance", result.origin);
    if (result.speedup)
        object["speedup"] = *result.speedup;
    addText(object, "note", result.note);
    addText(object, "whyNot", result.whyNot);
    if (result.schedule)
        addSchedule(object, *result.schedule);
    if (result.timeline)
        object["timeline"] = timelineOf(result.timeline->timeline());
    addText(object, "whyNoTimeline", whyNoTimeline(result));
    return object;
}

} // namespace

std::string reportData(const ReportedGroup &group)
{
    Json data{{"model", shownText(group.model.name)},
              {"device", shownText(group.device)},
              {"batch", group.batch},
              {"precision", group.precision}};
    addText(data, "baseline", group.baseline);
    if (group.chosen)
        data["chosen"] = *group.chosen;
    data["operators"] = operatorsOf(*group.graph, group.blocks);
    data["results"] = Json::array();
    for (const RatedResult &result : group.results)
        data["results"].push_back(resultOf(result));
    std::string text;
    for (const char letter : data.dump(-1, ' ', false, Json::error_handler_t::replace))
        text += letter == '<' ? std::string("\\u003c") : std::string(1, letter);
    return text;
}

} // namespace stagecraft
