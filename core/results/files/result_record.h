#pragma once

// The members of results in session files, beside those that name operators and models.

#include "results/files/session.h"
#include "search/search_record.h"
#include "timing/timing_record.h"

#include <optional>
#include <utility>

namespace stagecraft {

template <>
struct Words<Origin> {
    static constexpr Word<Origin> table[]{{Origin::Baseline, "baseline"},
                                          {Origin::Searched, "searched"},
                                          {Origin::Edited, "edited"},
                                          {Origin::OpenedFile, "opened"},
                                          {Origin::OtherDevice, "other device"},
                                          {Origin::Published, "published"},
                                          {Origin::Layouts, "layouts"},
                                          {Origin::Stated, "stated"},
                                          {Origin::Profiled, "profiled"}};
};
template <>
struct Words<ResultState> {
    static constexpr Word<ResultState> table[]{{ResultState::Waiting, "waiting"},
                                               {ResultState::Running, "running"},
                                               {ResultState::Done, "done"},
                                               {ResultState::Failed, "failed"}};
};
template <>
struct Words<MeasuredHow> {
    static constexpr Word<MeasuredHow> table[]{{MeasuredHow::SumOfStages, "sum of stages"},
                                               {MeasuredHow::Alone, "alone"},
                                               {MeasuredHow::InRounds, "in rounds"}};
};

// What is visited as a constant has a reader of its own (result_json.cpp).
void eachMember(Of<ScheduleResult> auto &result, auto &&visit)
{
    auto &[model, device, deviceVersion, batch, precision] = result.settings;
    visit(Field{"id"}.required(), result.id.value);
    visit(Field{"device"}.required(), device);
    visit({"device_version"}, deviceVersion);
    visit({"precision"}, precision);
    visit({"origin"}, result.origin);
    visit({"state"}, result.state);
    visit(Field{"title"}.required(), result.title);
    visit({"made_at"}, result.madeAtSeconds);
    visit({"asked"}, std::as_const(result.asked));
    visit({"from"}, result.from.value, result.from.isValid());
    visit({"source"}, result.source, !result.source.empty());
    visit({"trouble"}, result.trouble, !result.trouble.empty());
    visit({"name"}, result.name, !result.name.empty());
    visit({"note"}, result.note, !result.note.empty());
    visit({"pinned"}, result.isPinned, result.isPinned);
}

void eachMember(Of<ModelShare> auto &share, auto &&visit)
{
    visit(Field{"name"}.required(), share.name);
    visit(Field{"ends_at_share"}.required(), share.endsAt);
    visit(Field{"alone_us"}.required(), share.aloneUs);
}

// What a measurement of a result has: of the whole, with its provenance.
template <typename T>
T &present(std::optional<T> &value)
{
    return value ? *value : value.emplace();
}
template <typename T>
const T &present(const std::optional<T> &value)
{
    return *value;
}

void eachMember(Of<Measurement> auto &measurement, auto &&visit)
{
    auto &timing = present(measurement.whole);
    visit({"how"}, measurement.how);
    visit(Field{"us"}.required(), timing.latencyUs);
    visit({"provenance"}, present(measurement.provenance));
    visit({"at"}, measurement.atSeconds);
    visit({"timing"}, TimingInFull{timing}, timing != Timing::ofLatency(timing.latencyUs));
    visit({"session"}, measurement.roundGroup, measurement.roundGroup != 0);
    visit({"rounds_us"}, std::as_const(measurement.roundsUs), !measurement.roundsUs.empty());
    visit({"seconds_per_round"}, measurement.secondsPerRound, measurement.secondsPerRound != 0);
}

void eachMember(Of<AutosaveNote> auto &note, auto &&visit)
{
    visit({"title"}, note.title);
    visit({"file"}, note.file);
    visit({"saved_digest"}, note.savedDigest);
    visit({"at"}, note.atSeconds);
    visit({"results"}, note.results);
    visit({"closed"}, note.isClosed);
}

} // namespace stagecraft
