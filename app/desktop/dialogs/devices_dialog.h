#pragma once

// Devices of other machines: a place (a host reached by ssh, a partition of Slurm) is named and tested, its devices are
// shown with their load, and one of them is used, or several side by side as a pool. Not modal. Lives on the UI thread.

#include "device/device.h"
#include "support/result.h"

#include <QDialog>
#include <QString>

#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace stagecraft {

class MembersTable;

class DevicesDialog : public QDialog {
    Q_OBJECT

public:
    // Shows the places that are kept (desktop/kept/places.h).
    explicit DevicesDialog(QWidget *parent);

    // What a test came to.
    void showDevices(const QString &place, const Result<std::vector<DeviceInfo>> &devices);
    void setTesting(const QString &place);
    // Of the pool that measures, or measured last.
    void showMembers(const std::vector<MemberCounts> &members);

signals:
    void testWanted(const QString &place); // "ssh:gpu1", "slurm:gpu"
    void testStopped();
    void deviceWanted(const QString &id); // "ssh:gpu1/cpu"; several with commas between them are a pool

private:
    void add();
    void test();
    void remove();
    void use();
    void refresh();
    [[nodiscard]] QTreeWidgetItem *itemOf(const QString &place) const;
    [[nodiscard]] QTreeWidgetItem *chosenPlace() const;
    [[nodiscard]] QStringList chosenDevices() const;

    QLineEdit *m_name;
    QTreeWidget *m_tree;
    MembersTable *m_members; // hidden until there are some
    QPushButton *m_add;
    QPushButton *m_test;
    QPushButton *m_remove;
    QPushButton *m_use;
    QLabel *m_message;
    QString m_testing; // empty: nothing is
};

} // namespace stagecraft
