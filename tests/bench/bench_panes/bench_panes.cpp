// The time to show, compare and switch between four results of NASNet in the window: each step including painting,
// maximum and median. QT_QPA_PLATFORM=offscreen bench_panes [MODEL]

#include "bench/window_bench.h"
#include "desktop/areas/panes/pane_row.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "widgets/schedule/schedule_view.h"
#include "widgets/search/search_panel.h"

#include <QDockWidget>
#include <QElapsedTimer>
#include <QScrollBar>

#include <algorithm>
#include <cstdio>
#include <functional>

using namespace stagecraft;
using namespace stagecraft::bench;

namespace {

void report(
    const char *what, int times, const std::function<void(int)> &step,
    const std::function<void(int)> &prepare = [](int) {})
{
    std::vector<double> ms;
    std::vector<double> cpu;
    for (int i = 0; i < times; ++i) {
        prepare(i);
        QElapsedTimer timer;
        timer.start();
        const double before = cpuMs();
        step(i);
        QApplication::processEvents(QEventLoop::ExcludeSocketNotifiers);
        ms.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        cpu.push_back(cpuMs() - before);
    }
    std::ranges::sort(ms);
    std::ranges::sort(cpu);
    std::printf("%-32s median %6.1f ms, longest %6.1f ms; of the thread %6.1f, %6.1f\n", what, ms[ms.size() / 2],
                ms.back(), cpu[cpu.size() / 2], cpu.back());
}

} // namespace

int main(int argc, char **argv)
{
    const OwnSettings settings;
    QApplication application(argc, argv);
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    window.findChild<QDockWidget *>(QStringLiteral("graph"))->hide();
    window.openModel(argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral("nasnet"));
    settle(window);
    if (!window.document()->next()->model()) {
        std::fprintf(stderr, "the model could not be opened\n");
        return 1;
    }
    for (const int r : {1, 2}) {
        SearchOptions options = window.searchPanel()->options();
        options.r = r;
        options.s = 3;
        window.searchPanel()->setOptions(options);
        window.startSearch();
        settle(window);
    }
    const std::vector<ResultId> ids = window.document()->results()->fitting();
    std::printf("%zu results, %zu operators\n", ids.size(), window.document()->next()->model()->graph->size());
    // As many as in a long session.
    std::vector<ResultId> many;
    for (int i = 0; i < 200; ++i) {
        const ResultId like = ids[static_cast<std::size_t>(i) % 4];
        auto copy = std::make_shared<TimedSchedule>(*window.document()->results()->shelf().find(like)->schedule);
        many.push_back(window.document()->added().addOpened(QStringLiteral("result %1").arg(i),
                                                            QStringLiteral("/r%1").arg(i),
                                                            window.document()->next()->settings(), copy));
    }
    settle(window);
    report("switch among 200 results", 60,
           [&](int i) { window.document()->results()->setCurrent(many[static_cast<std::size_t>(i * 37 % 200)]); });
    settle(window);
    window.document()->results()->remove(many);
    settle(window);
    report("switch one pane", 20,
           [&](int i) { window.document()->results()->setCurrent(ids[static_cast<std::size_t>(i) % 4]); });
    window.document()->results()->setCurrent(ids[0]);
    report(
        "open beside", 15, [&](int i) { window.panes()->openBeside(ids[static_cast<std::size_t>(i % 3) + 1]); },
        [&](int i) {
            while (i > 0 && i % 3 == 0 && window.panes()->count() > 1)
                window.panes()->close(window.panes()->count() - 1);
            settle(window);
        });
    settle(window);
    if (!window.panes()->compared())
        return 1;
    std::printf("%zu panes, %zu differences\n", window.panes()->count(), window.panes()->compared()->differences());
    report("move the focus", 20, [&](int i) { window.panes()->focus(static_cast<std::size_t>(i) % 4); });
    report("go to the next difference", 20, [&](int) { window.panes()->goToDifference(1); });
    report("fold, unfold equal stages", 10, [&](int i) { window.panes()->setEqualStagesFolded(i % 2 == 0); });
    QScrollBar *bar = window.panes()->pane(0)->view()->verticalScrollBar();
    report("scroll", 50, [&](int i) { bar->setValue(i * 120); });
    report("zoom", 10, [&](int i) { window.panes()->pane(0)->view()->setZoom(1.0 - i * 0.09); });
    report("show another result in a pane", 8,
           [&](int i) { window.document()->results()->setCurrent(ids[static_cast<std::size_t>(i) % 4]); });
    return 0;
}
