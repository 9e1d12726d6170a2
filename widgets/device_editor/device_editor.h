#pragma once

// What if a device were different: its numbers in rows, each with its value, the original beside it and buttons that
// halve and double it. A changed row is marked; nothing happens before Apply. Lives on the UI thread and knows no
// device: numbers come in as values, changes go out by key.

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
    bool whole = false; // a count
    double original = 0;
    double value = 0; // what it is now; differs from the original where the device is changed already
};

using NumberChange = std::pair<QString, double>; // key, value

class DeviceEditor : public QWidget {
    Q_OBJECT

public:
    explicit DeviceEditor(QWidget *parent = nullptr);
    ~DeviceEditor() override;

    // `title` names the original device.
    void setDevice(const QString &title, const std::vector<EditableNumber> &numbers);
    // There is nothing to change, and why.
    void setUnavailable(const QString &reason);

    // The numbers that are not as in the original, in the order of the rows.
    [[nodiscard]] std::vector<NumberChange> changes() const;

signals:
    // Every change against the original; empty: the original device is wanted again.
    void applyRequested(const std::vector<stagecraft::NumberChange> &changes);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
