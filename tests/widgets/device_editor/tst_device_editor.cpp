// The rows of the what-if editor: what counts as a change, and what Apply emits.

#include "support/suite.h"
#include "widgets/device_editor/device_editor.h"

#include <QDoubleSpinBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace stagecraft;

namespace tst_device_editor {

namespace {

const QString kSms = QStringLiteral("sm_count");
const QString kBandwidth = QStringLiteral("dram_gb_per_second");

std::vector<EditableNumber> numbers(double sms = 80)
{
    return {{kSms, QStringLiteral("SMs"), {}, 1, 1024, true, 80, sms},
            {kBandwidth, QStringLiteral("DRAM bandwidth"), QStringLiteral("GB/s"), 1, 1500, false, 900, 900}};
}

} // namespace

class TestDeviceEditor : public QObject {
    Q_OBJECT

private slots:
    void setDevice_original_hasNoChanges()
    {
        DeviceEditor editor;
        editor.setDevice(QStringLiteral("V100"), numbers());
        QVERIFY(editor.changes().empty());
        QVERIFY(!apply(editor)->isEnabled());
        QCOMPARE(box(editor, kBandwidth)->text(), QStringLiteral("900 GB/s"));
    }

    void setDevice_changedDevice_showsItsChanges()
    {
        DeviceEditor editor;
        editor.setDevice(QStringLiteral("V100"), numbers(40));
        QCOMPARE(editor.changes(), (std::vector<NumberChange>{{kSms, 40}}));
        QVERIFY(!apply(editor)->isEnabled()); // the device is unchanged
        editor.findChild<QPushButton *>(QStringLiteral("reset"))->click();
        QVERIFY(editor.changes().empty());
        QVERIFY(apply(editor)->isEnabled()); // back to the original
    }

    void buttons_halfAndTwice_stayInRange()
    {
        DeviceEditor editor;
        editor.setDevice(QStringLiteral("V100"), numbers());
        button(editor, QStringLiteral("Half of SMs"))->click();
        button(editor, QStringLiteral("Twice DRAM bandwidth"))->click();
        QCOMPARE(editor.changes(), (std::vector<NumberChange>{{kSms, 40}, {kBandwidth, 1500}}));
        QVERIFY(!button(editor, QStringLiteral("Twice DRAM bandwidth"))->isEnabled());
        button(editor, QStringLiteral("Twice SMs"))->click();
        QCOMPARE(editor.changes(), (std::vector<NumberChange>{{kBandwidth, 1500}}));
    }

    void apply_changed_handsOutTheChangesOnce()
    {
        DeviceEditor editor;
        editor.setDevice(QStringLiteral("V100"), numbers());
        QSignalSpy applied(&editor, &DeviceEditor::applyRequested);
        box(editor, kSms)->setValue(20);
        apply(editor)->click();
        QCOMPARE(applied.count(), 1);
        QCOMPARE(applied.front().front().value<std::vector<NumberChange>>(), (std::vector<NumberChange>{{kSms, 20}}));
        QVERIFY(!apply(editor)->isEnabled());
    }

    void setUnavailable_reason_leavesNothingToApply()
    {
        DeviceEditor editor;
        editor.setDevice(QStringLiteral("V100"), numbers(40));
        editor.setUnavailable(QStringLiteral("Only simulated devices can be changed."));
        QVERIFY(editor.changes().empty());
        QVERIFY(!apply(editor)->isEnabled());
        QVERIFY(!editor.findChild<QDoubleSpinBox *>());
    }

private:
    static QPushButton *apply(const DeviceEditor &editor)
    {
        return editor.findChild<QPushButton *>(QStringLiteral("primary"));
    }
    static QDoubleSpinBox *box(const DeviceEditor &editor, const QString &key)
    {
        return editor.findChild<QDoubleSpinBox *>(key);
    }
    static QToolButton *button(const DeviceEditor &editor, const QString &what)
    {
        for (QToolButton *candidate : editor.findChildren<QToolButton *>()) {
            if (candidate->accessibleName() == what)
                return candidate;
        }
        qFatal("a row lost its button");
    }
};

STAGECRAFT_SUITE(TestDeviceEditor)

} // namespace tst_device_editor
#include "tst_device_editor.moc"
