// What an operator takes in each layout, on its page.

#include "support/suite.h"
#include "widgets/inspector/layout_section.h"

#include <QTest>

using namespace stagecraft;

namespace tst_layout_section {

namespace {

constexpr LayoutPair kBothNchw{0, 0};
constexpr LayoutPair kBothNhwc{1, 1};

// conv1 in NCHW only; conv2 80 us faster in NHWC, for which a conversion of 100 us would be needed.
std::shared_ptr<const LayoutChoice> example(std::vector<LayoutProblem::Choice> more = {})
{
    LayoutProblem problem;
    problem.layouts = {"NCHW", "NHWC", "nChw8c"};
    problem.tensors = {{"input", 0, true, false}, {"between", 0, false, false}, {"output", 0, false, false}};
    problem.operators = {{"conv1", {0}, {1}, {{kBothNchw, 300}}},
                         {"conv2", {1}, {2}, {{kBothNchw, 600}, {kBothNhwc, 520}}}};
    auto &choices = problem.operators[1].choices;
    choices.insert(choices.end(), more.begin(), more.end());
    problem.conversionTables = {
        {kImpossible, 100, kImpossible, 100, kImpossible, kImpossible, kImpossible, kImpossible, kImpossible}};
    std::vector<Stage> stages;
    for (std::size_t i = 0; i < 2; ++i)
        stages.push_back({0, Strategy::Concurrent, {{OperatorId::fromIndex(i)}}});
    LayoutCostsSource source;
    source.provenance = "assumed";
    auto choice = chooseLayouts({problem, source}, stages, {}, {});
    if (!choice)
        qFatal("%s", choice.error().message.c_str());
    return std::make_shared<const LayoutChoice>(std::move(*choice));
}

QStringList rowsOf(const InspectorSection &section)
{
    QStringList rows;
    for (const InspectorRow &row : section.rows)
        rows << (row.key.isEmpty() ? row.value : row.key + ": " + row.value);
    return rows;
}

const OperatorId kConv1 = OperatorId::fromIndex(0);
const OperatorId kConv2 = OperatorId::fromIndex(1);

} // namespace

class TestLayoutSection : public QObject {
    Q_OBJECT

private slots:
    void section_notAsFastestAlone_saysWhy();
    void section_reasonNotKnownYet_saysSo();
    void section_ofAnotherResult_namesNoneChosen();
    void section_manyWays_endsWithTheNumberOfTheOthers();
    void section_oneWay_isLeftOut();
    void reasonText_everyKind_isASentence_data();
    void reasonText_everyKind_isASentence();
};

void TestLayoutSection::section_notAsFastestAlone_saysWhy()
{
    LayoutFacts facts{example(), true, {}};
    const auto reason = whyNotFastest(*facts.choice, kConv2, {});
    QVERIFY(reason.has_value());
    facts.reasons.emplace_back(kConv2, *reason);
    const InspectorSection section = layoutSection(facts, kConv2);
    QCOMPARE(rowsOf(section),
             (QStringList{"520 µs: NHWC → NHWC · fastest alone", "600 µs: NCHW → NCHW · chosen",
                          "NHWC → NHWC alone is 80.0 µs faster, but with it the whole takes 20.0 µs more: 1 more "
                          "conversion takes 100 µs, all operators together 80.0 µs less."}));
    QVERIFY(section.provenance == Provenance::Assumed);
}

void TestLayoutSection::section_reasonNotKnownYet_saysSo()
{
    const InspectorSection section = layoutSection({example(), true, {}}, kConv2);
    QVERIFY2(rowsOf(section).back().contains("being worked out"), qPrintable(rowsOf(section).back()));
}

void TestLayoutSection::section_ofAnotherResult_namesNoneChosen()
{
    QCOMPARE(rowsOf(layoutSection({example(), false, {}}, kConv2)),
             (QStringList{"520 µs: NHWC → NHWC · fastest alone", "600 µs: NCHW → NCHW"}));
}

void TestLayoutSection::section_manyWays_endsWithTheNumberOfTheOthers()
{
    const auto choice = example(
        {{{1, 0}, 522}, {{1, 2}, 523}, {{2, 0}, 524}, {{2, 1}, 525}, {{2, 2}, 526}, {{0, 1}, 610}, {{0, 2}, 611}});
    const QStringList rows = rowsOf(layoutSection({choice, true, {}}, kConv2));
    QCOMPARE(rows.size(), 9); // six, the chosen one, the others, why
    QCOMPARE(rows[6], QStringLiteral("600 µs: NCHW → NCHW · chosen"));
    QCOMPARE(rows[7], QStringLiteral("slower: 2 more"));
}

void TestLayoutSection::section_oneWay_isLeftOut()
{
    QVERIFY(layoutSection({example(), true, {}}, kConv1).rows.empty());
    QVERIFY(layoutSection({}, kConv1).rows.empty());
}

void TestLayoutSection::reasonText_everyKind_isASentence_data()
{
    QTest::addColumn<double>("moreUs");
    QTest::addColumn<int>("conversions");
    QTest::addColumn<double>("conversionsUs");
    QTest::addColumn<bool>("isEstimate");
    QTest::addColumn<QString>("ending");
    const QString more = QStringLiteral("but with it the whole takes ");
    QTest::newRow("several")
        << 12.0 << 2 << 40.0 << false
        << more + "12.0 µs more: 2 more conversions take 40.0 µs, all operators together 28.0 µs less.";
    QTest::newRow("dearer") << 12.0 << 0 << 4.0 << false
                            << more +
                                   "12.0 µs more: conversions take 4.00 µs more, all operators together 8.00 µs more.";
    QTest::newRow("cheaper") << 12.0 << -1 << -4.0 << false
                             << more +
                                    "12.0 µs more: conversions take 4.00 µs less, all operators together 16.0 µs more.";
    QTest::newRow("operators") << 12.0 << 0 << 0.0 << false
                               << more + "12.0 µs more: all operators together 12.0 µs more.";
    QTest::newRow("estimate") << 12.0 << 1 << 12.0 << true
                              << more + "up to 12.0 µs more: 1 more conversion takes 12.0 µs.";
    QTest::newRow("tie") << 0.0 << 1 << 80.0 << false << QStringLiteral("but with it the whole takes as long.");
    QTest::newRow("impossible") << kImpossible << 0 << 0.0 << false
                                << QStringLiteral("but what runs with it has no kernel for it.");
}

void TestLayoutSection::reasonText_everyKind_isASentence()
{
    QFETCH(double, moreUs);
    QFETCH(int, conversions);
    QFETCH(double, conversionsUs);
    QFETCH(bool, isEstimate);
    QFETCH(QString, ending);
    const QString text = reasonText(*example(), kConv2, {moreUs, conversions, conversionsUs, isEstimate});
    QCOMPARE(text, QStringLiteral("NHWC → NHWC alone is 80.0 µs faster, ") + ending);
}

STAGECRAFT_SUITE(TestLayoutSection)

} // namespace tst_layout_section
#include "tst_layout_section.moc"
