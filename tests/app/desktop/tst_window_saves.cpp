// Saving never overwrites the files of the open model.

#include "app/desktop/window_test.h"
#include "desktop/dialogs/what_if_window.h"
#include "support/places.h"
#include "support/suite.h"
#include "wiring/device_catalog.h"

#include <QAction>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QStatusBar>
#include <QTimer>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_window_saves {

namespace {

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
}

// Answers the dialogs of a save: chooses this file and confirms replacing it.
class Answers : public QObject {
public:
    explicit Answers(const QString &path) : m_path(path)
    {
        connect(&m_timer, &QTimer::timeout, this, &Answers::answer);
        m_timer.start(5);
    }

private:
    void answer()
    {
        QWidget *modal = QApplication::activeModalWidget();
        if (auto *question = qobject_cast<QMessageBox *>(modal)) {
            question->button(QMessageBox::Yes)->click();
        } else if (auto *dialog = qobject_cast<QFileDialog *>(modal); dialog && !m_given) {
            m_given = true;
            dialog->findChild<QLineEdit *>(QStringLiteral("fileNameEdit"))->setText(m_path);
            QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
        }
    }

    QString m_path;
    QTimer m_timer;
    bool m_given = false;
};

} // namespace

class TestWindowSaves : public WindowTest {
    Q_OBJECT

private slots:
    // Its outcome is not lost to another picture.
    void picture_whileOneIsSaved_isNotTaken()
    {
        TestedWindow window(installedServices());
        window.show();
        const QString first = m_folder.filePath(QStringLiteral("first.png"));
        const QString second = m_folder.filePath(QStringLiteral("second.png"));
        const QAction *entry = entryOf(window, QStringLiteral("Save &picture of the window..."));
        window.findChild<ExportArea *>()->savePicture(first);
        QVERIFY(!entry->isEnabled());
        window.findChild<ExportArea *>()->savePicture(second);
        QTRY_VERIFY(window.isSettled() && entry->isEnabled());
        QCOMPARE(window.statusBar()->currentMessage(), QStringLiteral("Saved %1").arg(first));
        QVERIFY(QFile::exists(first) && !QFile::exists(second));
    }
    void save_overAFileOfTheModel_isRefused_data()
    {
        QTest::addColumn<QString>("entry");
        QTest::addColumn<QString>("file");
        for (const char *file : {"external.onnx", "external.bin"}) {
            QTest::addRow("schedule over %s", file) << QStringLiteral("&Export schedule...") << file;
            QTest::addRow("picture over %s", file) << QStringLiteral("Save &picture of the window...") << file;
        }
    }

    void save_overAFileOfTheModel_isRefused()
    {
        QFETCH(const QString, entry);
        QFETCH(const QString, file);
        TestedWindow window(installedServices());
        const QString path = openExternal(window).filePath(file);
        const QByteArray before = contentOf(path);
        const Answers answers(path);
        entryOf(window, entry)->trigger();
        QTRY_VERIFY(window.messages()->isVisible());
        QVERIFY2(window.messages()->text().contains("this is the input file"), qPrintable(window.messages()->text()));
        QCOMPARE(contentOf(path), before);
    }

    void save_elsewhere_isWritten()
    {
        TestedWindow window(installedServices());
        const QString path = openExternal(window).filePath("saved.schedule.json");
        const Answers answers(path);
        entryOf(window, QStringLiteral("&Export schedule..."))->trigger();
        QTRY_VERIFY(QFile::exists(path));
        QVERIFY(contentOf(path).contains("\"stages\""));
    }

    void saveDevice_overAFileOfTheModel_isRefused()
    {
        TestedWindow window(installedServices());
        const QDir folder = openExternal(window);
        window.showWhatIf();
        for (const char *file : {"external.onnx", "external.bin"}) {
            const QByteArray before = contentOf(folder.filePath(file));
            window.whatIf()->save(folder.filePath(file));
            QTRY_VERIFY(window.isSettled());
            const QList<QLabel *> labels = window.whatIf()->findChildren<QLabel *>();
            QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
                return label->text().contains(QStringLiteral("this is the input file"));
            }));
            QCOMPARE(contentOf(folder.filePath(file)), before);
        }
    }

private:
    // A model with its weights in a separate file; returns their folder.
    QDir openExternal(TestedWindow &window)
    {
        const QDir folder(m_folder.path());
        for (const char *name : {"external.onnx", "external.bin"}) {
            QFile::remove(folder.filePath(name));
            QFile::copy(sourcePath("tests/data/onnx/") + name, folder.filePath(name));
        }
        window.show();
        openAndWait(window, folder.filePath("external.onnx"));
        return folder;
    }

    static QAction *entryOf(const TestedWindow &window, const QString &text)
    {
        for (QAction *action : window.findChildren<QAction *>()) {
            if (action->text() == text)
                return action;
        }
        qFatal("there is no such entry");
    }
};

STAGECRAFT_SUITE(TestWindowSaves)

} // namespace tst_window_saves
#include "tst_window_saves.moc"
