// The layout study: its worked example, the two convolutions that it times, and five networks.

#include "flow/layouts/assumed_layouts.h"
#include "flow/open_model.h"
#include "reproduction/published_figures.h"
#include "reproduction/reproducer.h"
#include "reproduction/reproduction_steps.h"
#include "search/layouts/layout_search.h"
#include "support/number_text.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <initializer_list>
#include <optional>
#include <string>

namespace stagecraft {
namespace {

constexpr LayoutIndex kExampleNchw = 0;
constexpr LayoutIndex kExampleNhwc = 1;

// conv1 and conv2, one after the other, as the study times them; nobody needs the output in NCHW.
LayoutProblem workedExample()
{
    const published::LayoutExample &example = published::kLayoutExample;
    LayoutProblem problem;
    problem.layouts = {"NCHW", "NHWC"};
    problem.fixed = kExampleNchw;
    problem.tensors = {{"input", 0, true, false}, {"between", 0, false, false}, {"output", 0, false, false}};
    problem.operators = {{"conv1", {0}, {1}, {{{kExampleNchw, kExampleNchw}, 1000 * example.firstNchwMs}}},
                         {"conv2",
                          {1},
                          {2},
                          {{{kExampleNchw, kExampleNchw}, 1000 * example.secondNchwMs},
                           {{kExampleNhwc, kExampleNhwc}, 1000 * example.secondNhwcMs}}}};
    const double us = 1000 * example.conversionMs;
    problem.conversionTables = {{kImpossible, us, us, kImpossible}};
    return problem;
}

Result<double> leastMs(const LayoutProblem &problem)
{
    return searchLayouts(problem, {}).map([](const LayoutResult &found) { return found.best.latencyUs / 1000; });
}

bool isLike(const Graph &graph, OperatorId id, const PublishedConvolution &shape)
{
    const ConvAttributes *conv = graph.op(id).conv();
    const Shape &input = graph.inputShape(id);
    return conv && conv->outChannels == shape.outChannels && conv->window.kernel[0] == shape.kernel &&
           input.channels() == shape.inChannels && input.dims.back() == shape.size;
}

// "1x3x224x224 * 64x3x7x7"
std::string titleOf(const PublishedConvolution &shape)
{
    return fmt::format("1x{0}x{1}x{1} * {2}x{0}x{3}x{3}", shape.inChannels, shape.size, shape.outChannels,
                       shape.kernel);
}

std::optional<double> latencyMs(const LayoutProblem::Operator &op, LayoutIndex layout)
{
    const auto choice = std::ranges::find(op.choices, LayoutPair{layout, layout}, &LayoutProblem::Choice::layouts);
    return choice == op.choices.end() ? std::nullopt : std::optional(choice->latencyUs / 1000);
}

Result<void> layoutExample(Reproducer &run)
{
    const auto each = leastMs(fastestEach(workedExample()));
    const auto whole = leastMs(workedExample());
    if (!each || !whole)
        return tl::unexpected(each ? whole.error() : each.error());
    Figure figure = newFigure("layout-example", "The layout study: its worked example", "ms", "two convolutions");
    figure.note = "Its latencies of two convolutions and a conversion, searched here.";
    figure.columns = {"each as it is fastest", "best whole"};
    figure.rows = {
        {"in a row",
         {{published::kLayoutExample.fastestEachMs, *each}, {published::kLayoutExample.bestWholeMs, *whole}}}};
    figure.compared = figure.plotted = false; // no device is in it
    run.add(std::move(figure));
    run.claim("Layouts that are fastest for each operator are not fastest for the whole (layout study)", *whole < *each,
              fixedText(*each, 1) + " ms, the best whole " + fixedText(*whole, 1) + " ms");
    return {};
}

Result<void> layoutNetworks(Reproducer &run)
{
    Figure convolutions =
        newFigure("layout-convolutions", "The layout study: two convolutions, NHWC assumed", "ms", "convolution");
    convolutions.note = "Published in fp16. Ours in NCHW is simulated, in fp32; NHWC is assumed to be slower or faster "
                        "by the published factor, and so it is for every convolution of fewer than eight input "
                        "channels (as the first) and of more (as the second).";
    convolutions.columns = {"NCHW", "NHWC"};
    Figure networks =
        newFigure("layout-networks", "The layout study: five networks, batch 1, assumed", "ms", "network");
    networks.note =
        "The sum of operators one after the other, and of conversions. From the two convolutions above: all "
        "else is taken to be as fast in both layouts.";
    networks.columns = {"all NCHW", "all NHWC", "chosen"};
    Figure gains = newFigure("layout-gain", "The layout study: how many times faster, assumed", "", "network");
    gains.note = "The published mean is of fp16, over the layouts that TensorFlow took.";
    gains.columns = {"over all NCHW", "over all NHWC", "conversions"};
    double meanGain = 0;
    bool isNeverSlower = true;
    double seconds = 0;
    for (const published::LayoutNetwork &network : published::kLayoutNetworks) {
        const auto start = std::chrono::steady_clock::now();
        TRY_AS(const auto opened, openModel({std::string(network.model)}));
        const Model &model = opened.model;
        TRY_AS(const auto costs, assumedLayouts(model, run.device(), run.stop()));
        TRY_AS(const auto found, searchLayouts(costs.problem, {}));
        seconds = std::max(seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        const auto nchw = leastMs(allIn(costs.problem, kExampleNchw));
        const auto nhwc = leastMs(allIn(costs.problem, kExampleNhwc));
        if (!nchw || !nhwc)
            return tl::unexpected(nchw ? nhwc.error() : nchw.error());
        const double chosenMs = found.best.latencyUs / 1000;
        networks.rows.push_back(
            {std::string(network.title), {{std::nullopt, *nchw}, {std::nullopt, *nhwc}, {std::nullopt, chosenMs}}});
        gains.rows.push_back({std::string(network.title),
                              {{std::nullopt, *nchw / chosenMs},
                               {std::nullopt, *nhwc / chosenMs},
                               {std::nullopt, static_cast<double>(found.best.conversions.size())}}});
        meanGain += *nchw / chosenMs / static_cast<double>(published::kLayoutNetworks.size());
        isNeverSlower = isNeverSlower && chosenMs <= std::min(*nchw, *nhwc);
        for (const PublishedConvolution &shape : {kFewChannels, kManyChannels}) {
            const auto isKnown = [&](const FigureRow &row) { return row.label == titleOf(shape); };
            for (std::size_t i = 0; i < model.graph->size(); ++i) {
                if (!isLike(*model.graph, OperatorId::fromIndex(i), shape) ||
                    std::ranges::any_of(convolutions.rows, isKnown))
                    continue;
                const LayoutProblem::Operator &op = costs.problem.operators[i];
                convolutions.rows.push_back(
                    {titleOf(shape),
                     {{shape.nchwMs, latencyMs(op, kExampleNchw)}, {shape.nhwcMs, latencyMs(op, kExampleNhwc)}}});
            }
        }
    }
    gains.rows.push_back({"mean", {{published::kLayoutGain, meanGain}, {}, {}}});
    for (Figure *figure : {&convolutions, &networks, &gains}) {
        figure->compared = false;
        figure->plotted = figure == &networks;
        run.add(std::move(*figure));
    }
    run.claim("Layouts chosen for the whole are at least as fast as all in NCHW and all in NHWC (layout study)",
              isNeverSlower, fixedText(meanGain, 2) + "x over all NCHW in the mean of five networks, assumed");
    run.claim("Choosing the layouts of a network takes at most 20 s (layout study)",
              seconds <= published::kLayoutSeconds,
              "the study times operators on its device, here their latencies are assumed");
    run.leaveOut(
        "The layout study's 1.75x: measured in fp16 on a V100 against TensorFlow; the devices here compute in fp32, "
        "and no figure says which layouts TensorFlow took.");
    run.leaveOut(
        "The layout study's NC/4HW4 and NC/16HW16 on a V100: no figure says what they take there (on cpu, nChw8c and "
        "nChw16c are measured).");
    return {};
}

} // namespace

Result<void> reproduceLayoutStudy(Reproducer &run)
{
    if (run.info().id != kPublishedDevice) {
        run.leaveOut("The layout study (NHWC against NCHW): shown for sim:v100.");
        return {};
    }
    if (auto done = layoutExample(run); !done)
        return done;
    return layoutNetworks(run);
}

} // namespace stagecraft
