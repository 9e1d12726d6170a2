#include "graph/operator_cost.h"
#include "operators/schema.h"
#include "results/schedule_words.h"
#include "schedule/compare/latency_parts.h"
#include "search/search_words.h"
#include "widgets/base/format.h"
#include "widgets/base/inspector_page.h"
#include "widgets/base/shown_name.h"
#include "widgets/base/time_change.h"
#include "widgets/inspector/latency_reasons.h"

#include <QStringList>

#include <algorithm>
#include <cmath>
#include <map>

namespace stagecraft {
namespace {

constexpr std::size_t kMaxNotes = 60; // longer reports are cut; the file has all of it
constexpr std::size_t kMaxTypes = 14;
constexpr std::size_t kMaxUnmapped = 12; // names of kernels that no operator took
constexpr double kShownUs = 0.005;       // smaller times are shown as none

InspectorSection sizeSection(const Model &model)
{
    const Graph &graph = *model.graph;
    const WeightTotals weights = weightTotals(graph);
    double work = 0;
    for (std::size_t i = 0; i < graph.size(); ++i)
        work += flops(graph, OperatorId::fromIndex(i));
    InspectorSection section{QStringLiteral("Size"), {}};
    const auto add = [&](const char *key, const QString &value) {
        section.rows.push_back(textRow(QString::fromLatin1(key), value));
    };
    add("Operators", countText(static_cast<std::int64_t>(graph.size())));
    add("Parameters",
        QStringLiteral("%1  (%2)").arg(countText(weights.parameters), bytesText(static_cast<double>(weights.bytes))));
    add("Arithmetic", QStringLiteral("%1%2 per run, %3")
                          .arg(model.costs.isComplete() ? QString() : QStringLiteral("at least "), flopsText(work),
                               QString::fromStdString(model.costs.precision)));
    add("Batch", countText(graph.batch()));
    for (const TensorId input : graph.inputs())
        add("Input",
            QStringLiteral("%1 · %2").arg(shownName(graph.tensor(input).name), shapeText(graph.tensor(input).shape)));
    for (const TensorId output : graph.outputs())
        add("Output",
            QStringLiteral("%1 · %2").arg(shownName(graph.tensor(output).name), shapeText(graph.tensor(output).shape)));
    return section;
}

// The work that the numbers omit, each cause once.
InspectorSection costSection(const InspectorInput &input)
{
    const CostBasis &costs = input.model.costs;
    InspectorSection section{QStringLiteral("Not costed"), {}};
    if (!costs.isComplete())
        section.rows.push_back(
            textRow(QStringLiteral("Costed"),
                    QStringLiteral("%1 of %2").arg(countText(costs.costed()), plural(costs.operators, "operator")),
                    InspectorRow::Tone::Warning));
    for (const UncostedWork &work : costs.uncosted) {
        const QString what = work.losesShapes ? QStringLiteral("%1: shapes are unknown from here on, because %2")
                                              : QStringLiteral("%1, because %2");
        InspectorRow row =
            textRow(QString(), what.arg(plural(work.count, "operator"), QString::fromStdString(work.reason)));
        if (const auto op = input.model.graph->find(work.operatorName))
            row.links.push_back(linkTo(input, *op));
        section.rows.push_back(std::move(row));
    }
    if (const std::string text = conversionText(costs); !text.empty())
        section.rows.push_back(textRow(QString(), QString::fromStdString(text)));
    return section;
}

InspectorSection blockSection(const Model &model)
{
    InspectorSection section{QStringLiteral("Blocks"), {}};
    if (model.blocks.empty())
        return section;
    std::size_t largest = 0;
    std::size_t widest = 0;
    int greatest = 0;
    for (std::size_t i = 0; i < model.blocks.size(); ++i) {
        if (model.blocks[i].operators.size() > model.blocks[largest].operators.size())
            largest = i;
        if (const int each = width(*model.graph, model.blocks[i]); each > greatest) {
            greatest = each;
            widest = i;
        }
    }
    const auto operators = static_cast<std::int64_t>(model.blocks[largest].operators.size());
    section.rows.push_back(
        textRow(QStringLiteral("Blocks"), countText(static_cast<std::int64_t>(model.blocks.size()))));
    const auto add = [&](const char *key, std::size_t block, const QString &fact) {
        InspectorRow row = textRow(QString::fromLatin1(key), fact, InspectorRow::Tone::Muted);
        row.links.push_back(linkToBlock(block));
        section.rows.push_back(std::move(row));
    };
    add("Largest", largest, plural(operators, "operator"));
    add("Widest", widest, QStringLiteral("width %1").arg(greatest));
    return section;
}

InspectorSection scheduleSection(const TimedSchedule &schedule)
{
    InspectorSection section{QStringLiteral("Current schedule"), {}};
    const auto add = [&](const char *key, const QString &value) {
        section.rows.push_back(textRow(QString::fromLatin1(key), value));
    };
    if (!schedule.search.strategy.empty())
        add("Kind", QString::fromStdString(schedule.search.strategy));
    if (const Synchronisation needs = synchronisationOf(schedule); schedule.streams) {
        add("Streams", countText(static_cast<std::int64_t>(needs.streams)));
        add("Launches", countText(static_cast<std::int64_t>(schedule.streams->launches.size())));
        add("Events", countText(static_cast<std::int64_t>(needs.events)));
        add("Barriers", QStringLiteral("none"));
    } else {
        add("Stages", countText(static_cast<std::int64_t>(schedule.stages.size())));
    }
    if (schedule.measured.whole) {
        section.rows.push_back(
            latencyRow(schedule.measured.isSumOfStages() ? QStringLiteral("Sum of stages") : QStringLiteral("Latency"),
                       schedule.measured.whole->latencyUs, schedule, schedule.leavesOutWork()));
        addTiming(section, *schedule.measured.whole);
    }
    if (const std::size_t disturbed = disturbedStages(schedule); disturbed > 0)
        section.rows.push_back(textRow(QStringLiteral("Disturbed"),
                                       QStringLiteral("%1 of %2 while timed")
                                           .arg(disturbed)
                                           .arg(plural(static_cast<std::int64_t>(schedule.stages.size()), "stage")),
                                       InspectorRow::Tone::Warning));
    const auto parts = latencyParts(schedule);
    const auto rest = restUs(schedule);
    if (parts && schedule.isOfProfile()) { // it says nothing of barriers
        section.rows.push_back(latencyRow(QStringLiteral("Stages"), parts->stagesUs, schedule, false));
        add("Beyond them", signedLatencyText(schedule.latencyUs().value_or(0) - parts->stagesUs));
    } else if (parts && rest) {
        section.rows.push_back(
            latencyRow(QStringLiteral("Stages alone"), parts->stagesUs, schedule, schedule.leavesOutWork()));
        const QString barriers = countText(static_cast<std::int64_t>(parts->barriers));
        const bool isCostKnown = parts->barriers == 0 || parts->barriersUs > 0;
        add("Barriers", parts->barriers == 0 ? QStringLiteral("none")
                        : isCostKnown        ? QStringLiteral("%1, %2").arg(barriers, latencyText(parts->barriersUs))
                                             : QStringLiteral("%1, in the rest").arg(barriers));
        if (parts->barriers == 0 && schedule.stages.size() > 1)
            section.rows.push_back(textRow(QString(), aboutBarriers(0), InspectorRow::Tone::Muted));
        if (std::abs(*rest) >= kShownUs) // the whole overlaps launches: the parts are never exactly equal
            add("Rest", QStringLiteral("%1 %2").arg(latencyText(std::abs(*rest)),
                                                    *rest < 0 ? QStringLiteral("less in one go")
                                                    : !schedule.layouts.empty()
                                                        ? QStringLiteral("more in one go, with conversions")
                                                        : QStringLiteral("more in one go")));
    }
    if (!schedule.context.device.empty())
        add("Device", QString::fromStdString(schedule.context.device));
    if (schedule.measured.whole)
        add("Precision", QString::fromStdString(schedule.context.precision));
    if (!schedule.measured.calibration.empty())
        add("Calibrated on", QString::fromStdString(schedule.measured.calibration));
    if (const auto &errors = schedule.measured.simulationErrors)
        add("Simulation", QString::fromStdString(withinText(*errors)));
    if (schedule.search.termination != Termination::None)
        add("Search ended", QString::fromStdString(outcomeText(schedule.search)));
    if (const std::string orders = launchOrdersText(schedule.search); !orders.empty())
        add("Launch orders", QString::fromStdString(orders));
    if (const QString bound = withoutBarriersText(schedule); !bound.isEmpty())
        add("Without barriers or merges at least", bound);
    if (schedule.search.sumUs > 0)
        section.rows.push_back(
            latencyRow(QStringLiteral("As searched"), schedule.search.sumUs, schedule, schedule.leavesOutWork()));
    if (const auto &assumption = schedule.search.assumption) {
        add("Assumed", QString::fromStdString(assumption->text));
        add("Held by", QStringLiteral("%1 of %2, broken by up to %3")
                           .arg(countText(assumption->stagesChecked - assumption->stagesBroken),
                                plural(assumption->stagesChecked, "measured stage"), percentText(assumption->worst)));
        if (std::isfinite(assumption->gapWithout))
            add("Gap without", percentText(assumption->gapWithout));
    }
    return section;
}

// Where a recorded latency is from, and the time that no operator took, with its kernels.
InspectorSection profileSection(const TimedSchedule &schedule)
{
    InspectorSection section{QStringLiteral("Profile"), {}};
    if (!schedule.isOfProfile())
        return section;
    const RecordedProfile &profile = *schedule.measured.profile;
    const double sumUs = profile.mappedUs + profile.unmappedUs;
    const auto add = [&](const QString &key, const QString &value,
                         InspectorRow::Tone tone = InspectorRow::Tone::Normal) {
        section.rows.push_back(textRow(key, value, tone));
    };
    const auto timeAndShare = [&](double us) {
        return QStringLiteral("%1  (%2)").arg(latencyText(us), percentText(sumUs > 0 ? us / sumUs : 0));
    };
    add(QStringLiteral("Recorded by"),
        QString::fromStdString(profile.version.empty() ? profile.program : profile.program + ' ' + profile.version));
    for (const ProfileSource &source : profile.files)
        add(QStringLiteral("File"), QString::fromStdString(source.file), InspectorRow::Tone::Muted);
    add(QStringLiteral("Mapped"), timeAndShare(profile.mappedUs));
    add(QStringLiteral("Mapped to nothing"), timeAndShare(profile.unmappedUs),
        profile.unmappedUs > 0 ? InspectorRow::Tone::Warning : InspectorRow::Tone::Normal);
    for (std::size_t i = 0; i < std::min(profile.unmapped.size(), kMaxUnmapped); ++i) {
        const UnmappedKernels &kernels = profile.unmapped[i];
        InspectorRow row = shareRow(
            shownName(kernels.name),
            kernels.count == 1 ? latencyText(kernels.timeUs)
                               : QStringLiteral("%1 in %2").arg(latencyText(kernels.timeUs), countText(kernels.count)),
            sumUs > 0 ? kernels.timeUs / sumUs : 0);
        section.rows.push_back(std::move(row));
    }
    if (profile.unmapped.size() > kMaxUnmapped)
        add({}, QStringLiteral("%1 more kernels").arg(profile.unmapped.size() - kMaxUnmapped),
            InspectorRow::Tone::Muted);
    for (const std::string &note : profile.notes)
        add({}, QString::fromStdString(note), InspectorRow::Tone::Warning);
    return section;
}

// The time per block.
InspectorSection timeSection(const InspectorInput &input)
{
    InspectorSection section{QStringLiteral("Time by block"), {}};
    if (!input.schedule || !input.schedule->hasStageLatencies())
        return section;
    std::vector<double> latencyUs(input.model.blocks.size(), 0);
    double longest = 0;
    for (const LatencyParts &parts : blockParts(*input.schedule)) {
        const std::size_t block = input.schedule->stages[parts.stages.first].block;
        if (block >= latencyUs.size())
            continue;
        latencyUs[block] = parts.latencyUs();
        longest = std::max(longest, latencyUs[block]);
    }
    if (longest <= 0)
        return section;
    section.provenance = input.schedule->measured.provenance;
    for (std::size_t block = 0; block < latencyUs.size(); ++block) {
        const bool atLeast =
            input.schedule->leavesOutWork() && !areCosted(*input.model.graph, {input.model.blocks[block].operators});
        section.rows.push_back(
            shareRow(blockTitle(block), shortLatencyText(latencyUs[block], atLeast), latencyUs[block] / longest));
    }
    return section;
}

InspectorSection typeSection(const Graph &graph)
{
    std::map<QString, std::int64_t> counts;
    for (const Operator &op : graph.operators())
        ++counts[shownName(displayType(op))];
    std::vector<std::pair<QString, std::int64_t>> types(counts.begin(), counts.end());
    std::stable_sort(types.begin(), types.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
    InspectorSection section{QStringLiteral("Operator types"), {}};
    for (std::size_t i = 0; i < std::min(types.size(), kMaxTypes); ++i) {
        section.rows.push_back(
            shareRow(types[i].first, countText(types[i].second),
                     static_cast<double>(types[i].second) / static_cast<double>(types.front().second)));
    }
    if (types.size() > kMaxTypes)
        section.rows.push_back(textRow(QString(), QStringLiteral("%1 more types").arg(types.size() - kMaxTypes),
                                       InspectorRow::Tone::Muted));
    return section;
}

// What each pass took away, with the first units that it changed.
InspectorSection passSection(const InspectorInput &input)
{
    constexpr std::size_t kMaxUnits = 3;
    InspectorSection section{QStringLiteral("Passes that formed the units"), {}};
    for (const PassReport &report : input.model.report.passes) {
        if (report.changes.empty())
            continue;
        const QString pass = QString::fromLatin1(report.pass.data(), static_cast<qsizetype>(report.pass.size()));
        const auto count = static_cast<std::int64_t>(report.changes.size());
        InspectorRow row = textRow(QStringLiteral("%1: %2").arg(pass, plural(count, "operator")), QString());
        std::vector<OperatorId> units;
        for (const PassChange &change : report.changes) {
            if (units.size() == kMaxUnits)
                break;
            if (change.unit.isValid() && std::ranges::count(units, change.unit) == 0)
                units.push_back(change.unit);
        }
        for (const OperatorId unit : units)
            row.links.push_back(linkTo(input, unit));
        section.rows.push_back(std::move(row));
    }
    return section;
}

// What became of the operators of the file, by type.
InspectorSection fileSection(const InspectorInput &input)
{
    InspectorSection section{QStringLiteral("Operators of the file"), {}};
    for (const TypeReport &type : input.model.report.types) {
        QStringList parts;
        const auto add = [&](std::int64_t count, const char *what) {
            if (count > 0)
                parts << QStringLiteral("%1 %2").arg(countText(count), QString::fromLatin1(what));
        };
        add(type.folded, "folded");
        add(type.leftOut, "left out");
        add(type.fused, "fused");
        add(type.operators - type.opaque, type.operators == type.opaque + 1 ? "unit" : "units");
        add(type.opaque, "opaque");
        add(type.refused, "refused by run on cpu");
        section.rows.push_back(
            textRow(shownName(type.type), parts.join(QStringLiteral(", ")),
                    type.because.empty() ? InspectorRow::Tone::Normal : InspectorRow::Tone::Warning));
        for (const TypeReason &reason : type.because) {
            const bool isOpaque = reason.outcome == TypeReason::Outcome::Opaque;
            const QString what =
                QStringLiteral("%1 %2, because %3")
                    .arg(countText(reason.operators), isOpaque ? QStringLiteral("opaque") : QStringLiteral("refused"),
                         QString::fromStdString(reason.reason));
            InspectorRow row = textRow(QString(), what, InspectorRow::Tone::Muted);
            if (const auto op = input.model.graph->find(reason.operatorName))
                row.links.push_back(linkTo(input, *op));
            section.rows.push_back(std::move(row));
        }
    }
    return section;
}

InspectorSection reportSection(const InspectorInput &input)
{
    const Model &model = input.model;
    InspectorSection section{QStringLiteral("Import report"), {}};
    if (!model.report.unknownTypes.empty()) {
        QStringList types;
        for (const std::string &type : model.report.unknownTypes)
            types << QString::fromStdString(type);
        section.rows.push_back(
            textRow(QStringLiteral("Unknown"), types.join(QStringLiteral(", ")), InspectorRow::Tone::Warning));
    }
    const auto &notes = model.report.notes;
    for (std::size_t i = 0; i < std::min(notes.size(), kMaxNotes); ++i) {
        const bool isWarning = notes[i].severity == ImportNote::Severity::Warning;
        InspectorRow row{QString(),
                         QString::fromStdString(notes[i].text),
                         isWarning ? InspectorRow::Tone::Warning : InspectorRow::Tone::Normal,
                         {},
                         {},
                         {}};
        if (const auto op = model.graph->find(notes[i].operatorName))
            row.links.push_back(linkTo(input, *op));
        section.rows.push_back(std::move(row));
    }
    if (notes.size() > kMaxNotes)
        section.rows.push_back(textRow(QString(), QStringLiteral("%1 more notes").arg(notes.size() - kMaxNotes),
                                       InspectorRow::Tone::Muted));
    return section;
}

} // namespace

InspectorPage modelPage(const InspectorInput &input)
{
    const Model &model = input.model;
    InspectorPage page{
        QStringLiteral("Model"), shownName(model.name), QString::fromStdString(model.source), std::nullopt, {}};
    if (page.subtitle == page.title)
        page.subtitle.clear();
    const auto add = [&](InspectorSection section) {
        if (!section.rows.empty())
            page.sections.push_back(std::move(section));
    };
    add(sizeSection(model));
    add(costSection(input));
    if (!model.report.unknownTypes.empty())
        add(reportSection(input));
    if (input.schedule)
        add(scheduleSection(*input.schedule));
    if (input.schedule)
        add(profileSection(*input.schedule));
    add(reasonSection(input));
    add(blockSection(model));
    add(timeSection(input));
    add(typeSection(*model.graph));
    if (model.report.unknownTypes.empty())
        add(reportSection(input));
    add(passSection(input));
    add(fileSection(input));
    return page;
}

} // namespace stagecraft
