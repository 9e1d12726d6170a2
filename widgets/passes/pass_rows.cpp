#include "widgets/passes/pass_rows.h"

#include "operators/schema.h"
#include "widgets/base/format.h"
#include "widgets/base/shown_name.h"

#include <QStringList>

#include <algorithm>
#include <unordered_map>

namespace stagecraft {
namespace {

QString textOf(std::string_view text)
{
    return QString::fromUtf8(text);
}

QString unitsText(Units units)
{
    switch (units) {
    case Units::Ios: return QStringLiteral("as in the IOS paper");
    case Units::Tvm: return QStringLiteral("by fusion class, as in TVM");
    case Units::None: return QStringLiteral("every operator of the file");
    }
    return {};
}

QString otherUnitsText(const Pass &pass)
{
    QStringList texts;
    for (const Units units : pass.units)
        texts << textOf(toString(units));
    return texts.join(QStringLiteral(" and "));
}

// "conv1 Conv"; exporters name operators after their types: "/features/0/Conv".
QString namedText(const std::string &name, const std::string &type)
{
    return name.ends_with("/" + type) ? shownName(name) : QStringLiteral("%1 %2").arg(shownName(name), shownName(type));
}

// Where an operator is part of no unit.
QString endText(std::string_view pass)
{
    if (pass == pass::kFoldConstants)
        return QStringLiteral("a constant");
    if (pass == pass::kRemoveIdentities)
        return QStringLiteral("passed on");
    return QStringLiteral("not needed any more");
}

} // namespace

const PassReport *reportOf(const Model &model, std::string_view pass)
{
    const auto found = std::ranges::find(model.report.passes, pass, &PassReport::pass);
    return found == model.report.passes.end() ? nullptr : &*found;
}

std::vector<PassRow> passRows(const Model &model)
{
    std::vector<PassRow> rows;
    for (const Pass &pass : passes()) {
        PassRow row{textOf(pass.name), textOf(pass.what), {}, {}, {}, true, true, 0};
        row.isOn = !model.reading.without.contains(std::string(pass.name));
        row.canSwitch = pass.units.contains(model.reading.units);
        const PassReport *report = reportOf(model, pass.name);
        if (report) {
            row.operators = static_cast<std::int64_t>(report->changes.size());
            const bool isNone = row.operators == 0;
            row.outcome = isNone ? QStringLiteral("nothing to do") : plural(row.operators, "operator");
            row.shortOutcome = isNone ? QStringLiteral("none") : countText(row.operators);
        } else if (!row.canSwitch) {
            row.outcome = QStringLiteral("other units");
            row.shortOutcome = QStringLiteral("-");
            row.whyNot =
                QStringLiteral("Runs for the units %1; these are %2: %3.")
                    .arg(otherUnitsText(pass), textOf(toString(model.reading.units)), unitsText(model.reading.units));
        } else {
            row.outcome = row.shortOutcome = QStringLiteral("off");
            row.whyNot = QStringLiteral("Switched off: the box reads the model again with it.");
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<PassChangeRow> passChangeRows(const PassReport &report)
{
    std::vector<PassChangeRow> rows;
    std::unordered_map<std::size_t, std::size_t> rowOf; // by unit
    for (std::size_t i = 0; i < report.changes.size(); ++i) {
        const OperatorId unit = report.changes[i].unit;
        if (unit.isValid()) {
            const auto [known, isNew] = rowOf.try_emplace(unit.index(), rows.size());
            if (!isNew) {
                rows[known->second].changes.push_back(i);
                continue;
            }
        }
        rows.push_back({{i}, unit});
    }
    return rows;
}

QString beforeText(const PassReport &report, const PassChangeRow &row)
{
    constexpr std::size_t kMost = 40;
    QStringList names;
    for (std::size_t i = 0; i < std::min(row.changes.size(), kMost); ++i) {
        const PassChange &change = report.changes[row.changes[i]];
        names << namedText(change.name, change.type);
    }
    if (row.changes.size() > kMost)
        names << QStringLiteral("%1 more").arg(row.changes.size() - kMost);
    return names.join(QStringLiteral(", "));
}

QString afterText(const Model &model, const PassReport &report, const PassChangeRow &row)
{
    if (!row.unit.isValid())
        return endText(report.pass);
    const Operator &unit = model.graph->op(row.unit);
    return namedText(unit.name, displayType(unit));
}

} // namespace stagecraft
