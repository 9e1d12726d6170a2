#pragma once

// Edits the numbers of a device for what-if questions: one row per number with its value, the original, and buttons
// that halve and double it. Changed rows are marked; nothing happens before Apply. Lives on the UI thread and is
// independent of devices: numbers come in as values, changes go out by key.

#include <QString>
#include <QWidget>

#include <memory>
#include <utility>
#include <vector>

namespace stagecraft {

struct EditableNumber {
    QString key;
    QString label;
    QString unit; // empty for counts and shares
    double minimum = 0;
    double maximum = 0;
    bool whole = false; // an integer
    double original = 0;
    double value = 0; // the current value; differs from the original if the device is already changed
};

using NumberChange = std::pair<QString, double>; // key, value

class DeviceEditor : public QWidget {
    Q_OBJECT

public:
    explicit DeviceEditor(QWidget *parent = nullptr);
    ~DeviceEditor() override;

    // `title` names the original device.
    void setDevice(const QString &title, const std::vector<EditableNumber> &numbers);
    // Nothing can be edited, for this reason.
    void setUnavailable(const QString &reason);

    // The numbers that differ from the original, in row order.
    [[nodiscard]] std::vector<NumberChange> changes() const;

signals:
    // All changes against the original; empty: the original device.
    void applyRequested(const std::vector<stagecraft::NumberChange> &changes);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
