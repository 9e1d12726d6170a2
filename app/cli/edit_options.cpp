#include "cli/edit_options.h"

#include "schedule/compare/difference.h"
#include "schedule/edit/edit_history.h"
#include "schedule/streams/require_stages.h"
#include "schedule/streams/stream_events.h"

#include "support/closest_name.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::string_view kStreamEdits[]{"--to-stream", "--launch-before", "--launch-after",
                                          "--swap",      "--add-event",     "--drop-event"};

std::vector<std::string> pieces(std::string_view text)
{
    std::vector<std::string> result;
    for (std::size_t from = 0;;) {
        const std::size_t comma = text.find(',', from);
        result.emplace_back(text.substr(from, comma == std::string_view::npos ? comma : comma - from));
        if (comma == std::string_view::npos)
            return result;
        from = comma + 1;
    }
}

Result<std::size_t> stageNumber(std::string_view text)
{
    return numberFrom(text, "stage", "Stages are counted from 1, as measure --stages shows them");
}

// A comma may be part of a name: the longest existing name is taken.
Result<std::vector<OperatorId>> operatorsNamed(std::string_view text, const Graph &graph)
{
    const std::vector<std::string> parts = pieces(text);
    std::vector<OperatorId> operators;
    for (std::size_t from = 0; from < parts.size();) {
        std::size_t taken = 0;
        std::string name;
        for (std::size_t to = from; to < parts.size(); ++to) {
            name += (to == from ? "" : ",") + parts[to];
            if (const auto id = graph.find(name)) {
                operators.resize(operators.size() - (taken > 0 ? 1 : 0));
                operators.push_back(*id);
                taken = to + 1 - from;
            }
        }
        if (taken == 0) {
            std::vector<std::string> names;
            for (const Operator &op : graph.operators())
                names.push_back(op.name);
            return fail(ErrorCode::InvalidInput,
                        "the model has no operator " + (parts[from].empty() ? "\"\"" : parts[from]),
                        didYouMean(parts[from], names));
        }
        from += taken;
    }
    return operators;
}

struct OperatorsAndStage {
    std::vector<OperatorId> operators;
    std::size_t stage = 0;
};

// The number comes before the first colon or after the last one.
Result<OperatorsAndStage> operatorsAndStage(std::string_view text, bool numberFirst, const Graph &graph)
{
    const std::size_t colon = numberFirst ? text.find(':') : text.rfind(':');
    if (colon == std::string_view::npos)
        return fail(ErrorCode::WrongUse, "a colon is missing",
                    numberFirst ? "Give it as STAGE:OPERATOR,..." : "Give it as OPERATOR,...:STAGE");
    const std::string_view before = text.substr(0, colon);
    const std::string_view behind = text.substr(colon + 1);
    TRY_AS(const auto stage, stageNumber(numberFirst ? before : behind));
    TRY_AS(auto operators, operatorsNamed(numberFirst ? behind : before, graph));
    return OperatorsAndStage{std::move(operators), stage};
}

// "OP,...:OP": the last colon with operators on both sides counts.
Result<std::pair<std::vector<OperatorId>, OperatorId>> operatorsAndOperator(std::string_view text, const Graph &graph)
{
    std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0)
        return fail(ErrorCode::WrongUse, "a colon is missing", "Give it as OPERATOR,...:OPERATOR");
    for (;; colon = text.rfind(':', colon - 1)) {
        auto operators = operatorsNamed(text.substr(0, colon), graph);
        const auto other = graph.find(text.substr(colon + 1));
        if (operators && other)
            return std::pair(std::move(*operators), *other);
        if (colon == 0 || text.rfind(':', colon - 1) == std::string_view::npos) {
            TRY(operators);
            TRY_AS(const auto named, operatorsNamed(text.substr(colon + 1), graph));
            return std::pair(std::move(*operators), named.front());
        }
    }
}

Result<std::pair<OperatorId, OperatorId>> twoOperators(std::string_view text, const Graph &graph)
{
    TRY_AS(const auto operators, operatorsNamed(text, graph));
    if (operators.size() != 2)
        return fail(ErrorCode::WrongUse, "two operators are needed", "Give it as OPERATOR,OPERATOR");
    return std::pair(operators[0], operators[1]);
}

bool isOptionOfStreams(std::string_view option)
{
    return std::ranges::find(kStreamEdits, option) != std::end(kStreamEdits);
}

// Where launches are now is known only when the edits before this one are made.
Result<Edit> madeOfStreams(const TypedEdit &typed, const Graph &graph, const Streams &streams)
{
    if (typed.option == "--to-stream") {
        const std::size_t colon = typed.value.rfind(':');
        if (colon == std::string::npos)
            return fail(ErrorCode::WrongUse, "a colon is missing", "Give it as OPERATOR,...:STREAM");
        TRY_AS(const auto stream, numberFrom(std::string_view(typed.value).substr(colon + 1), "stream",
                                             "Streams are counted from 1; the number after the last is a new one"));
        TRY_AS(auto operators, operatorsNamed(std::string_view(typed.value).substr(0, colon), graph));
        return MoveLaunches{std::move(operators), static_cast<std::uint32_t>(std::min<std::size_t>(stream, UINT32_MAX)),
                            std::nullopt};
    }
    if (typed.option == "--launch-before" || typed.option == "--launch-after") {
        TRY_AS(auto parsed, operatorsAndOperator(typed.value, graph));
        const std::size_t there = launchOfOperators(graph, streams)[parsed.second.index()];
        return MoveLaunches{std::move(parsed.first), std::nullopt, there + (typed.option == "--launch-after" ? 1 : 0)};
    }
    TRY_AS(const auto two, twoOperators(typed.value, graph));
    if (typed.option == "--swap")
        return SwapLaunches{two.first, two.second};
    if (typed.option == "--add-event")
        return AddEvent{two.first, two.second};
    return DropEvent{two.first, two.second};
}

Result<Edit> made(const TypedEdit &typed, const Graph &graph, const Schedule &schedule)
{
    if (isOptionOfStreams(typed.option)) {
        if (!schedule.streams)
            return fail(ErrorCode::WrongUse, "it takes a schedule with streams, and this one has stages",
                        "Search for streams with optimize --strategy");
        return madeOfStreams(typed, graph, *schedule.streams);
    }
    TRY(requireStages(schedule, "it"));
    if (typed.option == "--join" || typed.option == "--merge" || typed.option == "--concurrent" ||
        typed.option == "--fuse") {
        TRY_AS(auto stages, stageNumbers(typed.value));
        if (typed.option == "--join")
            return JoinStages{std::move(stages)};
        return SetStrategy{std::move(stages), typed.option == "--merge"  ? Strategy::Merge
                                              : typed.option == "--fuse" ? Strategy::Fused
                                                                         : Strategy::Concurrent};
    }
    TRY_AS(auto parsed, operatorsAndStage(typed.value, typed.option == "--split", graph));
    if (typed.option == "--split")
        return SplitStage{parsed.stage, std::move(parsed.operators)};
    if (typed.option == "--new-stage")
        return MoveToNewStage{std::move(parsed.operators), parsed.stage};
    return MoveToStage{std::move(parsed.operators), parsed.stage};
}

// The origin of a schedule; an edit of an edit has the same origin.
std::string editedFrom(const ScheduledModel &opened, const std::string &spec)
{
    const SearchRecord &search = opened.schedule.search;
    if (!search.editedFrom.empty())
        return search.editedFrom;
    return search.strategy.empty() ? spec : search.strategy;
}

} // namespace

Result<std::size_t> numberFrom(std::string_view text, const char *what, const char *remedy)
{
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number == 0)
        return fail(ErrorCode::WrongUse,
                    fmt::format("{} is not the number of a {}", text.empty() ? "\"\"" : text, what), remedy);
    return number - 1;
}

Result<Edit> editFrom(const TypedEdit &typed, const Graph &graph, const Schedule &schedule)
{
    auto edit = made(typed, graph, schedule);
    if (!edit)
        return within(typed.option + " " + typed.value, std::move(edit.error()));
    return edit;
}

Result<std::vector<std::size_t>> stageNumbers(std::string_view text)
{
    std::vector<std::size_t> stages;
    for (const std::string &part : pieces(text)) {
        TRY_AS(const auto stage, stageNumber(part));
        stages.push_back(stage);
    }
    return stages;
}

Result<EditedByHand> edited(const ScheduledModel &opened, const std::string &spec, const std::vector<TypedEdit> &edits)
{
    EditedByHand result;
    Schedule order{opened.schedule.stages, {}, opened.schedule.streams};
    for (const TypedEdit &typed : edits) {
        TRY_AS(const auto edit, editFrom(typed, *opened.model.graph, order));
        auto applied = applyEdit(*opened.model.graph, opened.model.blocks, order, edit);
        if (!applied)
            return within(typed.option + " " + typed.value, std::move(applied.error()));
        order.stages = std::move(applied->stages);
        order.streams = std::move(applied->streams);
        result.words.push_back(std::move(applied->words));
    }
    const auto same = sameStages(opened.schedule.stages, order.stages);
    for (std::size_t i = 0; i < same.size(); ++i) {
        if (same[i] == kNoStage)
            result.changed.push_back(i);
    }
    result.schedule = editedSchedule(opened.schedule, editedFrom(opened, spec), std::move(order));
    return result;
}

} // namespace stagecraft
