#include "cli/difference_report.h"

#include "cli/text_table.h"

#include <fmt/ostream.h>

#include <algorithm>

namespace stagecraft {
namespace {

// Per schedule: its latency, its stages and, after the first, the change against the first.
void addRow(TextTable &table, std::string name, const LatenciesUs &us, const std::vector<StageRange> *sides = nullptr,
            bool isEqual = false)
{
    std::vector<std::string> row{std::move(name)};
    for (std::size_t i = 0; i < us.size(); ++i) {
        row.push_back(us[i] ? plainLatency(*us[i]) : "-");
        if (i > 0) {
            const bool hasChange = !isEqual && us[i] && us.front() && *us.front() > 0;
            row.push_back(hasChange ? fmt::format("{:+.1f} %", (*us[i] / *us.front() - 1) * 100) : "");
        }
        const StageRange side = sides ? (*sides)[i] : StageRange{};
        row.push_back(!sides           ? ""
                      : side.count > 1 ? fmt::format("{}-{}", side.first + 1, side.end())
                                       : fmt::format("{}", side.first + 1));
    }
    table.add(std::move(row));
}

void addSpans(TextTable &table, const BlockDifference &block)
{
    for (auto part = block.spans.begin(); part != block.spans.end();) {
        if (!part->span.isEqual) {
            addRow(table, "    differs", part->us, &part->span.sides);
            ++part;
            continue;
        }
        const auto end =
            std::find_if(part, block.spans.end(), [](const SpanDifference &one) { return !one.span.isEqual; });
        LatenciesUs us = part->us;
        std::vector<StageRange> sides = part->span.sides;
        for (auto next = part + 1; next != end; ++next) {
            for (std::size_t i = 0; i < us.size(); ++i) {
                us[i] = us[i] && next->us[i] ? std::optional(*us[i] + *next->us[i]) : std::nullopt;
                sides[i].count += next->span.sides[i].count;
            }
        }
        addRow(table, "    equal", us, &sides, true);
        part = end;
    }
}

} // namespace

std::string differenceText(const ScheduleDifference &difference, const std::vector<SideTitle> &titles)
{
    std::vector<std::string> header{"where"};
    for (const SideTitle &title : titles) {
        header.push_back(title.name);
        if (header.size() > 2)
            header.emplace_back("change");
        header.emplace_back(title.hasStreams ? "launches" : "stages");
    }
    TextTable table(std::move(header));
    addRow(table, "whole schedule", difference.wholeUs);
    addRow(table, "  between stages", difference.betweenStagesUs);
    for (const BlockDifference &block : difference.blocks) {
        addRow(table, fmt::format("  block {}{}", block.block + 1, block.isEqual() ? ", equal" : ""), block.us,
               &block.sides, block.isEqual());
        if (!block.isEqual())
            addSpans(table, block);
    }
    return fmt::format("differences by block and span, per cent against {}\n{}", titles.front().name,
                       fmt::streamed(table));
}

} // namespace stagecraft
