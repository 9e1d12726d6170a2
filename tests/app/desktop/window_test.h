#pragma once

// Shared by tests of the whole window: separate settings, opening a model, and answering file dialogs.

#include "support/suite.h"
#include "support/tested_window.h"

#include <QApplication>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <optional>

namespace stagecraft {

// Types the path into the next file dialog.
inline void answerFileDialog(const QString &path)
{
    auto *timer = new QTimer(qApp);
    QObject::connect(timer, &QTimer::timeout, qApp, [timer, path] {
        auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget());
        if (!dialog)
            return;
        timer->deleteLater();
        dialog->findChild<QLineEdit *>()->setText(path);
        dialog->QDialog::accept();
    });
    timer->start(5);
}

class WindowTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QCoreApplication::setOrganizationName(QStringLiteral("StagecraftTest"));
        QCoreApplication::setApplicationName(QString::fromLatin1(metaObject()->className()));
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    }
    void init() { QSettings().clear(); }

protected:
    static void openAndWait(MainWindow &window, const QString &spec)
    {
        QSignalSpy opened(&window, &MainWindow::opened);
        window.openPath(spec);
        QTRY_VERIFY(!opened.isEmpty());
        QTRY_VERIFY(isIdle(window));
    }

    // Studies may go on.
    static bool isIdle(const MainWindow &window)
    {
        const auto areas = window.findChildren<Area *>();
        const auto isAtWork = [](const Area *area) {
            return !qobject_cast<const StudiesArea *>(area) && area->isBusy();
        };
        return !window.findChild<ResultQueue *>()->isBusy() && std::none_of(areas.begin(), areas.end(), isAtWork);
    }

    // Whether there is such a device.
    static bool chooseAndWait(TestedWindow &window, const QString &device)
    {
        std::optional<bool> isChosen;
        if (!QTest::qWaitFor([&] { return isIdle(window); }, 30'000)) // until all are listed
            return false;
        window.chooseDevice(device, [&](bool is) { isChosen = is; });
        return QTest::qWaitFor([&] { return isChosen.has_value(); }, 30'000) && *isChosen;
    }

    // The newest result of a kind that fits the tool bar; null if none has a schedule.
    static const ScheduleResult *resultOf(const MainWindow &window, ScheduleKind kind)
    {
        return window.document()->results()->shelf().find(window.document()->results()->newest(kind));
    }
    static SchedulePtr scheduleOf(const MainWindow &window, ScheduleKind kind)
    {
        const ScheduleResult *result = resultOf(window, kind);
        return result ? result->schedule : nullptr;
    }
    // A result's index among those that fit, as in the comparison.
    static std::size_t placeOf(const MainWindow &window, ResultId id)
    {
        const std::vector<ResultId> ids = window.document()->results()->fitting();
        return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
    }

    QString write(const QString &name, const QByteArray &content)
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("a test could not write its input");
        return file.fileName();
    }

    QTemporaryDir m_folder;
};

} // namespace stagecraft
