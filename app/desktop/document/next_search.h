#pragma once

// The model and the device of the next search, and what its latencies depend on: what searches, comparisons and studies
// act on. They follow the result that is shown. Lives on the UI thread.

#include "desktop/document/places.h"

#include <QObject>
#include <QString>

namespace stagecraft {

class NextSearch : public QObject {
    Q_OBJECT

public:
    NextSearch(Places &places, QObject *parent) : QObject(parent), m_places(places) {}

    // Null if it is missing, or nothing is open.
    [[nodiscard]] const ModelPtr &model() const { return m_model; }
    [[nodiscard]] QString spec() const; // built-in name or path; empty without a model
    [[nodiscard]] const DeviceInfo &device() const { return m_device; }
    [[nodiscard]] Target target() const { return {m_model, m_device.id}; }
    [[nodiscard]] const RunContext &settings() const { return m_settings; }

    void setModel(const ModelPtr &model);
    void setDevice(DeviceInfo device);
    bool follow(const Place &place);     // false: they are these
    void restore(const ModelPtr &model); // of a session; null: it has none

signals:
    void modelChanged();
    void deviceChanged();
    void chosen(); // after that: others than those of the result that is shown, perhaps

private:
    void takeSettings();

    Places &m_places;
    ModelPtr m_model;
    DeviceInfo m_device;
    RunContext m_settings;
};

} // namespace stagecraft
