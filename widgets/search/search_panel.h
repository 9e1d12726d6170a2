#pragma once

// The settings and progress of a search: device, batch, strategy, pruning, Search and Stop in the first row, live
// numbers in the second, which is always visible. While a search runs, the next one can be queued. Lives on the UI
// thread and is independent of devices: choices come in as values.

#include "schedule/schedule.h"
#include "search/search.h"
#include "support/provenance.h"

#include <QString>
#include <QWidget>

#include <cstdint>
#include <memory>
#include <vector>

class QAction;
class QIcon;

namespace stagecraft {

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
    void setDeviceId(const QString &id); // without deviceChanged()

    void setBatch(std::int64_t batch); // without batchChanged()
    [[nodiscard]] std::int64_t batch() const;

    [[nodiscard]] SearchOptions options() const;
    void setOptions(const SearchOptions &options);

    // How compact the panel is: 0 full, 1 without labels of fields, 2 also without the single-source box, which stays
    // in the menu.
    void setTightness(int level);
    [[nodiscard]] QAction *singleSourceAction() const;
    // False before the first model: there is nothing to search.
    void setReady(bool ready);
    // Some operators of the model have no cost: latencies of a search are lower bounds.
    void setLeavesOutWork(bool leavesOut);
    void setRunning(bool running);
    [[nodiscard]] bool isRunning() const;

    void setIcons(const QIcon &search, const QIcon &stop);

    // `what` names the schedule being searched ("IOS-Both").
    void showProgress(const QString &what, const SearchProgress &progress, const QString &timeLeft = {});
    void showResult(const QString &what, const Schedule &schedule);
    // Of schedules that are timed in turn, after a search. `timeLeft`: empty if unknown.
    void showRounds(int done, int rounds, const QString &timeLeft);
    // Of a long piece of work in steps of like size: "profiling layouts", 12 of 240.
    void showSteps(const QString &what, std::int64_t done, std::int64_t all);
    void showMessage(const QString &message);
    [[nodiscard]] QString progressText() const; // the second row as plain text

signals:
    void deviceChanged(const QString &id);
    void batchChanged(std::int64_t batch);
    void optionsChanged();
    void searchRequested();
    void stopRequested();

protected:
    void changeEvent(QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
