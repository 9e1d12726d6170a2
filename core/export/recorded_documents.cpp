#include "export/recorded_documents.h"

#include "export/table_text.h"
#include "results/recorded_comparison_words.h"
#include "support/markup_text.h"
#include "support/number_text.h"
#include "support/shown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

std::string outcome(const RecordedChange &change, std::optional<double> failBelow)
{
    if (!change.judged)
        return "not compared";
    const std::string verdict(toString(change.judged->estimate.verdict));
    std::string shown = verdict.empty() ? "no verdict" : verdict;
    if (!failBelow)
        return shown;
    return (change.isBelow(*failBelow) ? "failed: " : "passed: ") + shown;
}

std::vector<std::string> fileRow(const RecordedResult &result, const RecordedChange *change,
                                 std::optional<double> failBelow)
{
    const bool isJudged = change && change->judged;
    const SpeedupEstimate estimate = isJudged ? change->judged->estimate : SpeedupEstimate();
    return {result.name,
            change ? outcome(*change, failBelow) : "baseline",
            fmt::format("{}, {}", originWords(result), result.schedule->context.device),
            plainLatency(result.repeats.timing.latencyUs),
            isJudged ? fmt::format("{:.3f}x", estimate.speedup) : "",
            isJudged && change->judged->hasInterval() ? fmt::format("{:.3f}x to {:.3f}x", estimate.low, estimate.high)
                                                      : ""};
}

std::string aspectsCell(const OperatorChange &change)
{
    std::vector<std::string> aspects;
    for (const AspectChange &aspect : change.aspects)
        aspects.push_back(aspectWords(aspect));
    return aspects.empty() ? "time only" : fmt::format("{}", fmt::join(aspects, "; "));
}

// What stands beside the operators that are listed.
std::vector<std::string> sentencesOf(const RecordedComparison &comparison, std::size_t which)
{
    const RecordedChange &change = comparison.changes[which];
    std::vector<std::string> sentences;
    const auto addAll = [&](const std::vector<std::string> &all) {
        sentences.insert(sentences.end(), all.begin(), all.end());
    };
    for (const ContextDifference &difference : change.context)
        sentences.push_back("other " + contextWords(difference));
    if (const std::string counts = countWords(change.operators); !counts.empty())
        sentences.push_back("operators changed: " + counts);
    if (change.operators.operators.size() > kListedOperators)
        sentences.push_back(change.judged ? fmt::format("the {} that lost most are listed", kListedOperators)
                                          : fmt::format("the first {} are listed", kListedOperators));
    addAll(restWords(change.operators));
    addAll(unmappedWords(comparison.results.front(), comparison.results[which + 1]));
    return sentences;
}

Table changesTable(const RecordedComparison &comparison, std::size_t which)
{
    Table table{.title = "What changed in " + comparison.results[which + 1].name,
                .facts = fmt::format("{}", fmt::join(sentencesOf(comparison, which), "; ")),
                .columns = {"operator", "changed", "time"}};
    const auto &operators = comparison.changes[which].operators.operators;
    for (std::size_t i = 0; i < std::min(operators.size(), kListedOperators); ++i)
        table.rows.push_back({operators[i].name, aspectsCell(operators[i]), timeWords(operators[i])});
    if (table.rows.empty())
        table.rows.push_back({"none", "", ""});
    return table;
}

std::string xml(const std::string &text)
{
    return escaped(shownText(text));
}

std::string propertyXml(const std::string &name, const std::string &value)
{
    return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", xml(name), xml(value));
}

std::string propertiesXml(const RecordedComparison &comparison, std::optional<double> failBelow)
{
    const RecordedResult &first = comparison.results.front();
    std::string text = propertyXml("model", comparison.model) + propertyXml("baseline", first.name) +
                       propertyXml("baseline latency", plainLatency(first.repeats.timing.latencyUs)) +
                       propertyXml("baseline from", originWords(first)) +
                       propertyXml("device", first.schedule->context.device);
    if (failBelow)
        text += propertyXml("fail below", exactText(*failBelow));
    for (std::size_t i = 0; i < comparison.changes.size(); ++i) {
        const std::string &name = comparison.results[i + 1].name;
        text += propertyXml(name + " latency", plainLatency(comparison.results[i + 1].repeats.timing.latencyUs)) +
                propertyXml(name + " from", originWords(comparison.results[i + 1])) +
                propertyXml(name + " against baseline", judgedWords(comparison.changes[i]));
    }
    return text;
}

std::string changesXml(const RecordedComparison &comparison, std::size_t which)
{
    std::string text;
    const auto &operators = comparison.changes[which].operators.operators;
    for (std::size_t i = 0; i < std::min(operators.size(), kListedOperators); ++i) {
        const std::string time = timeWords(operators[i]);
        text += xml(operators[i].name + ": " + aspectsCell(operators[i]) + (time.empty() ? "" : "; " + time)) + '\n';
    }
    for (const std::string &sentence : sentencesOf(comparison, which))
        text += xml(sentence) + '\n';
    return text;
}

std::string caseXml(const RecordedComparison &comparison, std::size_t which, std::optional<double> failBelow)
{
    constexpr double kUsPerSecond = 1e6;
    const RecordedResult &result = comparison.results[which + 1];
    const RecordedChange &change = comparison.changes[which];
    const std::string changes = changesXml(comparison, which);
    std::string text =
        fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"{:.9f}\">\n", xml(result.name),
                    xml("stagecraft.compare." + comparison.model), result.repeats.timing.latencyUs / kUsPerSecond);
    if (failBelow && change.isBelow(*failBelow))
        text += fmt::format("      <failure message=\"{}\" type=\"slower\">{}</failure>\n",
                            xml(belowWords(comparison.results.front(), result, change, *failBelow)), changes);
    else
        text +=
            fmt::format("{}      <system-out>{}\n{}</system-out>\n",
                        change.judged ? "" : fmt::format("      <skipped message=\"{}\"/>\n", xml(judgedWords(change))),
                        xml(judgedWords(change)), changes);
    return text + "    </testcase>\n";
}

} // namespace

std::string recordedMarkdown(const RecordedComparison &comparison, std::optional<double> failBelow)
{
    const RecordedResult &first = comparison.results.front();
    Table files{.title = fmt::format("{}: latency against {}", comparison.model, first.name),
                .facts = failBelow ? fmt::format("failed: shown to be less than {:g}x as fast", *failBelow) : "",
                .columns = {"file", "result", "from", "latency", "speedup", "95 % interval"},
                .numbers = 3,
                .rows = {fileRow(first, nullptr, failBelow)}};
    std::string changes;
    for (std::size_t i = 0; i < comparison.changes.size(); ++i) {
        files.rows.push_back(fileRow(comparison.results[i + 1], &comparison.changes[i], failBelow));
        changes += '\n' + markdownText(changesTable(comparison, i));
    }
    return markdownText(files) + changes;
}

std::string recordedJUnit(const RecordedComparison &comparison, std::optional<double> failBelow)
{
    const auto count = [&](auto &&isOne) { return std::ranges::count_if(comparison.changes, isOne); };
    const auto failures =
        failBelow ? count([&](const RecordedChange &change) { return change.isBelow(*failBelow); }) : 0;
    const auto skipped = count([](const RecordedChange &change) { return !change.judged; });
    const std::string counts =
        fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\"", comparison.changes.size(), failures);
    std::string text =
        fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"stagecraft compare\" {}>\n"
                    "  <testsuite name=\"{}\" {} skipped=\"{}\">\n"
                    "    <properties>\n{}    </properties>\n",
                    counts, xml(fmt::format("{} against {}", comparison.model, comparison.results.front().name)),
                    counts, skipped, propertiesXml(comparison, failBelow));
    for (std::size_t i = 0; i < comparison.changes.size(); ++i)
        text += caseXml(comparison, i, failBelow);
    return text + "  </testsuite>\n</testsuites>\n";
}

} // namespace stagecraft
