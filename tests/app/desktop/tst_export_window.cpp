// File > Export: every format has a preview of what it then writes.

#include "desktop/dialogs/export_dialog.h"
#include "support/suite.h"
#include "window_test.h"

#include <QAction>
#include <QDir>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>

#include <cmath>

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
        QTest::newRow("model-explorer") << "n.json"
                                        << "\"results\"";
        QTest::newRow("perfetto") << "t.pftrace"
                                  << "kernels on ";
        QTest::newRow("pytorch") << "module"
                                 << "PyTorch module";
        QTest::newRow("onnxruntime") << "streams"
                                     << "ONNX Runtime";
        QTest::newRow("svg") << "s.svg"
                             << "";
        QTest::newRow("pdf") << "s.pdf"
                             << "";
        QTest::newRow("png") << "s.png"
                             << "";
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
        TestedWindow window(installedServices());
        ExportDialog *dialog = opened(window);
        dialog->chooseFormat(format);
        QTRY_VERIFY(!dialog->isBusy());
        QVERIFY2(dialog->trouble().isEmpty(), qPrintable(dialog->trouble()));
        QVERIFY2(dialog->preview().contains(holds), qPrintable(dialog->preview()));
        const QTemporaryDir folder;
        dialog->setPath(folder.filePath(file));
        QSignalSpy written(dialog, &ExportDialog::written);
        dialog->write();
        QTRY_COMPARE(written.size(), 1);
        QVERIFY(dialog->facts().startsWith(QStringLiteral("wrote ")));
        if (const QStringList files = dialog->files(); files.size() > 1) {
            QStringList there = QDir(folder.filePath(file)).entryList(QDir::Files);
            QStringList shown = files;
            shown.sort();
            there.sort();
            QCOMPARE(there, shown);
        } else if (!holds.isEmpty() && format != "perfetto" && format != "onnx") { // whose previews are in words
            QFile content(folder.filePath(file));
            QVERIFY(content.open(QIODevice::ReadOnly));
            const QString text = QString::fromUtf8(content.readAll()).remove('\r').remove('\n');
            QVERIFY(text.startsWith(dialog->preview().left(2000).remove('\n'))); // long lines are wrapped
        }
    }

    void export_pictureOfEveryView_isWrittenAsShown_data()
    {
        QTest::addColumn<QString>("view");
        for (const char *view : {"graph", "schedule", "timeline", "time-parts", "comparison"})
            QTest::newRow(view) << view;
    }

    void export_pictureOfEveryView_isWrittenAsShown()
    {
        QFETCH(const QString, view);
        TestedWindow window(installedServices());
        ExportDialog *dialog = opened(window);
        const QTemporaryDir folder;
        const auto written = [&](const QString &name) {
            dialog->setPath(folder.filePath(name));
            QSignalSpy done(dialog, &ExportDialog::written);
            dialog->write();
            [&] { QTRY_COMPARE(done.size(), 1); }();
            return QImage(folder.filePath(name));
        };
        dialog->chooseFormat("png");
        dialog->chooseView(view);
        QVERIFY2(dialog->trouble().isEmpty(), qPrintable(dialog->trouble()));
        dialog->chooseTheme(false);
        const QImage light = written("light.png");
        QVERIFY2(dialog->facts().startsWith("wrote 1 file"), qPrintable(dialog->facts()));
        QVERIFY(QColor(light.pixel(light.width() - 2, 2)).lightness() > 200);
        dialog->chooseTheme(true);
        dialog->chooseScale(2);
        const QImage dark = written("dark.png");
        QCOMPARE(dark.size(), light.size() * 2);
        QVERIFY(QColor(dark.pixel(dark.width() - 2, 2)).lightness() < 60);
        dialog->chooseScale(1);
        dialog->chooseInSight(true);
        const QImage seen = written("seen.png");
        QVERIFY(seen.size() != light.size() && seen.width() > 100);
    }

    void export_reportOfTheShelf_hasAllResults()
    {
        TestedWindow window(installedServices());
        ExportDialog *dialog = opened(window); // of Greedy
        dialog->chooseFormat("html");
        QTRY_VERIFY(!dialog->isBusy());
        QVERIFY(!dialog->preview().contains("<td>Sequential</td>"));
        dialog->chooseShelf(true);
        QVERIFY2(dialog->preview().contains("<td>Sequential</td>"), qPrintable(dialog->trouble()));
        const QTemporaryDir folder;
        dialog->setPath(folder.filePath("shelf.html"));
        QSignalSpy written(dialog, &ExportDialog::written);
        dialog->write();
        QTRY_COMPARE(written.size(), 1);
        QFile page(folder.filePath("shelf.html"));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QByteArray text = page.readAll();
        QVERIFY(text.contains("<td>Sequential</td>") && text.contains("Greedy (chosen)"));
    }

    void export_chosenResult_isComparedAsInTheWindow_data()
    {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("view");
        QTest::addColumn<QString>("holds"); // with the speed-up
        QTest::addColumn<QString>("names"); // the baseline
        QTest::newRow("html") << "html"
                              << "report"
                              << "<td class=\"number\">%1</td>"
                              << "Speed-ups are over Sequential, ";
        QTest::newRow("markdown") << "markdown"
                                  << "comparison"
                                  << "| %1 |"
                                  << "Speed-up over Sequential, ";
    }

    void export_chosenResult_isComparedAsInTheWindow()
    {
        QFETCH(const QString, format);
        QFETCH(const QString, view);
        QFETCH(const QString, holds);
        QFETCH(const QString, names);
        TestedWindow window(installedServices());
        ExportDialog *dialog = opened(window); // of Greedy alone
        const auto speedup =
            window.document()->results()->comparisonRow(resultOf(window, ScheduleKind::Greedy)->id).speedup;
        QVERIFY(speedup && std::abs(*speedup - 1) > 0.01);
        dialog->chooseFormat(format);
        dialog->chooseView(view);
        QTRY_VERIFY(!dialog->isBusy());
        const QString text = dialog->preview();
        QVERIFY2(text.contains(holds.arg(QStringLiteral("%1x").arg(*speedup, 0, 'f', 2))), qPrintable(text));
        QVERIFY2(text.contains(names), qPrintable(text));
    }

    void open_modelWithASchedule_putsItOnTheShelf()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath("staged.onnx");
        {
            TestedWindow window(installedServices());
            ExportDialog *dialog = opened(window);
            dialog->chooseFormat("onnx");
            QTRY_VERIFY(!dialog->isBusy());
            dialog->setPath(file);
            QSignalSpy written(dialog, &ExportDialog::written);
            dialog->write();
            QTRY_COMPARE(written.size(), 1);
        }
        TestedWindow window(installedServices());
        window.show();
        openAndWait(window, file);
        const auto fromFile = [&]() -> const ScheduleResult * {
            for (const ScheduleResult &result : window.document()->results()->shelf().results()) {
                if (result.origin == Origin::OpenedFile)
                    return &result;
            }
            return nullptr;
        };
        QTRY_VERIFY(fromFile() != nullptr);
        QCOMPARE(fromFile()->title, std::string("staged.onnx"));
        QTRY_VERIFY(resultOf(window, ScheduleKind::Greedy) && resultOf(window, ScheduleKind::Greedy)->schedule);
        QCOMPARE(fromFile()->schedule->stages, resultOf(window, ScheduleKind::Greedy)->schedule->stages);
        QCOMPARE(window.document()->results()->front().id, fromFile()->id);
        openAndWait(window, file); // the same once more: nothing is there twice
        qsizetype count = 0;
        for (const ScheduleResult &result : window.document()->results()->shelf().results())
            count += result.origin == Origin::OpenedFile ? 1 : 0;
        QCOMPARE(count, 1);
    }

    void export_viewWithoutAStudy_saysSo()
    {
        TestedWindow window(installedServices());
        ExportDialog *dialog = opened(window);
        dialog->chooseFormat("svg");
        dialog->chooseView("tradeoff");
        QVERIFY(dialog->trouble().contains("Press Start in the panel Trade-off"));
        dialog->chooseView("specialisation");
        QVERIFY(dialog->trouble().contains("Press Start in the panel Specialisation"));
        dialog->chooseView("graph");
        QVERIFY(dialog->trouble().isEmpty());
    }

    void export_refused_saysWhyAndWritesNothing()
    {
        TestedWindow window(installedServices());
        ExportDialog *dialog = opened(window);
        dialog->chooseFormat("csv");
        QTRY_VERIFY(!dialog->isBusy());
        const QTemporaryDir folder;
        dialog->setPath(folder.filePath("nowhere/t.csv"));
        dialog->write();
        QTRY_VERIFY(dialog->trouble().contains("the file cannot be written"));
        dialog->setPath({});
        dialog->write();
        QCOMPARE(dialog->trouble(), QString("Say where to write it."));
        QVERIFY(QDir(folder.path()).isEmpty());
    }

    void export_fileThatIsThere_asksOnce()
    {
        TestedWindow window(installedServices());
        ExportDialog *dialog = opened(window);
        dialog->chooseFormat("csv");
        QTRY_VERIFY(!dialog->isBusy());
        const QTemporaryDir folder;
        const QString path = folder.filePath("mine.csv");
        const auto content = [&] {
            QFile file(path);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        const auto putNotes = [&] {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("my notes");
        };
        putNotes();
        dialog->setPath(path);
        QSignalSpy written(dialog, &ExportDialog::written);
        dialog->write();
        const QPointer<QMessageBox> asked = dialog->findChild<QMessageBox *>();
        QVERIFY(asked);
        QCOMPARE(asked->text(), QString("Replace mine.csv?"));
        QVERIFY(asked->defaultButton() == asked->button(QMessageBox::Cancel));
        asked->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(!asked);
        QVERIFY(!dialog->isBusy());
        QCOMPARE(content(), QByteArray("my notes"));

        dialog->write();
        const QPointer<QMessageBox> again = dialog->findChild<QMessageBox *>();
        QVERIFY(again);
        for (QAbstractButton *button : again->buttons()) {
            if (again->buttonRole(button) == QMessageBox::DestructiveRole)
                button->click();
        }
        QTRY_COMPARE(written.size(), 1);
        QVERIFY(content().startsWith("stage,block,strategy"));
        QTRY_VERIFY(!again);
        dialog->write(); // over what it has written: not a second time
        QVERIFY(!dialog->findChild<QMessageBox *>());
        QTRY_COMPARE(written.size(), 2);

        const QString other = folder.filePath("new.csv"); // nothing is there
        dialog->setPath(other);
        dialog->write();
        QVERIFY(!dialog->findChild<QMessageBox *>());
        QTRY_COMPARE(written.size(), 3);
        dialog->setPath(path); // another path in between: asked again
        dialog->write();
        QVERIFY(dialog->findChild<QMessageBox *>());
    }

    void export_withoutATimeline_saysSo()
    {
        TestedWindow window(installedServices());
        openAndWait(window, "squeezenet");
        ExportDialog dialog(
            {window.document()->next()->model(), {{"Sequential", scheduleOf(window, ScheduleKind::Sequential)}}}, {},
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
        TestedWindow window(installedServices());
        QVERIFY(!window.exportAs());
    }

private:
    ExportDialog *opened(TestedWindow &window)
    {
        window.show();
        openAndWait(window, "squeezenet");
        const ResultId id = resultOf(window, ScheduleKind::Greedy)->id;
        window.document()->results()->setCurrent(id);
        [&] { QTRY_VERIFY(window.document()->results()->timelineOf(id) != nullptr); }();
        return window.exportAs();
    }
};

STAGECRAFT_SUITE(TestExportWindow)

} // namespace stagecraft

#include "tst_export_window.moc"
