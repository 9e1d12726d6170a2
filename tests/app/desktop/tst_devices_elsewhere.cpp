// The dialog of devices on other machines, in a window whose places are made up.

#include "app/desktop/window_test.h"
#include "desktop/dialogs/devices_dialog.h"
#include "desktop/dialogs/members_table.h"
#include "desktop/kept/places.h"
#include "support/suite.h"

#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>

#include <atomic>
#include <thread>

using namespace stagecraft;

namespace tst_devices_elsewhere {

namespace {

DeviceInfo device(const std::string &id, const std::string &unavailable = {})
{
    DeviceInfo info;
    info.id = id;
    info.title = "title of " + id;
    info.provenance = Provenance::Measured;
    info.available = unavailable.empty();
    info.unavailableReason = unavailable;
    info.facts = {{"load", "0.4 of 2 processors"}};
    return info;
}

// "gpu1" and "gpu2" have devices, other hosts are not known.
Result<std::vector<DeviceInfo>> devicesOf(const std::string &place, const std::stop_token & /*stop*/ = {})
{
    if (place != "ssh:gpu1" && place != "ssh:gpu2")
        return fail(ErrorCode::DeviceFailed, place + " is not known", "check its name");
    return std::vector{device(place + "/cpu"), device(place + "/gpu:0", "it has no CUDA")};
}

QPushButton *button(const QDialog *dialog, const QString &text)
{
    for (QPushButton *each : dialog->findChildren<QPushButton *>()) {
        if (each->text().remove(QLatin1Char('&')) == text)
            return each;
    }
    return nullptr;
}

} // namespace

class TestDevicesElsewhere : public WindowTest {
    Q_OBJECT

private slots:
    void add_host_listsItsDevicesAndIsKept();
    void add_unknownHost_saysWhyAndIsNotKept();
    void remove_host_isForgotten();
    void stop_test_leavesTheDialogReady();
    void use_device_isAskedFor();
    void members_ofAPool_haveARowEach();
};

void TestDevicesElsewhere::add_host_listsItsDevicesAndIsKept()
{
    Services services = installedServices();
    services.listDevicesOf = devicesOf;
    TestedWindow window(services);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
    auto *dialog = window.findChild<DevicesDialog *>();
    QVERIFY(dialog->isVisible());
    auto *name = dialog->findChild<QLineEdit *>(QStringLiteral("place"));
    name->setText(QStringLiteral(" gpu1 "));
    QTest::keyClick(name, Qt::Key_Return);
    QVERIFY(dialog->isVisible());
    auto *tree = dialog->findChild<QTreeWidget *>(QStringLiteral("places"));
    QTRY_COMPARE(tree->topLevelItem(0)->childCount(), 2);
    const QTreeWidgetItem *cpu = tree->topLevelItem(0)->child(0);
    QCOMPARE(cpu->text(0), QStringLiteral("title of ssh:gpu1/cpu"));
    QCOMPARE(cpu->text(1), QStringLiteral("available"));
    QCOMPARE(cpu->text(2), QStringLiteral("0.4 of 2 processors"));
    QCOMPARE(tree->topLevelItem(0)->child(1)->text(1), QStringLiteral("it has no CUDA"));
    QVERIFY(tree->topLevelItem(0)->child(1)->isDisabled());
    QCOMPARE(keptPlaces(), QStringList{QStringLiteral("ssh:gpu1")});
    QCOMPARE(DevicesDialog(nullptr).findChild<QTreeWidget *>(QStringLiteral("places"))->topLevelItem(0)->text(0),
             QStringLiteral("ssh:gpu1"));
}

void TestDevicesElsewhere::add_unknownHost_saysWhyAndIsNotKept()
{
    DevicesDialog dialog(nullptr);
    dialog.setTesting(QStringLiteral("ssh:abacus"));
    dialog.showDevices(QStringLiteral("ssh:abacus"), devicesOf("ssh:abacus"));
    const QString said = dialog.findChild<QLabel *>(QStringLiteral("trouble"))->text();
    QVERIFY2(said.contains(QStringLiteral("ssh:abacus is not known")) && said.contains(QStringLiteral("its name")),
             qPrintable(said));
    QVERIFY(keptPlaces().isEmpty());
}

void TestDevicesElsewhere::remove_host_isForgotten()
{
    keepPlace(QStringLiteral("ssh:gpu1"));
    keepPlace(QStringLiteral("slurm:batch"));
    DevicesDialog dialog(nullptr);
    auto *tree = dialog.findChild<QTreeWidget *>(QStringLiteral("places"));
    QCOMPARE(tree->topLevelItemCount(), 2);
    QVERIFY(!button(&dialog, QStringLiteral("Remove"))->isEnabled()); // nothing is chosen
    tree->setCurrentItem(tree->topLevelItem(1));
    button(&dialog, QStringLiteral("Remove"))->click();
    QCOMPARE(tree->topLevelItemCount(), 1);
    QCOMPARE(keptPlaces(), QStringList{QStringLiteral("slurm:batch")});
}

void TestDevicesElsewhere::stop_test_leavesTheDialogReady()
{
    auto isOver = std::make_shared<std::atomic<bool>>(false);
    Services services = installedServices();
    services.listDevicesOf = [isOver](const std::string &place, const std::stop_token & /*stop*/) {
        while (!*isOver)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return devicesOf(place);
    };
    TestedWindow window(services);
    window.show();
    auto *dialog = window.findChild<DevicesDialog *>();
    emit dialog->testWanted(QStringLiteral("ssh:gpu1"));
    QPushButton *stop = button(dialog, QStringLiteral("Stop the test"));
    QVERIFY(stop && stop->isEnabled());
    stop->click();
    *isOver = true;
    auto *tree = dialog->findChild<QTreeWidget *>(QStringLiteral("places"));
    QCOMPARE(tree->topLevelItem(0)->text(1), QStringLiteral("the test was stopped"));
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(tree->topLevelItem(0)->childCount(), 0); // what came too late is not shown
    tree->setCurrentItem(tree->topLevelItem(0));
    button(dialog, QStringLiteral("Test again"))->click();
    QTRY_COMPARE(tree->topLevelItem(0)->childCount(), 2);
}

void TestDevicesElsewhere::use_device_isAskedFor()
{
    DevicesDialog dialog(nullptr);
    QSignalSpy wanted(&dialog, &DevicesDialog::deviceWanted);
    for (const QString &place : {QStringLiteral("ssh:gpu1"), QStringLiteral("ssh:gpu2")})
        dialog.showDevices(place, devicesOf(place.toStdString()));
    auto *tree = dialog.findChild<QTreeWidget *>(QStringLiteral("places"));
    tree->topLevelItem(0)->child(0)->setSelected(true);
    button(&dialog, QStringLiteral("Use"))->click();
    QCOMPARE(wanted.takeFirst().front().toString(), QStringLiteral("ssh:gpu1/cpu"));
    tree->topLevelItem(1)->child(0)->setSelected(true);
    button(&dialog, QStringLiteral("Use as a pool"))->click();
    QCOMPARE(wanted.takeFirst().front().toString(), QStringLiteral("ssh:gpu1/cpu,ssh:gpu2/cpu"));
    tree->topLevelItem(1)->setSelected(true); // a host is no device
    QVERIFY(!button(&dialog, QStringLiteral("Use"))->isEnabled());
}

void TestDevicesElsewhere::members_ofAPool_haveARowEach()
{
    DevicesDialog dialog(nullptr);
    auto *table = dialog.findChild<QTreeWidget *>(QStringLiteral("members"));
    QVERIFY(table->isHidden()); // no pool has measured
    MemberCounts works;
    works.device = "ssh:gpu1/cpu";
    works.stages = 8;
    works.inVain = 2;
    works.seconds = 4;
    works.isAtWork = true;
    MemberCounts lost;
    lost.device = "ssh:gpu2/cpu";
    lost.timesLost = 1;
    lost.leftOut = "it is asleep";
    dialog.showMembers({works, lost});
    QVERIFY(!table->isHidden());
    QCOMPARE(table->topLevelItemCount(), 2);
    const auto row = [&](int i) {
        QStringList texts;
        for (int column = 0; column < table->columnCount(); ++column)
            texts << table->topLevelItem(i)->text(column);
        return texts;
    };
    QCOMPARE(row(0), (QStringList{"ssh:gpu1/cpu", "measures", "8", "2", "2.5", "0"}));
    QCOMPARE(row(1), (QStringList{"ssh:gpu2/cpu", "left out: it is asleep", "0", "0", "-", "1"}));
    QCOMPARE(membersText({works, lost}), QStringLiteral("1 of 2 members"));
    dialog.showMembers({works});
    QCOMPARE(table->topLevelItemCount(), 1);
}

STAGECRAFT_SUITE(TestDevicesElsewhere)

} // namespace tst_devices_elsewhere
#include "tst_devices_elsewhere.moc"
