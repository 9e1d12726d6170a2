#pragma once

// How results come to the shelf: baselines, searches, files, studies, other devices, published and stated latencies.
// Lives on the UI thread.

#include "desktop/document/results.h"
#include "flow/find/stream_kind.h"
#include "search/options.h"

#include <QString>

#include <optional>
#include <string_view>
#include <vector>

namespace stagecraft {

// A result to be made, under its id on the shelf.
struct ResultToMake {
    ResultId id;
    ScheduleKind kind = ScheduleKind::Sequential;
    std::optional<StreamsWanted> streams = std::nullopt; // instead of `kind`
};

class NewResults {
public:
    NewResults(Shelf &shelf, Places &places, const NextSearch &next, Results &results); // the document's

    // Adds unfinished results for the next search. Existing baselines are not added again.
    [[nodiscard]] std::vector<ResultToMake> addBaselines();
    [[nodiscard]] std::vector<ResultToMake> addSearches(const std::vector<ScheduleKind> &kinds,
                                                        const SearchOptions &options);
    [[nodiscard]] ResultToMake addStreams(StreamKind kind, const SearchOptions &options);
    // A search on the result's device that keeps stages of the result.
    [[nodiscard]] ResultToMake addStreamsFrom(ResultId from, const SearchOptions &options); // which has streams
    [[nodiscard]] ResultToMake addPinnedSearch(ResultId from, ScheduleKind kind, const SearchOptions &options);
    // The results timed in rounds with a search of those settings: its baselines first, then the newest of each kind.
    [[nodiscard]] std::vector<ResultBeside> beside(const std::vector<ResultToMake> &made) const;

    ResultId addOpened(const QString &title, const QString &path, const RunContext &measuredOn,
                       const SchedulePtr &schedule);
    // A result of a study on that model and device. `madeFor`: the other batch size or device it was searched for;
    // empty: those it is measured on.
    ResultId addStudied(const ModelPtr &model, const DeviceInfo &device, const SchedulePtr &schedule,
                        const std::vector<BlockSearch> &search, const QString &madeFor = {});
    // A result from another device, still to be measured on this one.
    ResultId addFromOtherDevice(const QString &title, ResultId from, const QString &searchedFor);
    // A published schedule for `source`, still to be measured on the device of the next search.
    ResultId addPublished(const QString &title, const QString &source);
    // A plan for the models of the next search together, still to be found.
    ResultId addTogether(const QString &title);
    // The stages of a result in layouts that are still to be chosen, on its device.
    ResultId addLayouts(ResultId of);
    // What a profile recorded, on the device that it names. Of the same files there is one result.
    ResultId addProfiled(const QString &title, const ModelPtr &model, const SchedulePtr &schedule);
    // A latency without a schedule. `source`: its file; empty: typed.
    ResultId addStated(const QString &title, double us, const QString &source);

private:
    ResultToMake addSearch(const RunContext &settings, ScheduleKind kind, const SearchOptions &options);
    ResultId addWaiting(const RunContext &settings, std::string_view title, std::string_view strategy,
                        const SearchOptions &options);
    ResultId add(ScheduleResult result);

    Shelf &m_shelf;
    Places &m_places;
    const NextSearch &m_next;
    Results &m_results;
};

} // namespace stagecraft
