#include "desktop/document/new_results.h"

#include "device/recorded/profile_device.h"

#include <QDateTime>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

ScheduleKind kindOfSearched(const SearchRecord &record)
{
    return scheduleKindFromString(record.strategy).value_or(ScheduleKind::IosBoth);
}

// The result was made in the same way and has this measurement of the same schedule.
bool hasMeasurementOf(const ScheduleResult &result, const TimedSchedule &schedule)
{
    const SearchRecord &record = result.record();
    const auto measurement = measurementOf(schedule, 0);
    return measurement && result.schedule && hasSameOrder(*result.schedule, schedule) &&
           result.schedule->layouts == schedule.layouts && record.strategy == schedule.search.strategy &&
           record.r == schedule.search.r && record.s == schedule.search.s &&
           record.singleSource == schedule.search.singleSource &&
           std::ranges::any_of(result.measurements,
                               [&](const Measurement &one) { return one.whole == measurement->whole; });
}

bool isBaseline(ScheduleKind kind)
{
    return kind == ScheduleKind::Sequential || kind == ScheduleKind::Greedy;
}

} // namespace

NewResults::NewResults(Shelf &shelf, Places &places, const NextSearch &next, Results &results)
    : m_shelf(shelf), m_places(places), m_next(next), m_results(results)
{
}

ResultId NewResults::add(ScheduleResult result)
{
    const ResultId id = m_shelf.add(std::move(result));
    m_results.refresh();
    return id;
}

std::vector<ResultToMake> NewResults::addBaselines()
{
    std::vector<ResultToMake> rows;
    for (const ScheduleKind kind : {ScheduleKind::Sequential, ScheduleKind::Greedy}) {
        const ScheduleResult *there = nullptr;
        for (const ResultId id : m_results.fitting()) {
            const ScheduleResult *result = m_shelf.find(id);
            if (result->origin == Origin::Baseline && result->asked.strategy == toString(kind))
                there = result;
        }
        if (there && there->schedule)
            continue;
        ScheduleResult result;
        result.origin = Origin::Baseline;
        result.state = ResultState::Waiting;
        result.title = std::string(title(kind));
        result.asked.strategy = std::string(toString(kind));
        result.settings = m_next.settings();
        if (there)
            m_shelf.setWaiting(there->id);
        rows.push_back({there ? there->id : m_shelf.add(std::move(result)), kind});
    }
    if (!rows.empty())
        m_results.showFitting();
    return rows;
}

std::vector<ResultToMake> NewResults::addSearches(const std::vector<ScheduleKind> &kinds, const SearchOptions &options)
{
    std::vector<ResultToMake> rows;
    for (const ScheduleKind kind : kinds) {
        if (!isBaseline(kind))
            rows.push_back(addSearch(m_next.settings(), kind, options));
    }
    m_results.refresh();
    return rows;
}

ResultToMake NewResults::addPinnedSearch(ResultId from, ScheduleKind kind, const SearchOptions &options)
{
    ResultToMake made = addSearch(m_shelf.find(from)->settings, kind, options);
    m_results.refresh();
    return made;
}

ResultToMake NewResults::addStreams(StreamKind kind, const SearchOptions &options)
{
    const ResultId id = addWaiting(m_next.settings(), title(kind), toString(kind), options);
    m_results.refresh();
    return {id, {}, StreamsWanted{.kind = kind}};
}

ResultToMake NewResults::addStreamsFrom(ResultId from, const SearchOptions &options)
{
    const ScheduleResult &origin = *m_shelf.find(from);
    constexpr StreamKind kKind = StreamKind::Searched;
    const ResultId id = addWaiting(origin.settings, title(kKind), toString(kKind), options);
    StreamsWanted wanted{.kind = kKind, .from = origin.schedule->streams};
    m_results.refresh();
    return {id, {}, std::move(wanted)};
}

ResultToMake NewResults::addSearch(const RunContext &settings, ScheduleKind kind, const SearchOptions &options)
{
    return {addWaiting(settings, title(kind), toString(kind), options), kind};
}

ResultId NewResults::addWaiting(const RunContext &settings, std::string_view title, std::string_view strategy,
                                const SearchOptions &options)
{
    ScheduleResult result;
    result.origin = Origin::Searched;
    result.state = ResultState::Waiting;
    result.title = std::string(title);
    result.asked.strategy = std::string(strategy);
    result.asked.r = options.r;
    result.asked.s = options.s;
    result.asked.singleSource = options.singleSource;
    result.asked.pinnedStages = static_cast<std::int64_t>(options.pinned.size());
    if (options.ordersLaunches && strategy.starts_with("ios-") && strategy != toString(StreamKind::IosRelaxed))
        result.asked.launchOrders.emplace();
    result.settings = settings;
    return m_shelf.add(std::move(result));
}

std::vector<ResultBeside> NewResults::beside(const std::vector<ResultToMake> &made) const
{
    std::vector<ResultBeside> others;
    if (made.empty())
        return others;
    const ScheduleResult *result = m_shelf.find(made.front().id);
    if (!result)
        return others;
    for (const ScheduleKind kind : kScheduleKinds) {
        const ResultId id = m_shelf.newest(result->settings, std::string(toString(kind)));
        if (id.isValid())
            others.push_back({id, m_shelf.find(id)->schedule, isBaseline(kind)});
    }
    const ResultId baseline = m_shelf.baseline(result->settings);
    const bool isThere = std::ranges::any_of(others, [&](const ResultBeside &other) { return other.id == baseline; });
    if (baseline.isValid() && !isThere && m_shelf.find(baseline)->schedule)
        others.push_back({baseline, m_shelf.find(baseline)->schedule, false});
    return others;
}

ResultId NewResults::addOpened(const QString &title, const QString &path, const RunContext &measuredOn,
                               const SchedulePtr &schedule)
{
    ScheduleResult result;
    result.origin = Origin::OpenedFile;
    result.title = title.toStdString();
    result.source = path.toStdString();
    result.asked = schedule->search;
    result.settings = measuredOn;
    const ResultId id = m_shelf.add(std::move(result));
    m_shelf.setMade(id, schedule, {}, QDateTime::currentSecsSinceEpoch());
    return m_results.setDone(id);
}

ResultId NewResults::addStudied(const ModelPtr &model, const DeviceInfo &device, const SchedulePtr &schedule,
                                const std::vector<BlockSearch> &search, const QString &madeFor)
{
    ScheduleResult result;
    result.title = std::string(title(kindOfSearched(schedule->search)));
    result.origin = Origin::Searched;
    if (!madeFor.isEmpty()) {
        result.origin = Origin::OtherDevice;
        result.title += " made for " + madeFor.toStdString();
        result.source = madeFor.toStdString();
    }
    result.asked = schedule->search;
    result.settings = m_places.add(model, device);
    // Its one measurement counts once, however often it is put on the shelf.
    for (const ScheduleResult &known : m_shelf.results()) {
        if (known.settings == result.settings && known.origin == result.origin && known.source == result.source &&
            hasMeasurementOf(known, *schedule))
            return known.id;
    }
    const ResultId id = m_shelf.add(std::move(result));
    m_shelf.setMade(id, schedule, search, QDateTime::currentSecsSinceEpoch());
    return m_results.setDone(id);
}

ResultId NewResults::addFromOtherDevice(const QString &title, ResultId from, const QString &searchedFor)
{
    ScheduleResult result;
    result.origin = Origin::OtherDevice;
    result.state = ResultState::Waiting;
    result.title = title.toStdString();
    result.from = from;
    result.source = searchedFor.toStdString();
    result.asked = m_shelf.find(from)->record();
    result.settings = m_next.settings();
    return add(std::move(result));
}

ResultId NewResults::addPublished(const QString &title, const QString &source)
{
    ScheduleResult result;
    result.origin = Origin::Published;
    result.state = ResultState::Waiting;
    result.title = title.toStdString();
    result.source = source.toStdString();
    result.settings = m_next.settings();
    return add(std::move(result));
}

ResultId NewResults::addTogether(const QString &title)
{
    const ResultId id = addWaiting(m_next.settings(), title.toStdString(), "co-run", {});
    m_results.refresh();
    return id;
}

ResultId NewResults::addLayouts(ResultId of)
{
    const ScheduleResult &from = *m_shelf.find(of);
    ScheduleResult result;
    result.origin = Origin::Layouts;
    result.state = ResultState::Waiting;
    result.title = from.shownName() + " with layouts";
    result.from = of;
    result.asked.strategy = from.record().strategy;
    result.asked.r = from.record().r;
    result.asked.s = from.record().s;
    result.asked.singleSource = from.record().singleSource;
    result.settings = from.settings;
    return add(std::move(result));
}

ResultId NewResults::addProfiled(const QString &title, const ModelPtr &model, const SchedulePtr &schedule)
{
    const RecordedProfile &profile = *schedule->measured.profile;
    ScheduleResult result;
    result.origin = Origin::Profiled;
    result.title = title.toStdString();
    result.source = profile.files.empty() ? std::string() : profile.files.front().file;
    result.asked = schedule->search;
    result.settings = m_places.add(model, profileDevice(schedule->context.device));
    for (const ScheduleResult &known : m_shelf.results()) {
        if (known.settings == result.settings && known.schedule && known.origin == Origin::Profiled &&
            known.schedule->measured.profile && known.schedule->measured.profile->files == profile.files)
            return known.id;
    }
    const ResultId id = m_shelf.add(std::move(result));
    m_shelf.setMade(id, schedule, {}, QDateTime::currentSecsSinceEpoch());
    return m_results.setDone(id);
}

ResultId NewResults::addStated(const QString &title, double us, const QString &source)
{
    ScheduleResult result;
    result.origin = Origin::Stated;
    result.title = title.toStdString();
    result.source = source.toStdString();
    result.settings = m_next.settings();
    result.madeAtSeconds = QDateTime::currentSecsSinceEpoch();
    Measurement measurement;
    measurement.whole = Timing::ofLatency(us);
    measurement.provenance = Provenance::Recorded;
    measurement.atSeconds = result.madeAtSeconds;
    result.measurements.push_back(std::move(measurement));
    return add(std::move(result));
}

} // namespace stagecraft
