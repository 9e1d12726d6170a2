#pragma once

// Reads a session file and opens what it refers to: models, by place and hash, and devices. Missing ones are reported
// without affecting the rest. Blocks, so not for the UI thread.

#include "desktop/jobs.h"
#include "shelf/session.h"

#include <map>
#include <string>
#include <vector>

namespace stagecraft {

struct OpenedSession {
    Session session;
    std::vector<ModelPtr> models;              // one per session.models; null: missing
    std::vector<std::string> whyMissing;       // for missing models: "is not there any more"
    std::map<std::string, DeviceInfo> devices; // of the results, by id, whether available or not
    std::size_t interrupted = 0;               // results that were running and have no schedule
};

// Errors name the file.
[[nodiscard]] Result<OpenedSession> openSession(const std::string &path, const Services &services);

// Reads the missing model from a file. The error says how it differs.
[[nodiscard]] Result<ModelPtr> findModelIn(const std::string &path, const SessionModel &model,
                                           const Services &services);

} // namespace stagecraft
