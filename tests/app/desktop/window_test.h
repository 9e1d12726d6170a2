#pragma once

// Shared by tests of the whole window: separate settings, and opening a model.

#include "desktop/main_window.h"

#include <QCoreApplication>
#include <QFile>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace stagecraft {

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
        QSignalSpy opened(window.jobs(), &Jobs::opened);
        window.openModel(spec);
        QTRY_VERIFY_WITH_TIMEOUT(!opened.isEmpty(), 30000);
        QTRY_VERIFY_WITH_TIMEOUT(window.jobs()->isIdle(), 30000);
    }

    // The newest result of a kind that fits the tool bar; null if none has a schedule.
    static const ScheduleResult *resultOf(const MainWindow &window, ScheduleKind kind)
    {
        return window.document()->shelf().find(window.document()->newest(kind));
    }
    static SchedulePtr scheduleOf(const MainWindow &window, ScheduleKind kind)
    {
        const ScheduleResult *result = resultOf(window, kind);
        return result ? result->schedule : nullptr;
    }
    // A result's index among those that fit, as in the comparison.
    static std::size_t placeOf(const MainWindow &window, ResultId id)
    {
        const std::vector<ResultId> ids = window.document()->fitting();
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
