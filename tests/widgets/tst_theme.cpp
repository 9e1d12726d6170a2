// Every colour that says something is readable where it stands, on light and on dark.

#include "support/suite.h"
#include "widgets/base/theme.h"

#include <QTest>

#include <utility>
#include <vector>

using namespace stagecraft;

namespace tst_theme {

namespace {

constexpr double kSeen = 3; // of lines and marks, which are no text

Theme themeOn(bool dark)
{
    return themeFor(QPalette(dark ? QColor(0x1e, 0x24, 0x2c) : QColor(0xf5, 0xf7, 0xf9)));
}

using Inks = std::vector<std::pair<const char *, QColor>>;

Inks textsOf(const Theme &theme)
{
    return {{"text", theme.text},
            {"muted text", theme.mutedText},
            {"accent", theme.accent},
            {"merge mark", theme.mergeMark},
            {"warning", theme.warning},
            {"error", theme.error},
            {"faster", theme.faster},
            {"slower", theme.slower},
            {"measured", theme.provenance(Provenance::Measured)},
            {"recorded", theme.provenance(Provenance::Recorded)},
            {"simulated", theme.provenance(Provenance::Simulated)},
            {"assumed", theme.provenance(Provenance::Assumed)},
            {"line 1", theme.line(0)},
            {"line 2", theme.line(1)},
            {"line 3", theme.line(2)},
            {"line 4", theme.line(3)}};
}

} // namespace

class TestTheme : public QObject {
    Q_OBJECT

private slots:
    void text_onEverySurface_isReadable_data();
    void text_onEverySurface_isReadable();
    void onFill_everyFill_isReadable_data();
    void onFill_everyFill_isReadable();
    void contrast_knownPairs_areThoseOfTheStandard();
};

void TestTheme::text_onEverySurface_isReadable_data()
{
    QTest::addColumn<QColor>("ink");
    QTest::addColumn<QColor>("surface");
    QTest::addColumn<double>("least");
    for (const bool dark : {false, true}) {
        const Theme theme = themeOn(dark);
        QCOMPARE(theme.dark, dark);
        const char *name = dark ? "dark" : "light";
        for (const auto &[role, ink] : textsOf(theme)) {
            QTest::addRow("%s, %s on canvas", name, role) << ink << theme.canvas << kReadable;
            QTest::addRow("%s, %s on panel", name, role) << ink << theme.panel << kReadable;
        }
        QTest::addRow("%s, edge on canvas", name) << theme.edge << theme.canvas << kSeen;
    }
}

void TestTheme::text_onEverySurface_isReadable()
{
    QFETCH(QColor, ink);
    QFETCH(QColor, surface);
    QFETCH(double, least);
    QVERIFY2(contrast(ink, surface) >= least, qPrintable(QString::number(contrast(ink, surface))));
}

void TestTheme::onFill_everyFill_isReadable_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QColor>("fill");
    for (const bool dark : {false, true}) {
        const Theme theme = themeOn(dark);
        const char *name = dark ? "dark" : "light";
        for (std::size_t stage = 0; stage < 12; ++stage)
            QTest::addRow("%s, stage %zu", name, stage + 1) << dark << theme.stageFill(stage);
        for (int share = 0; share <= 32; ++share)
            QTest::addRow("%s, heat %d of 32", name, share) << dark << theme.heat(share / 32.0);
        for (const auto &[role, fill] : textsOf(theme))
            QTest::addRow("%s, %s", name, role) << dark << fill;
    }
}

void TestTheme::onFill_everyFill_isReadable()
{
    QFETCH(bool, dark);
    QFETCH(QColor, fill);
    const double found = contrast(themeOn(dark).onFill(fill), fill);
    QVERIFY2(found >= kReadable, qPrintable(QString::number(found)));
}

void TestTheme::contrast_knownPairs_areThoseOfTheStandard()
{
    QCOMPARE(contrast(Qt::black, Qt::white), 21.0);
    QCOMPARE(contrast(Qt::white, Qt::white), 1.0);
    QVERIFY(qAbs(contrast(QColor(0x76, 0x76, 0x76), Qt::white) - 4.54) < 0.01);
}

STAGECRAFT_SUITE(TestTheme)

} // namespace tst_theme
#include "tst_theme.moc"
