#pragma once

// What tests of the whole window share: settings of their own, and how a model is opened.

#include "desktop/main_window.h"

#include <QCoreApplication>
#include <QFile>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

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
