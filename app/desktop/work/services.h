#pragma once

// The sources of models and devices; tests supply their own.

#include "flow/open_model.h"
#include "measure/measurers.h"

#include <QObject>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft {

// Reports errors of a device's latency store from any measuring thread.
class StoreErrors : public QObject {
    Q_OBJECT

signals:
    void reported(const stagecraft::Error &error);
};

struct Services {
    std::function<Result<OpenedModel>(const OpenRequest &request)> openModel;
    std::function<std::vector<DeviceInfo>()> listDevices;
    DeviceFinder findDevice;
    std::string defaultDevice;
    std::string latencyStore; // where measured latencies are stored; empty: nowhere
    std::shared_ptr<StoreErrors> storeErrors = std::make_shared<StoreErrors>();
    std::shared_ptr<Measurers> measurers{}; // of all windows; null: the window has its own
    std::function<Result<std::vector<DeviceInfo>>(const std::string &place, const std::stop_token &stop)>
        listDevicesOf{}; // "ssh:gpu1"
};

[[nodiscard]] Services installedServices();

} // namespace stagecraft
