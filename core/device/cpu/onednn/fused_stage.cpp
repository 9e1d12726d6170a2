#include "device/cpu/onednn/fused_stage.h"

#include "device/cpu/onednn/emit_convolution.h"
#include "graph/operator_cost.h"
#include "operators/values/narrow_floats.h"
#include "schedule/rtasks/wavefront.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace stagecraft::cpu {
namespace {

using plan::View;

// What a core does in a nanosecond, about: only the order of rTasks and whether it is worth cutting them depend on it.
constexpr double kFlopsPerNs = 30;
constexpr double kElementsPerNs = 2;
constexpr double kBarrierNs = 300; // until another core knows that an rTask has ended

// An rOperator as it is planned: some tasks of an operator.
struct Piece {
    const plan::OperatorTasks *tasks = nullptr;
    const plan::GroupPlan *group = nullptr;
    std::size_t firstTask = 0;
    std::size_t taskCount = 1;
    OperatorPart part = OperatorPart::All;
    std::optional<View> between = {}; // of a part
    double flops = 0;
    double elements = 0;
    std::vector<std::uint32_t> reads = {};
    TaskSlices slices = {};

    [[nodiscard]] double aloneNs() const { return std::max(flops / kFlopsPerNs, elements / kElementsPerNs); }
};

std::string_view axisName(SliceAxis axis)
{
    return axis == SliceAxis::Images ? "images" : axis == SliceAxis::Rows ? "row bands" : "channel blocks";
}

double elementsIn(const plan::Task &task)
{
    double elements = 0;
    for (const plan::Part &part : task.reads) {
        for (const View &view : part.summands)
            elements += static_cast<double>(view.elements());
    }
    for (const View &view : task.writes)
        elements += static_cast<double>(view.elements());
    return elements;
}

// How long the units take, about.
double estimatedNs(const RProgram &program)
{
    std::vector<std::int64_t> left;
    for (const ROperator &one : program.rOperators)
        left.push_back(one.rKernel().rTasks);
    std::vector<double> endNs(program.rOperators.size(), 0);
    std::vector<double> nowNs(program.units.size(), 0);
    std::vector<std::size_t> next(program.units.size(), 0);
    const auto isOpen = [&](const UnitStep &step) {
        const Wait *wait = std::get_if<Wait>(&step);
        return !wait || std::ranges::all_of(wait->rOperators, [&](std::uint32_t one) { return left[one] == 0; });
    };
    for (bool hasMoved = true; hasMoved;) {
        hasMoved = false;
        for (std::size_t unit = 0; unit < program.units.size(); ++unit) {
            const std::vector<UnitStep> &steps = program.units[unit];
            for (; next[unit] < steps.size() && isOpen(steps[next[unit]]); ++next[unit], hasMoved = true) {
                if (const Wait *wait = std::get_if<Wait>(&steps[next[unit]])) {
                    for (const std::uint32_t one : wait->rOperators)
                        nowNs[unit] = std::max(nowNs[unit], endNs[one] + kBarrierNs);
                    continue;
                }
                const std::uint32_t one = std::get<RTask>(steps[next[unit]]).rOperator;
                nowNs[unit] += program.rOperators[one].rKernel().aloneNs;
                endNs[one] = std::max(endNs[one], nowNs[unit]);
                --left[one];
            }
        }
    }
    return nowNs.empty() ? 0 : std::ranges::max(nowNs);
}

class FusedEmitter {
public:
    FusedEmitter(EmitContext &context, std::span<const Place> places, plan::Plan &plan, const plan::StagePlan &stage,
                 int units)
        : m_context(context), m_places(places), m_plan(plan), m_stage(stage), m_units(units)
    {
    }

    Result<FusedSteps> emit()
    {
        TRY(cut());
        FusedSteps made;
        made.program = fastestProgram();
        if (m_context.verifyProgram) {
            const auto resident = [this](const UnitNeeds &) { return std::int64_t{m_units}; };
            TRY(m_context.verifyProgram(*m_context.graph, made.program, resident));
        }
        for (std::size_t i = 0; i < m_pieces.size(); ++i) {
            const bool isSliced = made.program.rOperators[i].rKernel().rTasks > 1;
            TRY_AS(auto steps, isSliced ? emitSlices(m_pieces[i]) : emitWhole(m_pieces[i]));
            made.rTasks.push_back(std::move(steps));
            made.shares.push_back(shareOf(m_pieces[i]));
        }
        return made;
    }

private:
    // The pieces of all operators, in order.
    Result<void> cut()
    {
        std::map<TensorId, std::uint32_t> made; // by tensor: its last piece
        for (const plan::GroupPlan &group : m_stage.groups) {
            for (const plan::OperatorTasks &tasks : group.operators) {
                std::vector<Piece> pieces;
                try {
                    pieces = piecesOf(group, tasks);
                } catch (const dnnl::error &error) {
                    return within("operator " + nameOf(tasks),
                                  Error{ErrorCode::InvalidInput,
                                        std::string("oneDNN cannot execute it: ") + error.what(),
                                        "use a simulated device for this model, or convert the operator away",
                                        {}});
                }
                const Operator &op = m_context.graph->op(tasks.operators.front());
                std::vector<std::uint32_t> reads;
                for (const auto &part : op.inputs) {
                    for (const TensorId tensor : part) {
                        if (const auto found = made.find(tensor); found != made.end())
                            reads.push_back(found->second);
                    }
                }
                std::ranges::sort(reads);
                reads.erase(std::ranges::unique(reads).begin(), reads.end());
                for (Piece &piece : pieces) {
                    // The operator's later pieces may read what the first one does.
                    piece.reads = reads;
                    reads.push_back(static_cast<std::uint32_t>(m_pieces.size()));
                    m_pieces.push_back(std::move(piece));
                }
                for (const TensorId tensor : op.outputs)
                    made[tensor] = static_cast<std::uint32_t>(m_pieces.size()) - 1;
            }
        }
        return {};
    }

    [[nodiscard]] std::string nameOf(const plan::OperatorTasks &tasks) const
    {
        return m_context.graph->op(tasks.operators.front()).name;
    }

    std::vector<Piece> piecesOf(const plan::GroupPlan &group, const plan::OperatorTasks &tasks)
    {
        const Operator &op = m_context.graph->op(tasks.operators.front());
        Piece whole{&tasks, &group, 0, tasks.tasks.size()};
        whole.flops = flops(*m_context.graph, tasks.operators.front());
        for (const plan::Task &task : tasks.tasks)
            whole.elements += elementsIn(task);
        const bool isNarrow = std::ranges::any_of(op.outputs, [&](TensorId output) {
            return isNarrowFloat(m_context.graph->tensor(output).type); // rounded when all is written
        });
        if (isNarrow || needsEvaluation(*m_context.graph, op) || tasks.tasks.empty())
            return {whole};
        std::vector<Piece> pieces;
        for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
            Piece piece{&tasks, &group, i, 1};
            piece.elements = elementsIn(tasks.tasks[i]);
            const bool isLast = i + 1 == tasks.tasks.size();
            piece.flops = isLast ? whole.flops : 0;
            if (isLast && op.sepConv() && appendParts(pieces, piece))
                continue;
            piece.slices = slicesOf(op, tasks.tasks[i], OperatorPart::All, {}, m_units);
            pieces.push_back(std::move(piece));
        }
        return pieces;
    }

    // The halves of a separable convolution, if what lies between them has a layout that can be cut.
    bool appendParts(std::vector<Piece> &pieces, const Piece &whole)
    {
        const Operator &op = m_context.graph->op(whole.tasks->operators.front());
        const plan::Task &task = whole.tasks->tasks[whole.firstTask];
        const Desc desc = betweenDesc(m_context.engine, op, descOf(task.input()), descOf(task.output()));
        const auto layout = layoutOf(desc);
        if (!layout)
            return false;
        View between = plan::denseView(whole.group->scratchBuffer, desc.dims(), *layout);
        std::size_t &bytes = m_plan.buffers[whole.group->scratchBuffer].bytes;
        between.offset = static_cast<std::int64_t>(bytes / sizeof(float));
        bytes = plan::aligned(bytes + desc.get_size(), m_plan.alignment);
        const auto elements = static_cast<double>(between.elements());
        const auto &kernel = op.sepConv()->window.kernel;
        const double depthwise = elements * static_cast<double>(kernel[0] * kernel[1]);
        const double pointwise = elements * static_cast<double>(op.sepConv()->outChannels);
        for (const OperatorPart part : {OperatorPart::Depthwise, OperatorPart::Pointwise}) {
            Piece piece = whole;
            piece.part = part;
            piece.between = between;
            const double own = part == OperatorPart::Depthwise ? depthwise : pointwise;
            piece.flops = whole.flops * own / (depthwise + pointwise);
            piece.slices = slicesOf(op, task, part, between, m_units);
            pieces.push_back(std::move(piece));
        }
        return true;
    }

    [[nodiscard]] std::vector<ROperator> rOperators() const
    {
        std::vector<ROperator> made;
        for (const Piece &piece : m_pieces) {
            ROperator &one = made.emplace_back();
            one.op = piece.tasks->operators.front();
            one.reads = piece.reads;
            const auto count = std::ssize(piece.slices.slices);
            const double eachNs = piece.aloneNs() / static_cast<double>(std::max<std::int64_t>(count, 1));
            if (count > 1 && eachNs >= m_context.leastSliceNs)
                one.rKernels.push_back({std::string(axisName(piece.slices.axis)), count, UnitNeeds{1, 0, 0}, eachNs});
            one.rKernels.push_back({"whole", 1, UnitNeeds{1, 0, 0}, piece.aloneNs()});
        }
        return made;
    }

    // The fastest one of the policy's choices.
    [[nodiscard]] RProgram fastestProgram() const
    {
        const auto resident = [this](const UnitNeeds &) { return std::int64_t{m_units}; };
        RProgram fastest = wavefrontProgram(rOperators(), resident, RKernelChoice::ByWave);
        for (const RKernelChoice choice : {RKernelChoice::Fastest, RKernelChoice::Thriftiest}) {
            RProgram other = wavefrontProgram(rOperators(), resident, choice);
            if (estimatedNs(other) < estimatedNs(fastest))
                fastest = std::move(other);
        }
        return fastest;
    }

    [[nodiscard]] double shareOf(const Piece &piece) const
    {
        const double all = flops(*m_context.graph, piece.tasks->operators.front());
        const bool isLast = piece.firstTask + piece.taskCount == piece.tasks->tasks.size();
        return all > 0 ? piece.flops / all : isLast ? 1 : 0;
    }

    // The tasks of a piece by themselves. Their scratch memory begins where that of others ends.
    [[nodiscard]] plan::OperatorTasks tasksOf(const Piece &piece) const
    {
        plan::OperatorTasks own{piece.tasks->operators, {}, {}};
        const auto first = piece.tasks->tasks.begin() + static_cast<std::ptrdiff_t>(piece.firstTask);
        own.tasks.assign(first, first + static_cast<std::ptrdiff_t>(piece.taskCount));
        own.temporaryBytes = m_plan.buffers[piece.group->scratchBuffer].bytes;
        return own;
    }

    [[nodiscard]] static std::optional<Place> placeOfView(const std::optional<View> &view)
    {
        return view ? std::optional(placeOf(*view)) : std::nullopt;
    }

    Result<OperatorSteps> emitOne(const Piece &piece, const plan::OperatorTasks &tasks, const Operator &op,
                                  OperatorSlice slice)
    {
        Emitter emitter(m_context, m_places, plan::GroupScratch(m_plan, *piece.group));
        TRY(emitter.emit(tasks, op, slice));
        return std::move(emitter.take().operators.front());
    }

    Result<std::vector<OperatorSteps>> emitWhole(const Piece &piece)
    {
        const Operator &op = m_context.graph->op(piece.tasks->operators.front());
        TRY_AS(auto steps,
               emitOne(piece, tasksOf(piece), op, OperatorSlice{piece.part, {}, {}, placeOfView(piece.between)}));
        std::vector<OperatorSteps> made;
        made.push_back(std::move(steps));
        return made;
    }

    Result<std::vector<OperatorSteps>> emitSlices(const Piece &piece)
    {
        std::vector<OperatorSteps> made;
        for (const TaskSlice &slice : piece.slices.slices) {
            plan::OperatorTasks tasks = tasksOf(piece);
            tasks.tasks = {slice.task};
            TRY_AS(auto steps, emitOne(piece, tasks, slice.op,
                                       OperatorSlice{piece.part, slice.channels, placeOf(slice.task.output()),
                                                     placeOfView(slice.between)}));
            made.push_back(std::move(steps));
        }
        return made;
    }

    EmitContext &m_context;
    std::span<const Place> m_places;
    plan::Plan &m_plan;
    const plan::StagePlan &m_stage;
    int m_units;
    std::vector<Piece> m_pieces;
};

} // namespace

Result<FusedSteps> emitFused(EmitContext &context, std::span<const Place> places, plan::Plan &plan,
                             const plan::StagePlan &stage, int units)
{
    return FusedEmitter(context, places, plan, stage, units).emit();
}

} // namespace stagecraft::cpu
