// What the report says of operators that are opaque, or that `run` on cpu refuses, with the reasons: known without
// running.

#include "support/opened_model.h"
#include "support/places.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_import_report {

namespace {

const std::string kData = sourcePath("tests/data/onnx/").toStdString();

// "opaque 2, because ... (m1)".
QStringList reasonsOf(const TypeReport &type)
{
    QStringList texts;
    for (const TypeReason &reason : type.because) {
        const bool isOpaque = reason.outcome == TypeReason::Outcome::Opaque;
        texts << QStringLiteral("%1 %2, because %3 (%4)")
                     .arg(isOpaque ? "opaque" : "refused")
                     .arg(reason.operators)
                     .arg(QString::fromStdString(reason.reason), QString::fromStdString(reason.operatorName));
    }
    return texts;
}

} // namespace

class TestImportReport : public QObject {
    Q_OBJECT

private slots:
    void openModel_file_saysWhatIsRefusedAndWhy_data();
    void openModel_file_saysWhatIsRefusedAndWhy();
    void openModel_fileThatRuns_refusesNothing_data();
    void openModel_fileThatRuns_refusesNothing();
};

void TestImportReport::openModel_file_saysWhatIsRefusedAndWhy_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QStringList>("reasons");
    const auto row = [](const char *file, const char *type, const QStringList &reasons) {
        QTest::addRow("%s, %s", file, type) << QString(type) << reasons;
    };
    const QString mystery = "com.example::Mystery";
    row("mystery_chain", "com.example::Mystery",
        {"opaque 2, because the program has no rule for " + mystery + " (m1)",
         "refused 2, because cpu has no kernel for " + mystery + " (m1)"});
    row("mystery_chain", "Relu", {});
    row("unknown_shape", "Relu", {"refused 1, because sizes of what it reads or makes are not known (y)"});
    row("both_in_training", "BatchNormalization", {"refused 2, because it is in training mode (n1)"});
}

void TestImportReport::openModel_file_saysWhatIsRefusedAndWhy()
{
    QFETCH(const QString, type);
    QFETCH(const QStringList, reasons);
    const QString file = QString(QTest::currentDataTag()).section(',', 0, 0);
    const auto model = openedModel(kData + file.toStdString() + ".onnx");
    QVERIFY2(model, model ? "" : model.error().message.c_str());
    const auto &types = model->report.types;
    const auto found = std::ranges::find(types, type.toStdString(), &TypeReport::type);
    QVERIFY(found != types.end());
    QCOMPARE(reasonsOf(*found), reasons);
    std::int64_t opaque = 0;
    std::int64_t refused = 0;
    for (const TypeReason &reason : found->because)
        (reason.outcome == TypeReason::Outcome::Opaque ? opaque : refused) += reason.operators;
    QCOMPARE(found->opaque, opaque);
    QCOMPARE(found->refused, refused);
    QVERIFY(refused <= found->operators);
}

void TestImportReport::openModel_fileThatRuns_refusesNothing_data()
{
    QTest::addColumn<int>("unused");
    for (const char *file :
         {"residual", "quantised", "half_inside", "cast_to_double", "used_places", "gated", "resize", "branches"})
        QTest::newRow(file) << 0;
}

void TestImportReport::openModel_fileThatRuns_refusesNothing()
{
    const auto model = openedModel(kData + QTest::currentDataTag() + ".onnx");
    QVERIFY2(model, model ? "" : model.error().message.c_str());
    QVERIFY(!model->report.types.empty());
    for (const TypeReport &type : model->report.types) {
        QCOMPARE(reasonsOf(type), QStringList());
        QCOMPARE(type.opaque + type.refused, std::int64_t{0});
    }
}

STAGECRAFT_SUITE(TestImportReport)

} // namespace tst_import_report
#include "tst_import_report.moc"
