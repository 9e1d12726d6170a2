// How long the window takes: until it is up, until a selection is seen in every view, per turn of the event loop while
// each kind of job runs. Prints processor times of the thread; nothing here passes or fails.
// QT_QPA_PLATFORM=offscreen bench_window [MODEL [open]]    open: until the graph is drawn, and the memory it takes, no
// more
// QT_QPA_PLATFORM=offscreen bench_window MODEL profile FILE    while a profile is opened and shown (see large_trace.py)

#include "bench/window_bench.h"
#include "desktop/areas/studies/specialization_studies.h"
#include "desktop/frame/panels.h"
#include "widgets/base/selection.h"
#include "widgets/study/specialization_view.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

using namespace stagecraft;
using namespace stagecraft::bench;

namespace {

// Each turn of the event loop until the window rests.
void turns(TestedWindow &window, const char *what)
{
    std::vector<double> ms;
    do {
        const double before = cpuMs();
        QApplication::processEvents(window.isSettled() ? QEventLoop::AllEvents : QEventLoop::WaitForMoreEvents);
        ms.push_back(cpuMs() - before);
    } while (!window.isSettled());
    printPercentiles(what, std::move(ms));
}

// Everything that a change causes now: later turns that have nothing to do are cheap.
void react()
{
    for (int i = 0; i < 4; ++i)
        QApplication::processEvents();
}

void selections(TestedWindow &window, const char *what)
{
    const Graph &graph = *window.document()->next()->model()->graph;
    const std::size_t count = std::min<std::size_t>(graph.size(), 100);
    std::vector<double> ms;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t op = i * graph.size() / count;
        const double before = cpuMs();
        window.selection()->set({OperatorId::fromIndex(op), std::nullopt});
        react();
        ms.push_back(cpuMs() - before);
    }
    window.selection()->clear();
    settle(window);
    printPercentiles(what, std::move(ms));
}

void stageSelections(TestedWindow &window, const char *what)
{
    const std::size_t count = window.document()->results()->front().schedule->stages.size();
    std::vector<double> ms;
    for (std::size_t stage = 0; stage < count; ++stage) {
        const double before = cpuMs();
        window.selection()->set({std::nullopt, stage});
        react();
        ms.push_back(cpuMs() - before);
    }
    window.selection()->clear();
    settle(window);
    printPercentiles(what, std::move(ms));
}

// The most memory that was resident so far, in MB. What getrusage says counts from before exec: that of the parent.
double mostMemory()
{
    std::ifstream status("/proc/self/status");
    std::string key;
    while (status >> key) {
        double kib = 0;
        if (key == "VmHWM:" && status >> kib)
            return kib * 1.024e-3;
    }
    return 0;
}

void drawing(TestedWindow &window, const QString &model)
{
    (void)window.grab(); // the picture of the empty window takes as much memory
    const double empty = mostMemory();
    const auto begin = std::chrono::steady_clock::now();
    window.openModel(model);
    settle(window);
    (void)window.grab();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::printf("the graph is drawn after %.2f s; at most %.0f MB more than the empty window's %.0f MB\n",
                seconds.count(), mostMemory() - empty, empty);
}

void profile(TestedWindow &window, const QString &model, const QString &file)
{
    window.openModel(model);
    settle(window);
    const auto begin = std::chrono::steady_clock::now();
    window.openPath(file);
    turns(window, "a turn while a profile is opened and shown");
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    const RatedResult &front = window.document()->results()->front();
    std::printf("%s is shown after %.2f s\n", front.schedule ? front.name.c_str() : "nothing", seconds.count());
}

} // namespace

int main(int argc, char **argv)
{
    const OwnSettings settings;
    const double start = cpuMs(CLOCK_PROCESS_CPUTIME_ID);
    QApplication application(argc, argv);
    TestedWindow window(installedServices());
    window.resize(1600, 1000);
    window.show();
    react();
    std::printf("the window is up after %.0f ms of the process, %.0f ms of it before main\n",
                cpuMs(CLOCK_PROCESS_CPUTIME_ID), start);

    const QString model = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral("nasnet");
    if (argc > 3) {
        profile(window, model, QString::fromLocal8Bit(argv[3]));
        return 0;
    }
    if (argc > 2) {
        drawing(window, model);
        return 0;
    }
    window.openModel(model);
    turns(window, "a turn while a model is opened and laid out");
    if (!window.document()->next()->model()) {
        std::fprintf(stderr, "the model could not be opened\n");
        return 1;
    }
    window.startSearch();
    turns(window, "a turn during a search");
    window.document()->results()->setCurrent(window.document()->results()->newest(ScheduleKind::IosBoth));
    turns(window, "a turn while another result is shown");
    selections(window, "an operator is selected everywhere");
    stageSelections(window, "a stage is selected everywhere");
    window.panels()->show(window.specialization());
    window.specialization()->setBatches({1, 8});
    window.specializationStudies()->start();
    turns(window, "a turn during a specialisation study");
    return 0;
}
