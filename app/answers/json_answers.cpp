#include "answers/json_answers.h"

#include "answers/co_run_answer.h"
#include "answers/comparison_answers.h"
#include "answers/fit_answer.h"
#include "answers/installation_answers.h"
#include "answers/kit_answers.h"
#include "answers/layout_answer.h"
#include "answers/model_answers.h"
#include "answers/profile_answer.h"
#include "answers/recorded_answer.h"
#include "answers/schedule_answers.h"
#include "answers/size_answer.h"
#include "answers/timeline_answer.h"
#include "answers/tune_answer.h"
#include "answers/verify_answer.h"
#include "reproduction/reproduction_record.h"
#include "support/markup_text.h"
#include "support/records/key_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace stagecraft {

namespace answers {

// It is written by the reproduction itself.
struct Reproduce {
    static constexpr Title kTitle{"reproduce", "stagecraft-cli reproduce --json",
                                  "the tables and figures of the IOS paper next to ours", "reproduction"};
    Reproduction reproduction;
};

void eachMember(Of<Reproduce> auto &answer, auto &&visit)
{
    eachMember(answer.reproduction, visit);
}

} // namespace answers

namespace {

template <typename Answer>
JsonAnswer answerOf()
{
    const answers::Title &title = Answer::kTitle;
    JsonAnswer answer{std::string(title.name), std::string(title.call), std::string(title.purpose), {}};
    answer.keys = {{"format", "text", fmt::format("\"stagecraft-{}\"", title.format)}, {"version", "count", "1"}};
    addKeys<Answer>(answer.keys, {});
    return answer;
}

template <typename... Answers>
std::vector<JsonAnswer> answersOf()
{
    return {answerOf<Answers>()...};
}

template <Record T>
JsonAnswer partOf(std::string purpose)
{
    return {std::string(kPartName<T>), {}, std::move(purpose), keysOf<T>()};
}

std::string keysText(const JsonAnswer &answer)
{
    std::size_t pathWidth = 0;
    std::size_t kindWidth = 0;
    for (const JsonKey &key : answer.keys) {
        pathWidth = std::max(pathWidth, key.path.size());
        kindWidth = std::max(kindWidth, key.kind.size());
    }
    std::string text;
    for (const JsonKey &key : answer.keys)
        text += fmt::format("  {:{}}  {:{}}  {}\n", key.path, pathWidth, key.kind, kindWidth, key.meaning);
    return text;
}

std::string headText(const JsonAnswer &answer)
{
    const std::string call = answer.call.empty() ? "" : fmt::format("  {}\n", answer.call);
    return fmt::format("{}: {}\n{}\n{}", answer.name, answer.purpose, call, keysText(answer));
}

const JsonAnswer *partAt(const JsonKey &key)
{
    constexpr std::string_view kPart = "part ";
    if (!key.kind.starts_with(kPart))
        return nullptr;
    const std::string name = key.kind.substr(kPart.size(), key.kind.find(" or null") - kPart.size());
    const auto part = std::ranges::find(jsonAnswers().parts, name, &JsonAnswer::name);
    return part == jsonAnswers().parts.end() ? nullptr : &*part;
}

std::string sectionHtml(const JsonAnswer &answer)
{
    std::string html =
        fmt::format("<h2><a name=\"{0}\"></a>{0}</h2>\n<p>{1}", escaped(answer.name), escaped(answer.purpose));
    if (!answer.call.empty())
        html += "<br/><b>" + escaped(answer.call) + "</b>";
    html += "</p>\n<table>\n<tr><th>key</th><th>value</th><th>meaning</th></tr>\n";
    for (const JsonKey &key : answer.keys)
        html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(key.path), escaped(key.kind),
                            escaped(key.meaning));
    return html + "</table>\n";
}

} // namespace

const JsonAnswers &jsonAnswers()
{
    static const JsonAnswers all{
        {"With --json a command prints one JSON document and nothing else on standard output; messages go to standard "
         "error.",
         "Every answer begins with \"format\" (\"stagecraft-\" and the name of the answer, or the format of the file "
         "that it also is) and \"version\". New keys may be added to a version; a key that is there keeps its name, "
         "its unit and its meaning.",
         "[] stands for every element of a list, * for any name, ? for a key that may be absent. Units: us are "
         "microseconds, s seconds, FLOP floating-point operations, \"times\" a ratio (2 is twice as fast), \"share\" a "
         "part of 1 (0.02 is 2 %). An index counts from 0, a number from 1, as on the screen."},
        answersOf<answers::Models, answers::Devices, answers::OneDevice, answers::FitAnswer, answers::Info,
                  answers::Optimize, answers::Kit, answers::KitNext, answers::Measure, answers::Edit, answers::Compare,
                  answers::CompareFiles, answers::Sweep, answers::SweepOver, answers::Specialize, answers::CoRun,
                  answers::Reproduce, answers::Export, answers::Convert, answers::Run, answers::TimelineAnswer,
                  answers::ProfileAnswer, answers::Verify, answers::Memory, answers::TuneAnswer, answers::Layout,
                  answers::LatenciesList, answers::LatenciesExport, answers::LatenciesImport, answers::LatenciesClear,
                  answers::Completion, answers::Man, answers::Help>(),
        {partOf<SearchRecord>("what a search did"),
         partOf<UncostedWork>("operators without a cost that have one cause"),
         partOf<answers::StageTimeParts>("where the time of a stage goes, or, as a difference, what another stage "
                                         "takes more; parts the device cannot tell are left out"),
         partOf<answers::PartsOfTime>("where the time of a whole schedule, a block or a span goes; they add up to it, "
                                      "and parts the device cannot tell are left out"),
         partOf<TimingInFull>("how a latency was timed; null for what is not known"),
         partOf<ScheduleInFile>("a schedule, as in a .schedule.json file"),
         partOf<SimulationError>("how far a simulated device is from kernels that were measured"),
         partOf<RecordedProfile>("where recorded latencies are from: the profile of another program, and what of its "
                                 "time no operator took"),
         partOf<ErrorSummary>("how far entries are from what was published")}};
    return all;
}

std::string jsonAnswerText(const JsonAnswer &answer)
{
    std::string text = headText(answer);
    std::vector<const JsonAnswer *> told;
    for (const JsonKey &key : answer.keys) {
        const JsonAnswer *part = partAt(key);
        if (!part || std::ranges::find(told, part) != told.end())
            continue;
        told.push_back(part);
        text += '\n' + jsonAnswerText(*part);
    }
    return text;
}

std::string jsonAnswersText()
{
    std::string text = "The answers of stagecraft-cli with --json, key by key\n\n";
    for (const std::string &note : jsonAnswers().notes)
        text += note + '\n';
    for (const JsonAnswer &answer : jsonAnswers().answers)
        text += '\n' + headText(answer);
    text += "\nParts of several answers\n";
    for (const JsonAnswer &part : jsonAnswers().parts)
        text += '\n' + headText(part);
    return text;
}

std::string jsonAnswersHtml()
{
    std::string html = "<h1>JSON answers</h1>\n";
    for (const std::string &note : jsonAnswers().notes)
        html += "<p>" + escaped(note) + "</p>\n";
    html += "<p>";
    for (const auto *list : {&jsonAnswers().answers, &jsonAnswers().parts}) {
        for (const JsonAnswer &answer : *list)
            html += fmt::format("<a href=\"#{0}\">{0}</a> &nbsp; ", escaped(answer.name));
    }
    html += "</p>\n";
    for (const auto *list : {&jsonAnswers().answers, &jsonAnswers().parts}) {
        for (const JsonAnswer &answer : *list)
            html += sectionHtml(answer);
    }
    return html;
}

} // namespace stagecraft
