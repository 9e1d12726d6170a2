#include "desktop/dialogs/help_browser.h"
#include "desktop/dialogs/help_window.h"
#include "support/suite.h"

#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QScrollBar>
#include <QTest>
#include <QTextBlock>
#include <QTextDocument>

using namespace stagecraft;

namespace tst_help {

namespace {

// The names of all images on a page.
QStringList images(const QTextDocument &document)
{
    QStringList names;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto fragment = block.begin(); !fragment.atEnd(); ++fragment) {
            const QTextImageFormat image = fragment.fragment().charFormat().toImageFormat();
            if (image.isValid())
                names << image.name();
        }
    }
    return names;
}

QPalette darkPalette()
{
    QPalette palette;
    palette.setColor(QPalette::Window, QColor("#202428"));
    palette.setColor(QPalette::Base, QColor("#16191c"));
    palette.setColor(QPalette::Text, QColor("#e4e7ea"));
    palette.setColor(QPalette::WindowText, QColor("#e4e7ea"));
    return palette;
}

} // namespace

class TestHelp : public QObject {
    Q_OBJECT

private slots:
    void showPage_reproduction_showsEveryFigureWithItsNumbers()
    {
        HelpWindow window;
        window.showPage("reproduction.html");
        const auto *browser = window.findChild<HelpBrowser *>();
        const QString text = browser->toPlainText();
        QFile file(":/help/reproduction.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject made = QJsonDocument::fromJson(file.readAll()).object();
        QVERIFY(made["figures"].toArray().size() >= 10);
        for (const auto &figure : made["figures"].toArray())
            QVERIFY2(text.contains(figure.toObject()["title"].toString()),
                     qPrintable(figure.toObject()["title"].toString()));
        QVERIFY(text.contains("simulated"));
        QVERIFY(text.contains(made["calibration"].toString()));
        const QJsonObject table = made["figures"].toArray().at(0).toObject();
        const QJsonObject row = table["rows"].toArray().at(0).toObject(); // Inception V3, Sequential first
        const double ours = row["cells"].toArray().at(0).toObject()["ours"].toDouble();
        QVERIFY(text.contains(QString::number(ours, 'f', 2)));
    }

    void showPage_reproduction_drawsEveryPlot()
    {
        HelpWindow window;
        window.showPage("reproduction.html");
        const auto *browser = window.findChild<HelpBrowser *>();
        const QStringList names = images(*browser->document());
        QVERIFY(names.size() >= 7);
        for (const QString &name : names) {
            const auto image = browser->document()->resource(QTextDocument::ImageResource, name).value<QImage>();
            QVERIFY2(!image.isNull(), qPrintable(name));
            QVERIFY2(image.deviceIndependentSize().width() <= browser->viewport()->width(), qPrintable(name));
        }
    }

    void showPage_anyPage_fitsTheWindow_data()
    {
        QTest::addColumn<QString>("page");
        QTest::newRow("help") << "index.html";
        QTest::newRow("reproduction") << "reproduction.html";
        QTest::newRow("JSON answers") << "json_answers.html";
    }

    void showPage_anyPage_fitsTheWindow()
    {
        QFETCH(QString, page);
        HelpWindow window;
        window.showPage(page);
        auto *browser = window.findChild<HelpBrowser *>();
        (void)browser->document()->idealWidth(); // lays the page out to its end, which else happens in steps
        QTRY_COMPARE(browser->horizontalScrollBar()->maximum(), 0);
    }

    void changePalette_reproductionShown_isDrawnAnew()
    {
        HelpWindow window;
        window.showPage("reproduction.html");
        auto *browser = window.findChild<HelpBrowser *>();
        const auto overview = [&] {
            return browser->document()->resource(QTextDocument::ImageResource, QUrl("plots/overview")).value<QImage>();
        };
        const QImage light = overview();
        window.setPalette(darkPalette());
        QVERIFY(!overview().isNull());
        QVERIFY(overview() != light);
        QVERIFY(browser->toPlainText().contains("Latency by schedule"));
    }

    void showPage_jsonAnswers_describesEveryKey()
    {
        HelpWindow window;
        window.showPage();
        auto *browser = window.findChild<HelpBrowser *>();
        QVERIFY(browser->toHtml().contains("json_answers.html"));
        browser->setSource(QUrl("json_answers.html"));
        const QString text = browser->toPlainText();
        for (const char *expected :
             {"stagecraft-cli info MODEL [--count] --json", "blocks[].block_number", "stage_sum_us"})
            QVERIFY2(text.contains(expected), expected);
    }

    void backward_afterALink_showsTheFirstPage()
    {
        HelpWindow window;
        window.showPage();
        auto *browser = window.findChild<HelpBrowser *>();
        QVERIFY(browser->toHtml().contains("reproduction.html"));
        browser->setSource(QUrl("reproduction.html"));
        browser->backward();
        QVERIFY(browser->toPlainText().contains("Getting started"));
    }
};

STAGECRAFT_SUITE(TestHelp)

} // namespace tst_help
#include "tst_help.moc"
