// A timeline of a million spans in its view: the time until it is ready, the time of frames (panning and zooming at
// several scales, selecting a range), and memory. 1600 x 400, software raster.
// QT_QPA_PLATFORM=offscreen bench_timeline [SPANS]

#include "bench/frame_times.h"
#include "widgets/base/selection.h"
#include "widgets/timeline/timeline_view.h"

#include <qcustomplot.h>

#include <QApplication>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <malloc.h>
#include <random>

using namespace stagecraft;

namespace {

constexpr std::size_t kStreams = 8;
constexpr std::size_t kKernelsOfAStage = 40;
constexpr std::size_t kKernelsOfAnOperator = 100; // 10,000 operators
constexpr std::size_t kCounterSteps = 200'000;
constexpr int kFrames = 100;

double bytesInUse()
{
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
}

// Stages with a barrier after each, kernels one after the other on each stream.
void addKernels(Timeline &timeline, std::size_t spans)
{
    std::mt19937 random(1);
    std::int64_t now = 0;
    timeline.streams = kStreams;
    timeline.kernels.reserve(spans);
    for (std::size_t stage = 0; timeline.kernels.size() < spans; ++stage) {
        std::vector<std::int64_t> at(kStreams, now);
        std::int64_t end = now;
        for (std::size_t i = 0; i < kKernelsOfAStage && timeline.kernels.size() < spans; ++i) {
            const std::size_t stream = i % kStreams;
            KernelSpan &kernel = timeline.kernels.emplace_back();
            kernel.name = "conv 128x32";
            kernel.operators = {OperatorId::fromIndex(timeline.kernels.size() / kKernelsOfAnOperator)};
            kernel.stage = stage;
            kernel.group = kernel.stream = stream;
            kernel.startNs = at[stream] + static_cast<std::int64_t>(random() % 3000);
            kernel.endNs = kernel.startNs + 2000 + static_cast<std::int64_t>(random() % 20000);
            kernel.threadsPerBlock = 128;
            kernel.bytes = 1e6;
            kernel.flops = 1e7;
            at[stream] = kernel.endNs;
            end = std::max(end, kernel.endNs);
        }
        timeline.stages.push_back({stage, now, end});
        now = end + 8000;
    }
    timeline.durationNs = now;
    std::ranges::stable_sort(timeline.kernels, {}, &KernelSpan::startNs);
}

void addCounter(Timeline &timeline)
{
    std::mt19937 random(2);
    CounterSeries warps{"active warps", "warps", "sampled", 5120, {}, {}};
    for (std::size_t i = 0; i < kCounterSteps; ++i) {
        warps.timesNs.push_back(timeline.durationNs / static_cast<std::int64_t>(kCounterSteps) *
                                static_cast<std::int64_t>(i));
        warps.values.push_back(static_cast<double>(random() % 5120));
    }
    timeline.counters.push_back(std::move(warps));
}

void report(const char *what, TimelineView &view, const std::function<void(int)> &change)
{
    auto *plot = view.findChild<QCustomPlot *>();
    bench::FrameTimes(kFrames, [&](int frame) {
        change(frame);
        plot->replot(QCustomPlot::rpImmediateRefresh);
    }).print(what);
}

} // namespace

int main(int argc, char **argv)
{
    QApplication application(argc, argv);
    const std::size_t spans = argc > 1 ? std::stoul(argv[1]) : 1'000'000;
    const double empty = bytesInUse();
    auto made = std::make_shared<Timeline>();
    addKernels(*made, spans);
    const double ofSpans = bytesInUse() - empty;
    addCounter(*made);
    const std::shared_ptr<const Timeline> timeline = made;
    Selection selection;
    TimelineView view(&selection);
    view.resize(1600, 400);
    view.show();
    QApplication::processEvents();
    auto little = std::make_shared<Timeline>();
    addKernels(*little, 100);
    view.setTimeline(nullptr, std::make_shared<const TimelineIndex>(little)); // makes what every timeline needs
    view.findChild<QCustomPlot *>()->replot(QCustomPlot::rpImmediateRefresh);
    const double beforeShown = bytesInUse();
    const double start = bench::cpuMs();
    const auto index = std::make_shared<const TimelineIndex>(timeline); // made by the thread of the job
    const double indexMs = bench::cpuMs() - start;
    view.setTimeline(nullptr, index);
    view.findChild<QCustomPlot *>()->replot(QCustomPlot::rpImmediateRefresh);
    QApplication::processEvents();
    std::printf("%zu spans on %zu streams in %zu stages: ready in %.0f ms of the thread (%.0f ms of it the index)\n",
                spans, kStreams, timeline->stages.size(), bench::cpuMs() - start, indexMs);
    const double ofView = bytesInUse() - beforeShown;
    const auto perSpan = [&](double bytes) { return bytes / static_cast<double>(spans); };
    std::printf("bytes a span: %.1f of the timeline, %.1f of the view, %.1f together\n", perSpan(ofSpans),
                perSpan(ofView), perSpan(ofSpans + ofView));

    const double whole = static_cast<double>(timeline->durationNs) / 1e3;
    const auto range = [&](double share, int frame) { // moves by a part of what is visible
        const double from = (whole * (1 - share)) * frame / kFrames;
        view.setVisibleTime(from, from + whole * share);
    };
    report("everything", view, [&](int frame) { view.setVisibleTime(0, whole * (1 - 1e-4 * frame)); });
    report("pan, a half visible", view, [&](int frame) { range(0.5, frame); });
    report("pan, a hundredth visible", view, [&](int frame) { range(0.01, frame); });
    report("pan, a ten-thousandth visible", view, [&](int frame) { range(1e-4, frame); });
    report("zoom from everything to 10 us", view, [&](int frame) {
        const double size = whole * std::pow(10 / whole, static_cast<double>(frame) / kFrames);
        view.setVisibleTime(whole / 3, whole / 3 + size);
    });
    view.showAll();
    view.selectRange(std::pair(0.0, 1.0));
    QApplication::processEvents();
    bench::FrameTimes(kFrames,
                      [&](int frame) { // only what stands over the kernels is drawn
                          view.selectRange(std::pair(0.0, whole * (frame + 1) / kFrames));
                          QApplication::processEvents();
                      })
        .print("drag a range over everything");
    view.selectRange(std::nullopt);
    report("select operators", view, [&](int frame) {
        const KernelSpan &kernel =
            timeline->kernels[timeline->kernels.size() / kFrames * static_cast<std::size_t>(frame)];
        selection.set({kernel.operators.front(), kernel.stage});
    });
    const double before = bench::cpuMs();
    view.find(QStringLiteral("conv"));
    std::printf("find in all: %.0f ms, %d matches\n", bench::cpuMs() - before, view.matches().second);
    return 0;
}
