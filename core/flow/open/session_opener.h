#pragma once

// Reads a session file and opens what it refers to: models, by place and hash, and devices. Missing ones are reported
// without affecting the rest. Blocks, so not for the UI thread.

#include "device/device.h"
#include "flow/open_model.h"
#include "model/model.h"
#include "results/files/session.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft {

// What a session is opened with.
struct SessionSources {
    std::function<Result<OpenedModel>(const OpenRequest &request)> openModel;
    std::function<Result<std::unique_ptr<Device>>(const std::string &id)> findDevice;
};

struct OpenedSession {
    Session session;
    std::vector<std::shared_ptr<const Model>> models; // one per session.models; null: missing
    std::vector<std::string> whyMissing;              // for missing models: "is not there any more"
    std::map<std::string, DeviceInfo> devices;        // of the results, by id, whether available or not
    std::size_t interrupted = 0;                      // results that were running and have no schedule
};

// Errors name the file.
[[nodiscard]] Result<OpenedSession> openSession(const std::string &path, const SessionSources &sources);

// Reads the missing model from a file. The error says how it differs.
[[nodiscard]] Result<std::shared_ptr<const Model>> findModelIn(const std::string &path, const SessionModel &model,
                                                               const SessionSources &sources);

} // namespace stagecraft
