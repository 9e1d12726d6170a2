#pragma once

// Reads a session file and opens what it refers to: its models, by place and hash, and its devices. What is not there
// is said, and costs nothing else. Works and waits: not for the UI thread.

#include "desktop/jobs.h"
#include "shelf/session.h"

#include <map>
#include <string>
#include <vector>

namespace stagecraft {

struct OpenedSession {
    Session session;
    std::vector<ModelPtr> models;              // of session.models; null: missing
    std::vector<std::string> whyMissing;       // of those that are: "is not there any more"
    std::map<std::string, DeviceInfo> devices; // of the results, by id, available or not
    std::size_t interrupted = 0;               // results that were under way and have no schedule
};

// Errors name the file.
[[nodiscard]] Result<OpenedSession> openSession(const std::string &path, const Services &services);

// The missing model in a file. The error says why it is not the same.
[[nodiscard]] Result<ModelPtr> findModelIn(const std::string &path, const SessionModel &model,
                                           const Services &services);

} // namespace stagecraft
