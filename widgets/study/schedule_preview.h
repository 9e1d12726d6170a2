#pragma once

// A card beside a point: the name, latency and facts of a schedule, and its stages in a strip, as wide as they are long
// and with a row per group. Lives on the UI thread.

#include "schedule/timed_schedule.h"

#include <QFrame>
#include <QStringList>

#include <memory>

class QLabel;

namespace stagecraft {

class SchedulePreview : public QFrame {
    Q_OBJECT

public:
    explicit SchedulePreview(QWidget *owner); // whose window it is shown in

    // Beside `at`, in global coordinates, above everything else in the window.
    void show(const QString &title, const QString &latency, const QStringList &facts,
              std::shared_ptr<const TimedSchedule> schedule, const QPoint &at);
    [[nodiscard]] QString spoken() const; // all its words

private:
    class Strip;

    QWidget *m_owner;
    QLabel *m_words;
    Strip *m_strip;
    QString m_spoken;
};

} // namespace stagecraft
