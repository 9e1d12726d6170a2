#include "support/suite.h"
#include "timing/statistics/means.h"

#include <QTest>

using namespace stagecraft;

namespace tst_means {

using Values = std::vector<double>;

class TestMeans : public QObject {
    Q_OBJECT

private slots:
    void means_ofValues_areThoseOfTheDefinitions_data()
    {
        QTest::addColumn<Values>("values");
        QTest::addColumn<double>("mean");
        QTest::addColumn<double>("geometricMean");
        QTest::addColumn<double>("median");
        QTest::addColumn<double>("deviation");
        QTest::newRow("one value") << Values{3} << 3.0 << 3.0 << 3.0 << 0.0;
        QTest::newRow("odd number, unordered") << Values{8, 1, 27} << 12.0 << 6.0 << 8.0 << std::sqrt(181.0);
        QTest::newRow("even number, unordered")
            << Values{4, 1, 2, 8} << 3.75 << std::sqrt(8.0) << 3.0 << std::sqrt(28.75 / 3);
        QTest::newRow("equal values") << Values{5, 5, 5} << 5.0 << 5.0 << 5.0 << 0.0;
    }

    void means_ofValues_areThoseOfTheDefinitions()
    {
        QFETCH(const Values, values);
        QTEST(meanOf(values), "mean");
        QTEST(geometricMeanOf(values), "geometricMean");
        QTEST(medianOf(values), "median");
        QTEST(deviationOf(values), "deviation");
    }
};

STAGECRAFT_SUITE(TestMeans)

} // namespace tst_means
#include "tst_means.moc"
