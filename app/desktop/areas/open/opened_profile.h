#pragma once

// A profile that another program recorded, opened on a model: its schedule, its timeline, and what to know about them.
// Runs on a background thread.

#include "desktop/work/target.h"
#include "device/recorded/profiles/profile_reader.h"
#include "support/result.h"
#include "timing/timeline/timeline_index.h"

#include <QString>

#include <memory>
#include <stop_token>
#include <vector>

namespace stagecraft {

struct OpenedProfile {
    QString title; // the name of its file, without endings
    SchedulePtr schedule;
    std::shared_ptr<const TimelineIndex> timeline;
    QString warning; // empty: none
    QString summary; // "2.00 ms, recorded on NVIDIA A100 (profile), 100 % of kernel time mapped"
};

// Errors: InvalidInput, naming the file; Cancelled.
[[nodiscard]] Result<OpenedProfile> openProfile(const ModelPtr &model, std::vector<ProfileFile> files,
                                                const std::stop_token &stop);

// Whether a file may be a profile, by its ending: content decides.
[[nodiscard]] bool mayBeProfile(const QString &path);

} // namespace stagecraft
