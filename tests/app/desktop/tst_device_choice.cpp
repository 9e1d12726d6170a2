// Devices in the window: choosing, refusing, changing (what-if), keeping and saving.

#include "app/desktop/window_test.h"
#include "desktop/dialogs/what_if_window.h"
#include "device/simulated/device_description.h"
#include "support/suite.h"
#include "widgets/device_editor/device_editor.h"
#include "widgets/search/device_options_button.h"
#include "widgets/search/search_panel.h"
#include "wiring/device_catalog.h"

#include <QAction>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QStandardItemModel>

using namespace stagecraft;

namespace tst_device_choice {

namespace {

// The entry whose text begins so; null if there is none.
QAction *optionOf(const TestedWindow &window, const QString &text)
{
    for (QAction *action : window.searchPanel()->deviceOptions()->menu()->actions()) {
        if (!action->isSeparator() && action->text().startsWith(text))
            return action;
    }
    return nullptr;
}

QString deviceOf(const TestedWindow &window)
{
    return QString::fromStdString(window.document()->next()->device().id);
}

} // namespace

class TestDeviceChoice : public WindowTest {
    Q_OBJECT

private slots:
    void device_change_measuresAgain();
    void device_unknown_isRefused();
    void options_ofASimulatedDevice_areThoseOfItsId();
    void options_byKey_openAMenu();
    void options_notOfTheDevice_sayWhy();
    void options_ofAFile_areReadFromIt();
    void options_ofTheDevice_areInTheSession();
    void whatIf_halfTheSms_comparesOnTheChangedDevice();
    void whatIf_changedDevice_isThereAfterARestart();
    void whatIf_window_saysWhatTheNumbersRestOn();
    void whatIf_saved_opensAsADeviceOfItsOwn();
    void openPath_savedOverTheDeviceInUse_readsItAgain();
    void openPath_brokenDeviceFile_saysWhatIsWrong();
    void whatIf_precisionAndLaunches_areThoseOfTheId();
    void whatIf_notSimulated_isDisabledWithAReason();
    void whatIf_otherDevice_isNotChangedBeforeItIsRead();
    void whatIf_otherDevice_savingGoesOn();
};

void TestDeviceChoice::device_change_measuresAgain()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const double before = *window.document()->results()->front().schedule->latencyUs();
    emit window.searchPanel()->deviceChanged(QStringLiteral("sim:k80"));
    QTRY_VERIFY(window.isSettled() && window.document()->results()->front().schedule);
    QCOMPARE(window.document()->next()->device().id, std::string("sim:k80"));
    QVERIFY(*window.document()->results()->front().schedule->latencyUs() > before); // the older GPU is slower
    QCOMPARE(window.searchPanel()->deviceId(), QStringLiteral("sim:k80"));
}

void TestDeviceChoice::device_unknown_isRefused()
{
    TestedWindow window(installedServices());
    window.show();
    const std::string before = window.document()->next()->device().id;
    QVERIFY(!chooseAndWait(window, QStringLiteral("sim:abacus")));
    QVERIFY(window.messages()->isVisible());
    QVERIFY2(window.messages()->text().contains(QStringLiteral("abacus")), qPrintable(window.messages()->text()));
    QCOMPARE(window.document()->next()->device().id, before);
}

void TestDeviceChoice::options_ofASimulatedDevice_areThoseOfItsId()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    window.searchPanel()->setTightness(0);
    const DeviceOptionsButton *button = window.searchPanel()->deviceOptions();
    QCOMPARE(button->accessibleName(), QStringLiteral("Precision and launches"));
    QCOMPARE(button->text(), QStringLiteral("Options ▾"));
    emit window.searchPanel()->deviceChanged(QStringLiteral("sim:a100"));
    QTRY_VERIFY(window.isSettled() && window.document()->results()->front().schedule);
    QCOMPARE(
        button->accessibleDescription(),
        QStringLiteral("Precision: that of the file, float32 convolutions in tf32, Launches: from one CUDA graph"));
    const auto choose = [&](const char *text, const char *id, const char *told) {
        QAction *option = optionOf(window, QLatin1String(text));
        QVERIFY2(option && option->isEnabled() && !option->isChecked(), text);
        option->trigger();
        QTRY_VERIFY(deviceOf(window) == QLatin1String(id) && window.isSettled());
        QVERIFY(optionOf(window, QLatin1String(text))->isChecked());
        QCOMPARE(button->text(), QLatin1String(told) + QStringLiteral(" ▾"));
        QCOMPARE(window.searchPanel()->deviceId(), QLatin1String(id));
        QVERIFY(window.document()->results()->front().schedule); // measured on it
    };
    const auto latencyUs = [&] { return *scheduleOf(window, ScheduleKind::Sequential)->latencyUs(); };
    const double own = latencyUs();
    choose("fp16", "sim:a100:fp16", "fp16");
    const double half = latencyUs();
    QVERIFY(half < own);
    choose("from the host", "sim:a100:fp16:host", "fp16, host");
    QVERIFY(latencyUs() > half);
    QVERIFY(button->toolTip().contains(QStringLiteral("Precision: fp16\nLaunches: from the host")));
    choose("that of the file", "sim:a100:host", "host");
    choose("from one CUDA graph", "sim:a100", "Options");
    QCOMPARE(latencyUs(), own);
}

void TestDeviceChoice::options_byKey_openAMenu()
{
    TestedWindow window(installedServices());
    window.show();
    QTRY_VERIFY(window.isSettled());
    const QMenu *menu = window.searchPanel()->deviceOptions()->menu();
    QTest::keyClick(&window, Qt::Key_F7, Qt::ShiftModifier);
    QTRY_VERIFY(menu->isVisible());
    QTest::keyClick(window.searchPanel()->deviceOptions()->menu(), Qt::Key_Escape);
    QTRY_VERIFY(!menu->isVisible());
    QCOMPARE(deviceOf(window), QStringLiteral("sim:v100"));
}

void TestDeviceChoice::options_notOfTheDevice_sayWhy()
{
    TestedWindow window(installedServices());
    window.show();
    const DeviceOptionsButton *button = window.searchPanel()->deviceOptions();
    QVERIFY(chooseAndWait(window, QStringLiteral("sim:k80")));
    QVERIFY(!optionOf(window, QStringLiteral("tf32"))->isEnabled());
    const QString whyNot = optionOf(window, QStringLiteral("tf32"))->text();
    QVERIFY2(whyNot.startsWith("tf32: NVIDIA Tesla K80") && whyNot.endsWith("has no TF32"), qPrintable(whyNot));
    QVERIFY(optionOf(window, QStringLiteral("fp16"))->isEnabled());
    const auto entryIsEnabled = [&] {
        for (const QAction *action : window.findChildren<QAction *>()) {
            if (action->shortcut() == QKeySequence(Qt::SHIFT | Qt::Key_F7))
                return action->isEnabled();
        }
        qFatal("the entry of the options is gone");
    };
    QTRY_VERIFY(entryIsEnabled());
    for (const char *id : {"cpu", "sim:v100,sim:v100"}) {
        QVERIFY(chooseAndWait(window, QLatin1String(id)));
        QVERIFY(!button->isEnabled() && button->menu()->isEmpty() && !entryIsEnabled());
        QVERIFY(!button->toolTip().isEmpty());
        QCOMPARE(button->accessibleDescription(), button->toolTip());
    }
    QVERIFY2(button->toolTip().contains(QStringLiteral("pool")), qPrintable(button->toolTip()));
}

void TestDeviceChoice::options_ofAFile_areReadFromIt()
{
    const QString path = m_folder.filePath(QStringLiteral("mine.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(deviceFileText(*findDeviceDescription("a100"), path.toStdString())));
    file.close();
    TestedWindow window(installedServices());
    window.show();
    QVERIFY(chooseAndWait(window, QStringLiteral("sim:") + path));
    QTRY_VERIFY(window.searchPanel()->deviceOptions()->isEnabled());
    optionOf(window, QStringLiteral("tf32"))->trigger();
    QTRY_COMPARE(deviceOf(window), QStringLiteral("sim:%1:tf32").arg(path));
}

void TestDeviceChoice::options_ofTheDevice_areInTheSession()
{
    const QString path = m_folder.filePath(QStringLiteral("options.stagecraft"));
    {
        TestedWindow window(installedServices());
        window.show();
        openAndWait(window, QStringLiteral("sample"));
        optionOf(window, QStringLiteral("fp16"))->trigger();
        QTRY_VERIFY(deviceOf(window) == QStringLiteral("sim:v100:fp16") && window.isSettled());
        answerFileDialog(path);
        QTest::keyClick(&window, Qt::Key_S, Qt::ControlModifier);
        QTRY_VERIFY(QFile::exists(path) && window.isSettled());
    }
    QSettings().clear(); // the device is known from the session alone
    TestedWindow window(installedServices());
    window.show();
    window.openPath(path);
    QTRY_VERIFY(deviceOf(window) == QStringLiteral("sim:v100:fp16") && window.isSettled());
    QVERIFY(optionOf(window, QStringLiteral("fp16"))->isChecked());
    QCOMPARE(window.searchPanel()->deviceId(), QStringLiteral("sim:v100:fp16"));
}

void TestDeviceChoice::whatIf_halfTheSms_comparesOnTheChangedDevice()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("inception_v3"));
    const Document &document = *window.document();
    const auto schedule = [&](ScheduleKind kind) { return scheduleOf(window, kind); };
    window.startSearch();
    QTRY_VERIFY(window.isSettled() && schedule(ScheduleKind::IosBoth));
    const SchedulePtr before = schedule(ScheduleKind::IosBoth);
    const double sequentialBefore = *schedule(ScheduleKind::Sequential)->latencyUs();

    window.showWhatIf();
    DeviceEditor *editor = window.whatIf()->editor();
    const auto apply = [&](double sms) {
        editor->findChild<QDoubleSpinBox *>(QStringLiteral("sm_count"))->setValue(sms);
        editor->findChild<QPushButton *>(QStringLiteral("primary"))->click();
        QTRY_VERIFY(window.isSettled() && schedule(ScheduleKind::IosBoth));
    };
    apply(40);
    QCOMPARE(document.next()->device().id, std::string("sim:v100*sm_count=40"));
    QCOMPARE(document.next()->device().title, std::string("NVIDIA Tesla V100 SXM2 with 40 SMs (what-if, simulated)"));
    QCOMPARE(window.searchPanel()->deviceId(), QStringLiteral("sim:v100*sm_count=40"));
    for (const ScheduleKind kind : kScheduleKinds) {
        QVERIFY(schedule(kind) && schedule(kind)->measured.provenance == Provenance::Simulated);
        QCOMPARE(schedule(kind)->context.device, document.next()->device().id);
    }
    const double sequentialHalf = *schedule(ScheduleKind::Sequential)->latencyUs();
    QVERIFY(sequentialHalf > sequentialBefore);
    const std::vector<ResultId> fitting = document.results()->fitting();
    QCOMPARE(fitting.size(), kScheduleKinds.size() + 1);
    const auto made = [&](ResultId id) { return document.results()->shelf().find(id)->origin == Origin::OtherDevice; };
    const auto found = std::find_if(fitting.begin(), fitting.end(), made);
    QVERIFY(found != fitting.end()); // made for the original, measured on the changed device
    const ScheduleResult other = *document.results()->shelf().find(*found);
    QCOMPARE(other.title, std::string("IOS-Both made for v100"));
    QVERIFY(other.schedule->stages == before->stages);
    QVERIFY(*other.schedule->latencyUs() > *before->latencyUs());
    QVERIFY(*other.schedule->latencyUs() >= *schedule(ScheduleKind::IosBoth)->latencyUs());

    apply(20); // applies to the original, not to the changed device; no latency is reused
    QCOMPARE(document.next()->device().id, std::string("sim:v100*sm_count=20"));
    QVERIFY(*schedule(ScheduleKind::Sequential)->latencyUs() > sequentialHalf);
    apply(80);
    QCOMPARE(document.next()->device().id, std::string("sim:v100"));
    QCOMPARE(*schedule(ScheduleKind::Sequential)->latencyUs(), sequentialBefore);
}

void TestDeviceChoice::whatIf_changedDevice_isThereAfterARestart()
{
    const QString changed = QStringLiteral("sim:v100*l2_kib=12288");
    {
        TestedWindow window(installedServices());
        QVERIFY(chooseAndWait(window, changed));
        QVERIFY(chooseAndWait(window, QStringLiteral("cpu"))); // not kept: it is not simulated
    }
    const QSettings settings;
    QVERIFY(settings.value(QStringLiteral("ownDevices")).toStringList().contains(changed));
    TestedWindow window(installedServices());
    const auto *list = window.searchPanel()->findChild<QComboBox *>();
    QTRY_VERIFY(list->findData(changed) >= 0);
}

void TestDeviceChoice::whatIf_window_saysWhatTheNumbersRestOn()
{
    TestedWindow window(installedServices());
    QVERIFY(chooseAndWait(window, QStringLiteral("sim:k80*sm_count=26")));
    QTRY_VERIFY(window.isSettled());
    window.showWhatIf();
    QString texts;
    for (const QLabel *label : window.whatIf()->findChildren<QLabel *>())
        texts += label->isHidden() ? QString() : label->text();
    const auto k80 = findDeviceDescription("k80");
    QVERIFY2(texts.contains(QString::fromStdString(k80->calibration)), qPrintable(texts));
}

void TestDeviceChoice::whatIf_saved_opensAsADeviceOfItsOwn()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("half.json"));
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const double original = *window.document()->results()->front().schedule->latencyUs();
    window.showWhatIf();
    window.whatIf()->editor()->findChild<QDoubleSpinBox *>(QStringLiteral("sm_count"))->setValue(40);
    window.whatIf()->save(path);
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(window.document()->next()->device().id, std::string("sim:v100")); // not applied

    window.openPath(path);
    QTRY_VERIFY(window.isSettled());
    QCOMPARE(window.document()->next()->device().id, "sim:" + path.toStdString());
    QCOMPARE(window.document()->next()->device().title,
             std::string("NVIDIA Tesla V100 SXM2 with 40 SMs, from half.json (simulated)"));
    QVERIFY(*window.document()->results()->front().schedule->latencyUs() > original);
    QCOMPARE(window.document()->results()->front().schedule->measured.calibration,
             window.document()->next()->device().calibration);
    QVERIFY(window.document()->next()->device().calibration.find("sm_count = 40 instead of 80") != std::string::npos);
}

void TestDeviceChoice::openPath_savedOverTheDeviceInUse_readsItAgain()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("mine.json"));
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    const auto saveWith = [&](double sms) {
        window.showWhatIf();
        window.whatIf()->editor()->findChild<QDoubleSpinBox *>(QStringLiteral("sm_count"))->setValue(sms);
        window.whatIf()->save(path);
        QTRY_VERIFY(window.isSettled());
        window.openPath(path);
    };
    saveWith(40);
    QTRY_VERIFY(window.isSettled());
    const double with40 = *window.document()->results()->front().schedule->latencyUs();
    saveWith(20);
    QTRY_VERIFY(window.isSettled() && window.document()->results()->front().schedule);
    QVERIFY(*window.document()->results()->front().schedule->latencyUs() > with40);
    QVERIFY(window.document()->next()->device().title.find("20 SMs") != std::string::npos);
}

void TestDeviceChoice::openPath_brokenDeviceFile_saysWhatIsWrong()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("broken.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QByteArray text = QByteArray::fromStdString(deviceFileText(*findDeviceDescription("v100"), path.toStdString()));
    file.write(text.replace("\": 1530,", "\": \"1530 MHz\","));
    file.close();
    TestedWindow window(installedServices());
    window.show();
    window.openPath(path);
    QTRY_VERIFY(window.messages()->isVisible());
    for (const char *expected : {"broken.json", "sm_clock_mhz", "1530 MHz", "without its unit"})
        QVERIFY2(window.messages()->text().contains(QLatin1String(expected)), qPrintable(window.messages()->text()));
    QCOMPARE(window.document()->next()->device().id, std::string("sim:v100"));
}

void TestDeviceChoice::whatIf_precisionAndLaunches_areThoseOfTheId()
{
    TestedWindow window(installedServices());
    window.show();
    openAndWait(window, QStringLiteral("sample"));
    QVERIFY(chooseAndWait(window, QStringLiteral("sim:a100*sm_count=54")));
    window.showWhatIf();
    auto *precision = window.whatIf()->findChild<QComboBox *>(QStringLiteral("precision"));
    auto *launches = window.whatIf()->findChild<QComboBox *>(QStringLiteral("launches"));
    const auto choose = [&](QComboBox *box, const QString &title) {
        QTRY_VERIFY(window.isSettled() && box->isEnabled());
        const int index = box->findText(title);
        QVERIFY2(index > 0, qPrintable(title));
        box->setCurrentIndex(index);
        emit box->activated(index);
        QTRY_VERIFY(window.isSettled() && scheduleOf(window, ScheduleKind::IosBoth));
    };
    const auto device = [&] { return QString::fromStdString(window.document()->next()->device().id); };
    choose(precision, QStringLiteral("fp16"));
    QCOMPARE(device(), QStringLiteral("sim:a100:fp16*sm_count=54"));
    choose(launches, QStringLiteral("from the host"));
    QCOMPARE(device(), QStringLiteral("sim:a100:fp16:host*sm_count=54"));
    QCOMPARE(precision->currentText(), QStringLiteral("fp16")); // as the device that was read again has it

    QVERIFY(chooseAndWait(window, QStringLiteral("sim:k80")));
    QTRY_VERIFY(window.isSettled() && precision->isEnabled());
    QCOMPARE(precision->currentIndex(), 0);
    const int tf32 = precision->findText(QStringLiteral("tf32"));
    const auto *items = qobject_cast<const QStandardItemModel *>(precision->model());
    QVERIFY(!items->item(tf32)->isEnabled()); // it has none
    QVERIFY(!items->item(tf32)->toolTip().isEmpty());
}

void TestDeviceChoice::whatIf_notSimulated_isDisabledWithAReason()
{
    TestedWindow window(installedServices());
    const auto action = [&] {
        for (QAction *candidate : window.findChildren<QAction *>()) {
            if (candidate->shortcut() == QKeySequence(Qt::Key_F7))
                return candidate;
        }
        qFatal("the what-if entry is gone");
    };
    QTRY_VERIFY(action()->isEnabled()); // once devices are listed
    QVERIFY(chooseAndWait(window, QStringLiteral("cpu")));
    QVERIFY(!action()->isEnabled());
    QVERIFY2(action()->text().contains(QStringLiteral("simulated")), qPrintable(action()->text()));
    QVERIFY(!window.whatIf()->editor()->findChild<QDoubleSpinBox *>());
}

void TestDeviceChoice::whatIf_otherDevice_isNotChangedBeforeItIsRead()
{
    WhatIfWindow window;
    window.show();
    window.setDevice(installedServices().findDevice("sim:v100").value()->info());
    QTRY_VERIFY(!window.isBusy());
    const auto *apply = window.editor()->findChild<QPushButton *>(QStringLiteral("primary"));
    window.editor()->findChild<QDoubleSpinBox *>(QStringLiteral("sm_count"))->setValue(40);
    QVERIFY(apply->isEnabled());
    window.setDevice(installedServices().findDevice("sim:k80").value()->info());
    QVERIFY(window.isBusy() && !apply->isEnabled());
    QTRY_VERIFY(!window.isBusy());
    QSignalSpy wanted(&window, &WhatIfWindow::deviceWanted);
    window.editor()->findChild<QDoubleSpinBox *>(QStringLiteral("sm_count"))->setValue(7);
    window.editor()->findChild<QPushButton *>(QStringLiteral("primary"))->click();
    QCOMPARE(wanted.size(), 1);
    QCOMPARE(wanted[0][0].toString(), QStringLiteral("sim:k80*sm_count=7"));
}

void TestDeviceChoice::whatIf_otherDevice_savingGoesOn()
{
    WhatIfWindow window;
    window.show();
    window.setDevice(installedServices().findDevice("sim:v100").value()->info());
    QTRY_VERIFY(!window.isBusy());
    const QString path = m_folder.filePath(QStringLiteral("going-on.json"));
    window.save(path);
    window.setDevice(installedServices().findDevice("sim:k80").value()->info());
    QTRY_VERIFY(!window.isBusy());
    const QList<QLabel *> labels = window.findChildren<QLabel *>();
    QVERIFY(std::ranges::any_of(
        labels, [&](const QLabel *label) { return label->text() == QStringLiteral("Saved %1").arg(path); }));
}

STAGECRAFT_SUITE(TestDeviceChoice)

} // namespace tst_device_choice
#include "tst_device_choice.moc"
