#pragma once

// The settings and progress of a search: device, batch, strategy, pruning, Search and Stop in the first row, live
// numbers in the second, which is always visible. While a search runs, the next one can be queued. Lives on the UI
// thread and is independent of devices: choices come in as values.

#include "schedule/timed_schedule.h"
#include "search/options.h"
#include "timing/provenance.h"
#include "widgets/search/search_facts.h"

#include <QString>
#include <QWidget>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

class QAction;
class QIcon;

namespace stagecraft {

class DeviceOptionsButton;

struct DeviceChoice {
    QString id;
    QString title;
    QString detail; // facts, calibration, or why it is unavailable; shown as a tool tip
    bool available = true;
    Provenance provenance = Provenance::Simulated; // of its numbers
    QString unavailableReason = {};
};

class SearchPanel : public QWidget {
    Q_OBJECT

public:
    explicit SearchPanel(QWidget *parent = nullptr);
    ~SearchPanel() override;

    void setDevices(const std::vector<DeviceChoice> &devices, const QString &current);
    [[nodiscard]] QString deviceId() const;
    void setDeviceId(const QString &id);                      // without deviceChanged()
    [[nodiscard]] DeviceOptionsButton *deviceOptions() const; // of that device

    void setBatch(std::int64_t batch); // without batchChanged(); any, also what may not be typed
    [[nodiscard]] std::int64_t batch() const;

    // Other strategies below those of IOS, by name and word. `hasStages`: r, s and single source are for its stages.
    struct Other {
        QString title;
        QString word;
        bool hasStages = false;
    };
    void addStrategies(const std::vector<Other> &others, const QString &tip);
    [[nodiscard]] QString other() const; // the word of the one that is chosen; empty: one of IOS
    void setOther(const QString &word);  // nothing, if there is none
    [[nodiscard]] SearchOptions options() const;
    void setOptions(const SearchOptions &options);

    // How compact the panel is: 0 full, 1 without labels of fields, 2 also without the single-source box, which stays
    // in the menu.
    void setTightness(int level);
    [[nodiscard]] QAction *launchOrderAction() const;
    [[nodiscard]] QAction *singleSourceAction() const;
    // False before the first model: there is nothing to search.
    void setReady(bool ready);
    void setRunning(bool running);
    [[nodiscard]] bool isRunning() const;

    void setIcons(const QIcon &search, const QIcon &stop);

    void showProgress(const RunningSearch &search, const SearchProgress &progress, const QString &timeLeft = {});
    // `what` names the result and its model. `faster`: a baseline with its latency, if one is; else empty.
    void showResult(const QString &what, const TimedSchedule &schedule, const QString &faster = {});
    // Of schedules that are timed in rounds, after a search. `timeLeft`: empty if unknown.
    void showRounds(const QString &what, int done, int rounds, const QString &timeLeft);
    // Of a long piece of work in steps of like size: "profiling layouts", 12 of 240.
    void showSteps(const QString &what, std::int64_t done, std::int64_t all);
    // Of a search that times whole schedules.
    void showTimed(const RunningSearch &search, std::int64_t schedules, double bestUs);
    void showMessage(const QString &message);
    [[nodiscard]] QString progressText() const; // the second row as plain text

signals:
    void deviceChanged(const QString &id);
    void batchChanged(std::int64_t batch);
    void optionsChanged();
    void searchRequested();
    void stopRequested();
    void refused(const QString &why); // a number that was typed

protected:
    void changeEvent(QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
