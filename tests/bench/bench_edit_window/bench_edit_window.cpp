// The time for a manual edit in the window, on a network of 374 schedule units (NASNet) and a simulated device: from
// the drop to the repaint, from there to the measured result, and one undo. Prints percentiles; nothing here passes or
// fails. QT_QPA_PLATFORM=offscreen bench_edit_window [MODEL [EDITS]]

#include "bench/window_bench.h"
#include "desktop/areas/panes/pane_row.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "schedule/edit/edit_places.h"
#include "schedule/stage_groups.h"
#include "widgets/schedule/schedule_edit_tool.h"
#include "widgets/schedule/schedule_view.h"

#include <algorithm>
#include <cstdio>
#include <random>

using namespace stagecraft;
using namespace stagecraft::bench;

int main(int argc, char **argv)
{
    const OwnSettings settings;
    QApplication application(argc, argv);
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    window.openModel(argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral("nasnet"));
    settle(window);
    if (!window.document()->next()->model()) {
        std::fprintf(stderr, "the model could not be opened\n");
        return 1;
    }
    const Model &model = *window.document()->next()->model();
    std::mt19937 random(1);
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    std::vector<double> drawn, measured, undone;
    const int edits = argc > 2 ? std::atoi(argv[2]) : 100;
    for (int step = 0; step < edits; ++step) {
        const TimedSchedule &schedule = *window.schedulePane()->schedule();
        const auto members = operatorsOf(schedule.stages[below(schedule.stages.size())]);
        const std::vector<OperatorId> moved{members[below(members.size())]};
        auto places = editPlaces(*model.graph, model.blocks, schedule.stages, moved);
        std::erase_if(places, [](const EditPlaceAnswer &answer) { return !answer.legal; });
        const Edit edit = editTo(places[below(places.size())].place, moved);
        window.schedulePane()->editTool()->choose({moved, {}});
        QApplication::processEvents();
        const double before = cpuMs();
        const double beforeAll = cpuMs(CLOCK_PROCESS_CPUTIME_ID);
        emit window.schedulePane()->editTool()->editRequested(edit);
        window.schedulePane()->view()->viewport()->repaint();
        drawn.push_back(cpuMs() - before);
        while (!window.schedulePane()->schedule()->latencyUs())
            QApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
        QApplication::processEvents();
        measured.push_back(cpuMs(CLOCK_PROCESS_CPUTIME_ID) - beforeAll - drawn.back());
        settle(window);
    }
    while (!window.document()->results()->shelf().undoWords().empty()) {
        const double before = cpuMs();
        window.document()->results()->undo();
        window.schedulePane()->view()->viewport()->repaint();
        undone.push_back(cpuMs() - before);
    }
    std::printf("%zu units, %zu stages; time of the processor\n", model.graph->size(),
                window.schedulePane()->schedule()->stages.size());
    printPercentiles("drop to new drawing, of the window", std::move(drawn));
    printPercentiles("from there to measured and drawn, of all", std::move(measured));
    printPercentiles("undo to new drawing, of the window", std::move(undone));
    return 0;
}
