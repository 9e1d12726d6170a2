#include "cli/edit_options.h"

#include "schedule/compare/difference.h"
#include "schedule/edit/edit_history.h"

#include "support/closest_name.h"

#include <charconv>
#include <utility>

namespace stagecraft {
namespace {

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
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number == 0)
        return fail(ErrorCode::WrongUse, (text.empty() ? "\"\"" : std::string(text)) + " is not the number of a stage",
                    "Stages are counted from 1, as measure --stages shows them");
    return number - 1;
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

Result<Edit> made(const TypedEdit &typed, const Graph &graph)
{
    if (typed.option == "--join" || typed.option == "--merge" || typed.option == "--concurrent") {
        TRY_AS(auto stages, stageNumbers(typed.value));
        if (typed.option == "--join")
            return JoinStages{std::move(stages)};
        return SetStrategy{std::move(stages), typed.option == "--merge" ? Strategy::Merge : Strategy::Concurrent};
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

Result<Edit> editFrom(const TypedEdit &typed, const Graph &graph)
{
    auto edit = made(typed, graph);
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
    std::vector<Stage> stages = opened.schedule.stages;
    for (const TypedEdit &typed : edits) {
        TRY_AS(const auto edit, editFrom(typed, *opened.model.graph));
        auto applied = applyEdit(*opened.model.graph, opened.model.blocks, stages, edit);
        if (!applied)
            return within(typed.option + " " + typed.value, std::move(applied.error()));
        stages = std::move(applied->stages);
        result.words.push_back(std::move(applied->words));
    }
    const auto same = sameStages(opened.schedule.stages, stages);
    for (std::size_t i = 0; i < same.size(); ++i) {
        if (same[i] == kNoStage)
            result.changed.push_back(i);
    }
    result.schedule = editedSchedule(opened.schedule, editedFrom(opened, spec), std::move(stages));
    return result;
}

} // namespace stagecraft
