// File > Export: every format has a preview of what it then writes.

#include "desktop/export_dialog.h"
#include "window_test.h"

#include <QAction>
#include <QDir>

namespace stagecraft {

class TestExportWindow : public WindowTest {
    Q_OBJECT

private slots:
    void export_everyFormat_writesWhatThePreviewShows_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("holds");
        QTest::newRow("json") << "s.schedule.json"
                              << "\"stagecraft-schedule\"";
        QTest::newRow("ios-json") << "i.json"
                                  << "\"blocks\"";
        QTest::newRow("csv") << "t.csv"
                             << "stage,block,strategy";
        QTest::newRow("markdown") << "t.md"
                                  << "| stage |";
        QTest::newRow("dot") << "g.dot"
                             << "digraph";
        QTest::newRow("chrome-trace") << "trace.json"
                                      << "\"traceEvents\"";
        QTest::newRow("perfetto") << "t.pftrace"
                                  << "kernels on ";
        QTest::newRow("pytorch") << "module"
                                 << "PyTorch module";
        QTest::newRow("svg") << "s.svg"
                             << "<svg xmlns";
        QTest::newRow("html") << "r.html"
                              << "<!DOCTYPE html>";
        QTest::newRow("onnx") << "m.onnx"
                              << "stage group operator";
    }

    void export_everyFormat_writesWhatThePreviewShows()
    {
        QFETCH(const QString, file);
        QFETCH(const QString, holds);
        const QString format = QString::fromLatin1(QTest::currentDataTag());
        MainWindow window(installedServices());
        ExportDialog *dialog = opened(window);
        dialog->chooseFormat(format);
        QTRY_VERIFY_WITH_TIMEOUT(!dialog->isBusy(), 20000);
        QVERIFY2(dialog->trouble().isEmpty(), qPrintable(dialog->trouble()));
        QVERIFY2(dialog->preview().contains(holds), qPrintable(dialog->preview()));
        const QTemporaryDir folder;
        dialog->setPath(folder.filePath(file));
        QSignalSpy written(dialog, &ExportDialog::written);
        dialog->write();
        QTRY_COMPARE_WITH_TIMEOUT(written.size(), 1, 20000);
        QVERIFY(dialog->facts().startsWith(QStringLiteral("wrote ")));
        if (const QStringList files = dialog->files(); files.size() > 1) {
            QStringList there = QDir(folder.filePath(file)).entryList(QDir::Files);
            QStringList shown = files;
            shown.sort();
            there.sort();
            QCOMPARE(there, shown);
        } else if (format != "perfetto" && format != "onnx") { // whose previews are in words
            QFile content(folder.filePath(file));
            QVERIFY(content.open(QIODevice::ReadOnly));
            const QString text = QString::fromUtf8(content.readAll()).remove('\r').remove('\n');
            QVERIFY(text.startsWith(dialog->preview().left(2000).remove('\n'))); // long lines are wrapped
        }
    }

    void export_refused_saysWhyAndWritesNothing()
    {
        MainWindow window(installedServices());
        ExportDialog *dialog = opened(window);
        dialog->chooseFormat("csv");
        QTRY_VERIFY(!dialog->isBusy());
        const QTemporaryDir folder;
        dialog->setPath(folder.filePath("t.md"));
        dialog->write();
        QVERIFY(dialog->trouble().contains("files in the format csv do not end in .md"));
        dialog->setPath(folder.filePath("nowhere/t.csv"));
        dialog->write();
        QTRY_VERIFY(dialog->trouble().contains("the file cannot be written"));
        dialog->setPath({});
        dialog->write();
        QCOMPARE(dialog->trouble(), QString("Say where to write it."));
        QVERIFY(QDir(folder.path()).isEmpty());
    }

    void export_withoutATimeline_saysSo()
    {
        MainWindow window(installedServices());
        openAndWait(window, "squeezenet");
        ExportDialog dialog(
            {window.document()->model(), {{"Sequential", *scheduleOf(window, ScheduleKind::Sequential), {}}}}, {},
            nullptr);
        dialog.chooseFormat("perfetto");
        QVERIFY(dialog.trouble().contains("There is no timeline of Sequential yet"));
        dialog.chooseFormat("csv");
        dialog.chooseView("comparison");
        QTRY_VERIFY(!dialog.isBusy());
        QVERIFY(dialog.preview().contains("Sequential,"));
    }

    void export_withoutAResult_saysSo()
    {
        MainWindow window(installedServices());
        QVERIFY(!window.exportAs());
    }

private:
    ExportDialog *opened(MainWindow &window)
    {
        window.show();
        openAndWait(window, "squeezenet");
        const ResultId id = resultOf(window, ScheduleKind::Greedy)->id;
        window.document()->setCurrent(id);
        [&] { QTRY_VERIFY_WITH_TIMEOUT(window.document()->timelineOf(id) != nullptr, 20000); }();
        return window.exportAs();
    }
};

} // namespace stagecraft

QTEST_MAIN(stagecraft::TestExportWindow)
#include "tst_export_window.moc"
