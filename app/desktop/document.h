#pragma once

// What is open: one model on one device, its schedules, and which of them is in front. The window shows it, jobs fill
// it. Nothing here works or waits. Lives on the UI thread.

#include "desktop/jobs.h"
#include "engine/make_schedule.h"
#include "widgets/comparison/comparison_table.h"

#include <QObject>
#include <QString>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

struct ScheduleEntry {
    QString title;
    std::optional<ScheduleKind> kind; // none: from a file
    SchedulePtr schedule;             // null until made
    std::vector<BlockSearch> search;
    std::shared_ptr<const Timeline> timeline; // null until asked for
    std::optional<InTurn> inTurn;             // against Sequential, where they were timed in turn
    QString note;                             // why there is no schedule
};

class Document : public QObject {
    Q_OBJECT

public:
    explicit Document(QObject *parent = nullptr);

    [[nodiscard]] const ModelPtr &model() const { return m_model; }
    [[nodiscard]] const QString &spec() const { return m_spec; } // built-in name or path it was opened by
    [[nodiscard]] Bench bench() const { return {m_model, m_device.id}; }
    [[nodiscard]] const DeviceInfo &device() const { return m_device; }
    [[nodiscard]] const std::vector<ScheduleEntry> &entries() const { return m_entries; }
    [[nodiscard]] std::size_t current() const { return m_current; }
    [[nodiscard]] const ScheduleEntry &front() const { return m_entries[m_current]; }
    [[nodiscard]] std::size_t indexOf(ScheduleKind kind) const { return static_cast<std::size_t>(kind); }
    [[nodiscard]] std::vector<ComparisonRow> comparison() const;

    // Both forget every schedule: latencies belong to a model on a device.
    void setModel(const QString &spec, ModelPtr model);
    void setDevice(DeviceInfo device);

    void setSchedule(ScheduleKind kind, SchedulePtr schedule, std::vector<BlockSearch> search);
    void setNote(ScheduleKind kind, const QString &note); // of an entry without a schedule
    std::size_t addSchedule(const QString &title, SchedulePtr schedule);
    void setTimeline(const SchedulePtr &schedule, std::shared_ptr<const Timeline> timeline);
    void setTimesInTurn(const std::vector<SchedulePtr> &schedules, const std::vector<InTurn> &times);
    void setCurrent(std::size_t index);

signals:
    void modelChanged();
    void deviceChanged();
    void entriesChanged();
    void frontChanged(); // another schedule is in front, or the one in front has new values
    void timelineChanged();

private:
    void resetEntries();

    ModelPtr m_model;
    QString m_spec;
    DeviceInfo m_device;
    std::vector<ScheduleEntry> m_entries;
    std::size_t m_current = 0;
};

} // namespace stagecraft
