#include "cli/size_sweep.h"

#include "answers/size_answer.h"
#include "cli/cost_text.h"
#include "cli/print_answer.h"
#include "cli/text_table.h"
#include "export/study_tables.h"
#include "flow/find/measured.h"
#include "flow/study/size_range.h"
#include "flow/study/size_study.h"
#include "results/schedule_words.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

// What is the same for all sizes, of the last one that was opened.
struct Opened {
    std::shared_ptr<const Model> model;
    DeviceInfo device;
};

void print(const std::vector<SizePoint> &points, const std::string &parameter, const CostBasis &basis)
{
    TextTable table(
        {parameter, "Sequential", "Greedy", "IOS-Both", "gain of Greedy", "gain of IOS-Both", "stages", "provenance"});
    for (const SizePoint &point : points) {
        std::vector<std::string> row{grouped(point.size)};
        for (const TimingInRounds &times : point.times)
            row.push_back(plainLatency(times.timing.latencyUs, basis));
        row.insert(row.end(), {gainText(point, kSizeGreedy), gainText(point, kSizeIos),
                               fmt::format("{}", point.found->stages.size()), provenanceWords(*point.found)});
        table.add(std::move(row));
    }
    const Measurement &measured = points.front().found->measured;
    std::cout << costLines(basis) << table << "\ngains are over Sequential; arithmetic in " << basis.precision << '\n'
              << crossingText(points, kSizeIos, parameter) << '\n'
              << crossingText(points, kSizeGreedy, parameter) << '\n'
              << simulationLines(measured.calibration, measured.simulationErrors);
}

std::vector<answers::CrossedSize> crossed(const std::vector<SizePoint> &points)
{
    std::vector<answers::CrossedSize> all;
    for (const std::size_t schedule : {kSizeIos, kSizeGreedy}) {
        for (const SizeCrossing &each : crossingsOf(points, schedule))
            all.push_back({std::string(kSizeSchedules[schedule]), each});
    }
    return all;
}

SizeStudy studyOf(const SizeSweepOptions &options, const SizeRange &range, const ModelOptions &model,
                  const DeviceOption &device, Opened &last)
{
    return SizeStudy(
        [=, &last](std::int64_t size) -> Result<OpenedPlace> {
            ModelOptions sized = model;
            TRY_AS(sized.request, atSize(model.request, range.parameter, size));
            TRY_AS(auto opened, sized.open());
            last.model = std::make_shared<const Model>(std::move(opened));
            TRY_AS(auto on, device.open(*last.model));
            last.device = on.info;
            return OpenedPlace{last.model, std::move(on.info), std::move(on.session)};
        },
        options.rounds);
}

Result<void> study(SizeStudy &study, const SizeRange &range, const CommandLine &line)
{
    for (const std::int64_t size : range.sizes) {
        const std::string name = fmt::format("{} = {}", range.parameter, size);
        const auto progress = [&](std::int64_t, const OpenedPlace &at) {
            return terminalProgress(name, at.device.provenance, latencyBasis(*at.model, at.device));
        };
        const auto point = study.study(size, progress, line.stop);
        clearProgress();
        if (line.stop.stop_requested())
            break; // the sizes that are done are worth having
        TRY(point);
        tellRefusals((*point)->refusal, *(*point)->found, name);
    }
    endProgress();
    return {};
}

} // namespace

Result<void> sweepSizes(const SizeSweepOptions &options, const ModelOptions &model, const DeviceOption &device,
                        bool csv, const CommandLine &line)
{
    TRY_AS(const auto range, sizeRange(options.over));
    for (const std::int64_t size : {range.sizes.front(), range.sizes.back()}) {
        TRY(atSize(model.request, range.parameter, size));
    }
    const auto listening = line.listen();
    Opened last;
    SizeStudy sizes = studyOf(options, range, model, device, last);
    TRY(study(sizes, range, line));
    const std::vector<SizePoint> points = sizes.points();
    if (points.empty())
        return fail(ErrorCode::Cancelled, "the sweep was cancelled before its first size");
    const CostBasis basis = latencyBasis(*last.model, last.device);
    if (line.json)
        printAnswer(answers::SweepOver{model.request.spec, device.id, range.parameter, points, crossed(points),
                                       last.model->report.notes, basis});
    else if (csv)
        std::cout << sizesCsv(range.parameter, points);
    else
        print(points, range.parameter, basis);
    if (line.stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the sweep was cancelled; the sizes done before are shown");
    return {};
}

} // namespace stagecraft
