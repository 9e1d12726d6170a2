#include "widgets/graph/overlay/number_query.h"

#include "support/closest_name.h"
#include "widgets/base/format.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace stagecraft {
namespace {

struct Unit {
    const char *name;
    double size;
};

struct FactRow {
    NumberFact fact;
    const char *name;
    const char *example; // of a value
    std::vector<Unit> units;
};

std::vector<FactRow> madeFactRows()
{
    const std::vector<Unit> counts{{"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
    const std::vector<Unit> times{{"ns", 1e-3}, {"us", 1}, {"µs", 1}, {"ms", 1e3}, {"s", 1e6}};
    std::vector<Unit> bytes{{"B", 1},      {"kB", 1e3},        {"MB", 1e6},          {"GB", 1e9},
                            {"KiB", 1024}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};
    bytes.insert(bytes.end(), counts.begin(), counts.end());
    return {
        {NumberFact::Flops, "flops", "50M", counts},
        {NumberFact::Bytes, "bytes", "2MiB", bytes},
        {NumberFact::Latency, "latency", "200us", times},
        {NumberFact::Utilisation, "utilisation", "20%", {{"%", 0.01}}},
        {NumberFact::Lost, "lost", "5us", times},
        {NumberFact::Stage, "stage", "4", {}},
        {NumberFact::Block, "block", "2", {}},
    };
}

const std::vector<FactRow> &factRows()
{
    static const std::vector<FactRow> rows = madeFactRows();
    return rows;
}

const FactRow *rowNamed(const QString &name)
{
    const auto found = std::ranges::find_if(factRows(), [&](const FactRow &row) {
        return name.compare(QLatin1String(row.name), Qt::CaseInsensitive) == 0;
    });
    return found == factRows().end() ? nullptr : &*found;
}

std::vector<std::string> factNames()
{
    std::vector<std::string> names;
    for (const FactRow &row : factRows())
        names.emplace_back(row.name);
    return names;
}

const Unit *unitNamed(const FactRow &row, const QString &name)
{
    const auto found = std::ranges::find_if(row.units, [&](const Unit &unit) {
        return name.compare(QString::fromUtf8(unit.name), Qt::CaseInsensitive) == 0;
    });
    return found == row.units.end() ? nullptr : &*found;
}

NumberQuery::Relation relationOf(const QString &sign)
{
    using Relation = NumberQuery::Relation;
    static const std::array<std::pair<QString, Relation>, 9> kSigns{{{QStringLiteral("<"), Relation::Less},
                                                                     {QStringLiteral("<="), Relation::LessOrEqual},
                                                                     {QStringLiteral("≤"), Relation::LessOrEqual},
                                                                     {QStringLiteral("="), Relation::Equal},
                                                                     {QStringLiteral("!="), Relation::NotEqual},
                                                                     {QStringLiteral("≠"), Relation::NotEqual},
                                                                     {QStringLiteral(">="), Relation::GreaterOrEqual},
                                                                     {QStringLiteral("≥"), Relation::GreaterOrEqual},
                                                                     {QStringLiteral(">"), Relation::Greater}}};
    return std::ranges::find(kSigns, sign, &std::pair<QString, Relation>::first)->second;
}

QString unitsText(const FactRow &row)
{
    if (row.units.empty())
        return QStringLiteral("a number alone");
    QStringList names;
    for (const Unit &unit : row.units)
        names << QString::fromUtf8(unit.name);
    return QStringLiteral("a number, alone or with %1").arg(names.join(QStringLiteral(", ")));
}

// "flops > 50M"
QString exampleOf(const FactRow &row)
{
    return QStringLiteral("%1 > %2").arg(QLatin1String(row.name), QLatin1String(row.example));
}

QString unknownText(const QString &word)
{
    const std::vector<std::string> names = factNames();
    const QString facts = QString::fromStdString(listed(names, " and "));
    if (word.isEmpty())
        return QStringLiteral("Which number? Known are %1: flops > 50M").arg(facts);
    return QStringLiteral("%1 is not a number of operators. %2Known are %3: flops > 50M")
        .arg(word, QString::fromStdString(didYouMean(word.toStdString(), names)), facts);
}

struct ReadValue {
    double value = 0;
    bool usesNextWord = false; // as the unit
};

std::optional<ReadValue> readValue(const FactRow &row, const QString &text, const QString &next)
{
    static const QRegularExpression number(QStringLiteral(R"(^([0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?)(.*)$)"));
    const auto parts = number.match(text);
    if (!parts.hasMatch())
        return std::nullopt;
    const double value = parts.captured(1).toDouble();
    if (parts.captured(2).isEmpty()) {
        const Unit *unit = unitNamed(row, next);
        return ReadValue{unit ? value * unit->size : value, unit != nullptr};
    }
    const Unit *unit = unitNamed(row, parts.captured(2));
    return unit ? std::optional(ReadValue{value * unit->size, false}) : std::nullopt;
}

std::vector<double> placesOf(NumberFact fact, const HeatSource &source)
{
    std::vector<double> places(source.graph.size(), -1);
    const auto set = [&](OperatorId id, std::size_t place) {
        if (id.index() < places.size())
            places[id.index()] = static_cast<double>(place + 1);
    };
    if (fact == NumberFact::Block) {
        for (std::size_t block = 0; block < source.blocks.size(); ++block) {
            for (const OperatorId id : source.blocks[block].operators)
                set(id, block);
        }
    }
    for (std::size_t stage = 0; fact == NumberFact::Stage && source.schedule && stage < source.schedule->stages.size();
         ++stage) {
        for (const auto &group : source.schedule->stages[stage].groups) {
            for (const OperatorId id : group)
                set(id, stage);
        }
    }
    return places;
}

HeatScale numbersOf(NumberFact fact, const HeatSource &source)
{
    switch (fact) {
    case NumberFact::Flops: return heatOf(Colouring::Flops, source);
    case NumberFact::Bytes: return heatOf(Colouring::Bytes, source);
    case NumberFact::Latency: return heatOf(Colouring::Heat, source);
    case NumberFact::Utilisation: return heatOf(Colouring::Utilisation, source);
    case NumberFact::Lost: return heatOf(Colouring::Lost, source);
    case NumberFact::Stage:
    case NumberFact::Block: break;
    }
    HeatScale places;
    places.values = placesOf(fact, source);
    for (const double place : places.values)
        places.maximum = std::max(places.maximum, place);
    return places;
}

} // namespace

bool NumberQuery::holds(double number) const
{
    switch (relation) {
    case Relation::Less: return number < value;
    case Relation::LessOrEqual: return number <= value;
    case Relation::Equal: return number == value;
    case Relation::NotEqual: return number != value;
    case Relation::GreaterOrEqual: return number >= value;
    case Relation::Greater: return number > value;
    }
    return false;
}

ReadNumbers readNumbers(const QString &text)
{
    static const QRegularExpression comparison(
        QStringLiteral(R"(([^\s<>=!≤≥≠]*)\s*(<=|>=|!=|≤|≥|≠|<|>|=)\s*([^\s<>=!≤≥≠]*)(?:\s+([^\s<>=!≤≥≠]+)(?=\s|$))?)"));
    ReadNumbers read;
    qsizetype from = 0;
    while (from < text.size()) {
        const auto found = comparison.match(text, from);
        if (!found.hasMatch())
            break;
        const QString word = found.captured(1);
        const QString sign = found.captured(2);
        const QString given = found.captured(3);
        const FactRow *row = rowNamed(word);
        const bool isNumber = !given.isEmpty() && (given.front().isDigit() || given.front() == QLatin1Char('.'));
        if (!row && (sign == QLatin1String("=") || !isNumber)) { // a part of a name or an attribute
            read.rest += text.mid(from, found.capturedEnd(3) - from);
            from = found.capturedEnd(3);
            continue;
        }
        if (!row) {
            read.trouble = unknownText(word);
            return read;
        }
        const auto value = readValue(*row, given, found.captured(4));
        if (!value) {
            read.trouble = given.isEmpty()
                               ? QStringLiteral("%1 %2 which number? Say %3").arg(word, sign, exampleOf(*row))
                               : QStringLiteral("%1 is not a value of %2. Say %3: %4")
                                     .arg(given, QLatin1String(row->name), unitsText(*row), exampleOf(*row));
            return read;
        }
        read.queries.push_back({row->fact, relationOf(sign), value->value});
        read.rest += text.mid(from, found.capturedStart() - from) + QLatin1Char(' ');
        from = value->usesNextWord ? found.capturedEnd(4) : found.capturedEnd(3);
    }
    read.rest += text.mid(from);
    return read;
}

OperatorNumbers::OperatorNumbers(NumberFact fact, const HeatSource &source)
    : m_fact(fact), m_heat(numbersOf(fact, source))
{
}

QString OperatorNumbers::textOf(OperatorId id) const
{
    if (of(id) < 0)
        return {};
    if (m_fact == NumberFact::Stage)
        return stageTitle(static_cast<std::size_t>(of(id)) - 1);
    if (m_fact == NumberFact::Block)
        return blockTitle(static_cast<std::size_t>(of(id)) - 1);
    return heatText(m_heat, of(id));
}

QString OperatorNumbers::whyUnknown() const
{
    if (m_heat.maximum > 0 || std::ranges::any_of(m_heat.values, [](double each) { return each >= 0; }))
        return {};
    switch (m_fact) {
    case NumberFact::Latency: return QStringLiteral("No latencies are known yet: search first (F5)");
    case NumberFact::Stage: return QStringLiteral("There is no schedule yet: search first (F5)");
    case NumberFact::Utilisation:
    case NumberFact::Lost: return QStringLiteral("The timeline is not known yet: search first (F5)");
    case NumberFact::Block: return QStringLiteral("This graph has no blocks");
    case NumberFact::Flops:
    case NumberFact::Bytes: break;
    }
    return QStringLiteral("No costs are known of these operators");
}

} // namespace stagecraft
