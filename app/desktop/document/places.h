#pragma once

// What the settings of results refer to: their models, some of which may be missing, and their devices. Lives on the UI
// thread.

#include "desktop/work/target.h"
#include "device/device.h"
#include "flow/open/session_opener.h"
#include "graph/operator_names.h"
#include "results/files/session.h"
#include "results/shelf.h"

#include <QString>

#include <vector>

namespace stagecraft {

// A model of a session that is not in its old place or has changed.
struct MissingModel {
    SessionModelPtr model;
    QString why;
};

struct Place {
    RunContext settings;
    ModelPtr model; // null: missing
    DeviceInfo device;
};

class Places {
public:
    explicit Places(Shelf &shelf) : m_shelf(shelf) {}

    RunContext add(const ModelPtr &model, const DeviceInfo &device); // results with them can be shown
    [[nodiscard]] ModelPtr known(const ModelPtr &model) const;       // the same one, to which results refer already
    [[nodiscard]] const Place *of(ResultId id) const;
    [[nodiscard]] Target targetOf(ResultId id) const;             // without a model if there is no such result
    [[nodiscard]] OperatorNames operatorNames(ResultId id) const; // of its model, even if that is missing

    // Results of missing models can be read and exported, but not drawn or measured.
    [[nodiscard]] const std::vector<MissingModel> &missing() const { return m_missing; }
    [[nodiscard]] bool isMissing(ResultId id) const;
    // Supplies a missing model. The error says why it does not fit.
    [[nodiscard]] Result<void> setFound(const ModelPtr &model);

    [[nodiscard]] SessionModelPtr sessionModelOf(const RunContext &settings) const;
    // With the models that are open, for the export of a session of them.
    [[nodiscard]] OpenedSession opened(Session session) const;
    void restore(const OpenedSession &opened); // replaces everything

private:
    Shelf &m_shelf;
    std::vector<Place> m_places;
    std::vector<MissingModel> m_missing;
    mutable std::vector<SessionModelPtr> m_sessionModels; // those requested by sessions so far
};

// The settings are of this model, at its batch size.
[[nodiscard]] bool isOf(const RunContext &settings, const SessionModel &model);

} // namespace stagecraft
