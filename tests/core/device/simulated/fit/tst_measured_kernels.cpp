// Tables of measured kernels: what is read, how kernels are told apart, and what is refused.

#include "device/simulated/fit/kernel_errors.h"
#include "device/simulated/fit/measured_kernels.h"
#include "support/error_text.h"
#include "support/suite.h"

#include <QTest>

using namespace stagecraft;

namespace tst_measured_kernels {

namespace {

const std::string kHeadings = "kind,n_or_m,c_or_n,h_or_k,w,k,kh,kw,pad_h,pad_w,stride_h,stride_w,trans_a,trans_b,"
                              "time_us,algorithm\n";

MeasuredKernel productOf(std::int64_t rows)
{
    MeasuredKernel kernel;
    kernel.kind = KernelKind::Product;
    kernel.rows = rows;
    return kernel;
}

} // namespace

class TestMeasuredKernels : public QObject {
    Q_OBJECT

private slots:
    void fromCsv_aConvolutionAndAProduct_areRead()
    {
        const auto read =
            measuredKernelsFromCsv(kHeadings + "conv,16,3,224,200,64,7,5,3,2,2,1,,,304.5,IMPLICIT_GEMM\r\n"
                                               "\n"
                                               "gemm,1760,16,512,,,,,,,,,N,T,38,\n",
                                   "mine.csv");
        QVERIFY2(read.has_value(), read ? "" : errorText(read.error()).c_str());
        QCOMPARE(read->size(), std::size_t{2});
        const MeasuredKernel &conv = read->front();
        QVERIFY(conv.isConvolution());
        QCOMPARE(conv.us, 304.5);
        QCOMPARE(conv.source, "mine.csv:2");
        QCOMPARE(kernelText(conv), "conv 16x3x224x200, 64 of 7x5, pad 3x2, stride 2x1");
        QCOMPARE(familyOf(conv), "conv IMPLICIT_GEMM");
        const MeasuredKernel &product = read->back();
        QCOMPARE(product.rows, 16);
        QCOMPARE(product.inner, 512);
        QCOMPARE(product.columns, 1760);
        QCOMPARE(product.source, "mine.csv:4");
        QCOMPARE(kernelText(product), "product 16x512x1760 NT");
    }

    void fromCsv_columnsInAnotherOrder_areFoundByName()
    {
        const auto read = measuredKernelsFromCsv("time_us,h_or_k,c_or_n,n_or_m,kind\n5,7,3,11,gemm\n", "t.csv");
        QVERIFY(read.has_value());
        QCOMPARE(kernelText(read->front()), "product 3x7x11");
    }

    void fromCsv_badText_isRefusedByLine_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("error");
        const auto row = [](const char *name, const std::string &text, const char *error) {
            QTest::newRow(name) << QString::fromStdString(text) << error;
        };
        row("nothing", "", "there are no kernels");
        row("headings alone", kHeadings, "there are no kernels");
        row("no time", "kind,n_or_m,c_or_n,h_or_k\n", "line 1: there is no column time_us");
        row("another kind", kHeadings + "pool,1,1,1,1,1,1,1,0,0,1,1,,,3,\n", R"(line 2: kind is "pool")");
        row("a size of 0", kHeadings + "conv,0,1,9,9,1,1,1,0,0,1,1,,,3,\n", R"(line 2: n_or_m is "0")");
        row("a size that is missing", kHeadings + "conv,4,1,9\n", R"(line 2: time_us is "")");
        row("no number", kHeadings + "\ngemm,4,x,9,,,,,,,,,,,3,\n", R"(line 3: c_or_n is "x")");
        row("a negative padding", kHeadings + "conv,1,1,9,9,1,1,1,-1,0,1,1,,,3,\n", R"(line 2: pad_h is "-1")");
        row("no time at all", kHeadings + "gemm,4,4,9,,,,,,,,,,,0,\n", R"(line 2: time_us is "0")");
        row("not a time", kHeadings + "gemm,4,4,9,,,,,,,,,,,nan,\n", R"(line 2: time_us is "nan")");
        row("a window beyond the image", kHeadings + "conv,1,1,3,9,1,7,1,1,0,1,1,,,3,\n",
            "line 2: a window of 7 does not fit into an image of 3 with a padding of 1");
    }

    void fromCsv_badText_isRefusedByLine()
    {
        QFETCH(const QString, text);
        QFETCH(const QString, error);
        const auto read = measuredKernelsFromCsv(text.toStdString(), "t.csv");
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().code, ErrorCode::InvalidInput);
        const QString told = QString::fromStdString(errorText(read.error()));
        QVERIFY2(told.startsWith(error), qPrintable(told));
    }

    void algorithmOf_everyName_isKnownOrOther_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("algorithm");
        QTest::newRow("known") << "WINOGRAD_NONFUSED"
                               << "WINOGRAD_NONFUSED";
        QTest::newRow("unknown") << "CUDNN_ENGINE_47"
                                 << "other";
        QTest::newRow("none") << ""
                              << "not told";
    }

    void algorithmOf_everyName_isKnownOrOther()
    {
        QFETCH(const QString, name);
        QFETCH(const QString, algorithm);
        MeasuredKernel kernel;
        kernel.algorithm = name.toStdString();
        QCOMPARE(QString::fromStdString(algorithmOf(kernel)), algorithm);
        QCOMPARE(QString::fromStdString(familyOf(kernel)), "conv " + algorithm);
    }

    void familyOf_products_isByRows()
    {
        QCOMPARE(familyOf(productOf(4)), "product, up to 4 rows");
        QCOMPARE(familyOf(productOf(5)), "product, 5 to 64 rows");
        QCOMPARE(familyOf(productOf(65)), "product, 65 to 1024 rows");
        QCOMPARE(familyOf(productOf(1025)), "product, over 1024 rows");
    }

    void judgementBy_threeKernels_hasMedianMeanAndFamilies()
    {
        std::vector<SimulatedKernel> kernels{{productOf(1), 110}, {productOf(1), 80}, {productOf(100), 200}};
        for (SimulatedKernel &kernel : kernels)
            kernel.kernel.us = 100;
        const KernelErrors errors = errorsOf(kernels);
        QCOMPARE(errors.lowestRatio, 0.8);
        QCOMPARE(errors.highestRatio, 2.0);
        const DeviceJudgement judgement = judgementBy(kernels, "fp16", "mine.csv", true);
        QCOMPARE(judgement.error.kernels, 3);
        QVERIFY(qFuzzyCompare(judgement.error.medianError, 0.2));
        QVERIFY(qFuzzyCompare(judgement.error.meanError, 1.3 / 3));
        QCOMPARE(judgement.families.size(), std::size_t{2});
        QCOMPARE(judgement.families[0].family, "product, up to 4 rows");
        QCOMPARE(judgement.families[0].kernels, 2);
        QVERIFY(qFuzzyCompare(judgement.families[0].meanError, 0.15));
        QCOMPARE(withinText(std::vector{judgement.error}), "within 20 % on kernels left out in fp16 (median of 3)");
    }
};

STAGECRAFT_SUITE(TestMeasuredKernels)

} // namespace tst_measured_kernels
#include "tst_measured_kernels.moc"
