// The search over tiles: never the same twice, all of them if asked for all, and sooner at the best with a model.

#include "search/order/tile_search.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QTest>

#include <cmath>
#include <set>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_tile_search {

namespace {

using Parameters = TileSearch::Parameters;

const std::vector<std::vector<int>> kAxes{{1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4}, {1, 2, 4, 8, 16}, {0, 1, 2}};

// A valley with its bottom at (6, 2, 4, 1).
double ratioAt(const Parameters &at)
{
    return 0.8 + 0.03 * std::abs(at[0] - 6) + 0.05 * std::abs(at[1] - 2) + 0.02 * std::abs(std::log2(at[2]) - 2) +
           0.1 * std::abs(at[3] - 1);
}

// The best after so many measurements, in batches of 8.
double bestAfter(std::size_t count, std::uint32_t seed, bool isLearning)
{
    TileSearch search(kAxes, {1.0F, 2.0F}, seed);
    double best = 10;
    while (search.measured() < count) {
        auto model = isLearning ? LatencyModel::fit(search.samples(), search.features(), 16)
                                : Result<std::unique_ptr<LatencyModel>>();
        for (const Parameters &parameters : search.next(8, model ? model->get() : nullptr)) {
            const double ratio = ratioAt(parameters);
            best = std::min(best, ratio);
            search.add(parameters, ratio);
        }
    }
    return best;
}

} // namespace

class TestTileSearch : public QObject {
    Q_OBJECT

private slots:
    void next_untilNoneIsLeft_givesEachOnce()
    {
        TileSearch search(kAxes, {}, 1);
        std::set<Parameters> seen;
        for (auto next = search.next(7, nullptr); !next.empty(); next = search.next(7, nullptr)) {
            for (const Parameters &parameters : next) {
                QVERIFY(seen.insert(parameters).second);
                search.add(parameters, ratioAt(parameters));
            }
        }
        QCOMPARE(seen.size(), 8U * 4 * 5 * 3);
        QCOMPARE(search.fastest(1).front(), (Parameters{6, 2, 4, 1}));
        QCOMPARE(search.samples().size(), seen.size());
        QCOMPARE(search.samples().front().features.size(), search.features());
    }

    void next_sameAnswers_givesTheSameChoices()
    {
        QCOMPARE(bestAfter(40, 3, true), bestAfter(40, 3, true));
        TileSearch one(kAxes, {}, 5), other(kAxes, {}, 5);
        QCOMPARE(one.next(8, nullptr), other.next(8, nullptr));
    }

    void next_withModel_isSoonerAtTheBest()
    {
        double learned = 0, random = 0;
        for (std::uint32_t seed = 1; seed <= 20; ++seed) {
            learned += bestAfter(48, seed, true);
            random += bestAfter(48, seed, false);
        }
        QVERIFY2(learned < random, qPrintable(QString("%1 against %2").arg(learned / 20).arg(random / 20)));
    }
};

STAGECRAFT_SUITE(TestTileSearch)

} // namespace tst_tile_search
#include "tst_tile_search.moc"
