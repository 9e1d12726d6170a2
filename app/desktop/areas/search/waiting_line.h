#pragma once

// Who waits for whom, and for how long: searches for the one that runs, measurements for the one under way, and either
// for others that use the device. In words, for the shelf. Lives on the UI thread.

#include "desktop/document/document.h"
#include "desktop/work/result_queue.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include <map>
#include <optional>

namespace stagecraft {

class WaitingLine : public QObject {
    Q_OBJECT

public:
    WaitingLine(const Document *document, const ResultQueue *queue, QObject *parent = nullptr);

    // By result: "waits for IOS-Both of nasnet, about 40 s left", "waits for stagecraft-cli optimize (process 7), 12 s
    // so far". Results that do not wait have none.
    [[nodiscard]] std::map<ResultId, QString> texts();

    void setSearched(ResultId id); // by the search lane; invalid: none
    void setTimeLeft(const QString &text);
    // Of the search under way, for a device that others use; empty: it does not wait.
    [[nodiscard]] const std::optional<DeviceWait> &searchWait() const { return m_searchWait; }

signals:
    void changed(); // texts, while something waits
    void searchWaitChanged();

private:
    [[nodiscard]] QString nameBeside(ResultId ahead, ResultId waiting) const;
    [[nodiscard]] QString behind(ResultId waiting, ResultId ahead);

    const Document *m_document;
    const ResultQueue *m_queue;
    ResultId m_searched;
    QString m_timeLeft;
    std::optional<DeviceWait> m_searchWait;
    std::optional<DeviceWait> m_measuringWait;
    std::map<ResultId, QElapsedTimer> m_since; // of what waits
    QTimer m_tick;
};

// "IOS-Both of nasnet": a result of any model, batch and device.
[[nodiscard]] QString resultOfModel(const Document &document, ResultId id);

} // namespace stagecraft
