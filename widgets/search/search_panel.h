#pragma once

// What to search, on which device, and how far it is: device, batch, strategy, pruning, Search and Stop in one row,
// live numbers in a second that is always there. While a search runs the next one can be put in line. Lives on the UI
// thread and knows no device: choices come in as values.

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
    QString detail; // facts, calibration, or why it is not available; shown as a tool tip
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

    // How little room it takes: 0 all of it, 1 without the words before its fields, 2 without single source, too, which
    // stays in the menu.
    void setTightness(int level);
    [[nodiscard]] QAction *singleSourceAction() const;
    // Before the first model there is nothing to search.
    void setReady(bool ready);
    // Some operators of the model have no cost: latencies of a search are at least what they say.
    void setLeavesOutWork(bool leavesOut);
    void setRunning(bool running);
    [[nodiscard]] bool isRunning() const;

    void setIcons(const QIcon &search, const QIcon &stop);

    // `what` names the schedule that is being searched ("IOS-Both").
    void showProgress(const QString &what, const SearchProgress &progress, const QString &timeLeft = {});
    void showResult(const QString &what, const Schedule &schedule);
    void showMessage(const QString &message);
    [[nodiscard]] QString progressText() const; // the second row as plain text

signals:
    void deviceChanged(const QString &id);
    void batchChanged(std::int64_t batch);
    void optionsChanged();
    void searchRequested();
    void stopRequested();

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
