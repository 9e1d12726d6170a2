// How long the window is busy at a time while a pruning study runs, what the study shares, and how long a plot of many
// points takes to draw. Prints percentiles of the processor's time; nothing here passes or fails.
// QT_QPA_PLATFORM=offscreen bench_studies [MODEL [R [S]]]    R and S as 1..5

#include "bench/window_bench.h"
#include "desktop/areas/studies/pruning_studies.h"
#include "desktop/frame/panels.h"
#include "support/number_ranges.h"
#include "widgets/study/pruning_plot.h"
#include "widgets/study/pruning_view.h"

#include <algorithm>
#include <cstdio>
#include <random>

using namespace stagecraft;
using namespace stagecraft::bench;

namespace {

// One turn of the event loop after the other, until the window is settled.
std::vector<double> turnsUntilSettled(const TestedWindow &window)
{
    std::vector<double> turns;
    while (!window.isSettled()) {
        const double before = cpuMs();
        QApplication::processEvents(QEventLoop::WaitForMoreEvents);
        turns.push_back(cpuMs() - before);
    }
    return turns;
}

std::vector<PlottedPoint> manyPoints(const PlottedPoint &like, int count)
{
    std::mt19937 random(1);
    std::uniform_real_distribution<double> share(0.5, 1.5);
    std::vector<PlottedPoint> points;
    for (int i = 0; i < count; ++i) {
        PlottedPoint point = like;
        point.point = {static_cast<StrategySet>(i % 3), 1 + i / 192, 1 + i / 3 % 64, false};
        point.latencyUs *= share(random);
        for (double &cost : point.costs)
            cost *= share(random);
        points.push_back(std::move(point));
    }
    return points;
}

} // namespace

int main(int argc, char **argv)
{
    const OwnSettings settings;
    QApplication application(argc, argv);
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    window.openModel(argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral("inception_v3"));
    turnsUntilSettled(window);
    const auto r = numbersIn(argc > 2 ? argv[2] : "1..5", 1, 64);
    const auto s = numbersIn(argc > 3 ? argv[3] : "1..8", 1, 64);
    if (!window.document()->next()->model() || !r || !s) {
        std::fprintf(stderr, "the model could not be opened, or R or S is not a range\n");
        return 1;
    }
    window.panels()->show(window.pruning());
    window.pruning()->setGrid({{StrategySet::Both, StrategySet::Parallel, StrategySet::Merge}, *r, *s});
    window.pruningStudies()->start();
    printPercentiles("a turn of the event loop during the study", turnsUntilSettled(window));
    PruningPlot *plot = window.pruning()->plot();
    std::printf("%s\n", qPrintable(window.pruning()->plainSummary()));
    if (plot->points().empty())
        return 1;
    double dearest = 0;
    for (const PlottedPoint &point : plot->points())
        dearest = std::max(dearest, point.cost(PointCost::Measurements));
    std::printf("the dearest search asks for %.0f stages\n", dearest);
    const PlottedPoint like = plot->points().front();
    for (const int count : {120, 1000, 10'000}) {
        window.pruning()->setPoints(manyPoints(like, count));
        std::vector<double> drawn;
        for (int i = 0; i < 20; ++i) {
            const double before = cpuMs();
            plot->showAll();
            QApplication::processEvents(); // the plot is drawn in the next turn
            drawn.push_back(cpuMs() - before);
        }
        printPercentiles(qPrintable(QStringLiteral("drawing %1 points").arg(count)), std::move(drawn));
    }
    return 0;
}
