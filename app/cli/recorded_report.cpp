#include "cli/recorded_report.h"

#include "cli/text_table.h"
#include "results/recorded_comparison_words.h"
#include "support/shown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <string>

namespace stagecraft {
namespace {

void printChange(const RecordedResult &first, const RecordedResult &other, const RecordedChange &change)
{
    const OperatorChanges &operators = change.operators;
    std::cout << '\n' << shownText(other.name + " against " + first.name + ": " + judgedWords(change)) << '\n';
    for (const ContextDifference &difference : change.context)
        std::cout << "  other " << shownText(contextWords(difference)) << '\n';
    const std::size_t listed = std::min(operators.operators.size(), kListedOperators);
    if (listed > 0)
        std::cout << "  operators changed: " << countWords(operators)
                  << (change.judged ? "; the largest loss first" : "") << ":\n";
    for (std::size_t i = 0; i < listed; ++i) {
        const OperatorChange &op = operators.operators[i];
        const std::string time = timeWords(op);
        std::cout << "    " << shownText(op.name + (time.empty() ? "" : ": " + time)) << '\n';
        for (const AspectChange &aspect : op.aspects)
            std::cout << "      " << shownText(aspectWords(aspect)) << '\n';
    }
    if (listed < operators.operators.size())
        std::cout << "    and " << operators.operators.size() - listed << " more (--json lists all)\n";
    for (const auto &sentences : {restWords(operators), unmappedWords(first, other)}) {
        for (const std::string &sentence : sentences)
            std::cout << "  " << shownText(sentence) << '\n';
    }
}

} // namespace

void printRecorded(const RecordedComparison &comparison)
{
    TextTable table({"file", "latency", "speedup", "95 % interval", "from"});
    for (std::size_t i = 0; i < comparison.results.size(); ++i) {
        const RecordedResult &result = comparison.results[i];
        const JudgedRepeats *judged =
            i > 0 && comparison.changes[i - 1].judged ? &*comparison.changes[i - 1].judged : nullptr;
        table.add(shownText(result.name), plainLatency(result.repeats.timing.latencyUs),
                  i == 0   ? speedupText(1)
                  : judged ? speedupText(judged->estimate.speedup)
                           : "-",
                  judged && judged->hasInterval()
                      ? fmt::format("{} to {}", speedupText(judged->estimate.low), speedupText(judged->estimate.high))
                      : "-",
                  shownText(fmt::format("{}, on {}, batch {}", originWords(result), result.schedule->context.device,
                                        result.schedule->context.batch)));
    }
    table.alignLeft(4);
    std::cout << shownText(comparison.model) << ", latencies as they are in the files\n" << table;
    for (std::size_t i = 0; i < comparison.changes.size(); ++i)
        printChange(comparison.results.front(), comparison.results[i + 1], comparison.changes[i]);
}

int tellBelow(const RecordedComparison &comparison, double failBelow)
{
    int status = 0;
    for (std::size_t i = 0; i < comparison.changes.size(); ++i) {
        const RecordedChange &change = comparison.changes[i];
        if (!change.isBelow(failBelow))
            continue;
        status = 1;
        std::cerr << "stagecraft-cli: "
                  << shownText(belowWords(comparison.results.front(), comparison.results[i + 1], change, failBelow))
                  << '\n';
    }
    return status;
}

} // namespace stagecraft
