#include "device/cpu/onednn/emitter.h"

#include "device/cpu/onednn/flat_kernels.h"
#include "device/cpu/onednn/no_kernel.h"
#include "graph/operator_cost.h"
#include "operators/values/narrow_floats.h"

#include <utility>

namespace stagecraft::cpu {

Emitter::Emitter(EmitContext &context, std::span<const Place> places, const plan::GroupScratch &scratch)
    : m_context(context), m_places(places), m_scratch(scratch)
{
}

Result<void> Emitter::emit(const plan::OperatorTasks &op)
{
    return emit(op, op.merged ? op.merged->op : graph().op(op.operators.front()), {});
}

Result<void> Emitter::emit(const plan::OperatorTasks &op, const Operator &what, OperatorSlice slice)
{
    m_slice = slice;
    m_sliced = what.outputs.empty() ? TensorId{} : what.outputs.front();
    m_context.preparing(what.name);
    m_scratch.begin(op);
    m_group.operators.push_back({op.operators, {}, {}});
    m_mayLose = false;
    for (const OperatorId id : op.operators)
        m_group.flops += flops(graph(), id);
    try {
        Result<void> emitted = emitTasks(op, what);
        if (emitted && m_mayLose && m_context.isForValues)
            emitted = emitCarefully(op, what);
        if (!emitted)
            return within("operator " + what.name, emitted.error());
    } catch (const dnnl::error &error) {
        Error refused{ErrorCode::InvalidInput,
                      std::string("oneDNN cannot execute it: ") + error.what(),
                      "use a simulated device for this model, or convert the operator away",
                      {}};
        if (op.merged) // the members alone may be fine
            refused = {ErrorCode::DeviceFailed, refused.message, {}, {}};
        return within("operator " + what.name, std::move(refused));
    }
    return {};
}

Result<void> Emitter::emitTasks(const plan::OperatorTasks &op, const Operator &what)
{
    for (const plan::Task &task : op.tasks) {
        m_task = &task;
        switch (task.kind) {
        case plan::Task::Kind::Run:
            if (Result<void> emitted = emitRun(what); !emitted)
                return emitted;
            break;
        case plan::Task::Kind::Merged: emitMerged(*this, *op.merged, placeOf(task.output())); break;
        case plan::Task::Kind::Join: emitJoin(*this, what, task); break;
        case plan::Task::Kind::Slice: emitSlice(*this, task); break;
        }
    }
    for (const OperatorId id : op.operators)
        roundOutputs(graph().op(id));
    return {};
}

Result<void> Emitter::emitCarefully(const plan::OperatorTasks &op, const Operator &what)
{
    OperatorSteps &made = m_group.operators.back();
    std::swap(made.steps, made.careful);
    m_scratch.begin(op);
    m_isCareful = true;
    Result<void> emitted = emitTasks(op, what);
    m_isCareful = false;
    std::swap(made.steps, made.careful);
    return emitted;
}

bool Emitter::isCareful()
{
    m_mayLose = true;
    return m_isCareful;
}

Result<void> Emitter::emitRun(const Operator &op)
{
    const auto emitOthers = [&] { return m_context.emitOthers ? m_context.emitOthers(*this, op) : noKernelFor(op); };
    if (needsEvaluation(graph(), op))
        return emitOthers();
    try {
        Result<void> done = emitByKind(*this, op);
        if (done || done.error().code != ErrorCode::InvalidInput || !m_context.emitOthers)
            return done;
        dropSteps();
        return emitOthers() ? Result<void>() : done;
    } catch (const dnnl::error &) {
        dropSteps();
        if (m_context.emitOthers && emitOthers())
            return {};
        throw;
    }
}

// Tensors of 16 bits are computed in 32, and hold numbers of 16. What lies in channels of a larger tensor is rounded
// with that.
void Emitter::roundOutputs(const Operator &op)
{
    for (const TensorId output : op.outputs) {
        if (!tensors().isHeld(output))
            continue;
        const Tensor &tensor = graph().tensor(output);
        const Place &where = place(output);
        if (!isNarrowFloat(tensor.type) || tensor.shape.elements() == 0 || !layoutOf(where.desc))
            continue;
        host(
            [type = tensor.type, count = where.desc.get_size() / sizeof(float)](std::span<float *const> pointers) {
                for (float &value : std::span(pointers[0], count))
                    value = roundedTo(type, value);
            },
            {where});
    }
}

GroupSteps Emitter::take()
{
    return std::exchange(m_group, {});
}

Place Emitter::scratch(const Desc &desc)
{
    return {m_scratch.buffer(), m_scratch.reserve(desc.get_size()), desc};
}

void Emitter::primitive(const dnnl::primitive &primitive, std::vector<Argument> arguments, const Desc &scratchpad)
{
    add({primitive, {}, {}, {}}, std::move(arguments), scratchpad);
}

void Emitter::primitiveLater(MakePrimitive make, std::vector<Argument> arguments, const Desc &scratchpad)
{
    add({{}, {}, {}, std::move(make)}, std::move(arguments), scratchpad);
}

void Emitter::add(Step step, std::vector<Argument> arguments, const Desc &scratchpad)
{
    if (scratchpad.get_size() > 0)
        arguments.push_back({DNNL_ARG_SCRATCHPAD, scratch(scratchpad), nullptr});
    step.arguments = std::move(arguments);
    m_group.operators.back().steps.push_back(std::move(step));
}

void Emitter::host(HostKernel kernel, const std::vector<Place> &places)
{
    Step step;
    step.host = std::move(kernel);
    for (const Place &place : places)
        step.arguments.push_back({0, place, nullptr});
    m_group.operators.back().steps.push_back(std::move(step));
}

void Emitter::dropSteps()
{
    m_group.operators.back().steps.clear();
}

void Emitter::copy(const Place &from, const Place &to)
{
    // For the model's input image: oneDNN's reorder takes four times as long for so few channels.
    constexpr std::int64_t kFewChannels = 4;
    const auto plain = channelLayoutOf(from.desc);
    if (plain && plain->channels <= kFewChannels && layoutOf(from.desc) == TensorLayout::RowMajor &&
        layoutOf(to.desc) == TensorLayout::ChannelsLast) {
        host(
            [layout = *plain](std::span<float *const> pointers) {
                interleaveChannels(pointers[0], pointers[1], layout.batch, layout.channels, layout.pixels);
            },
            {from, to});
        return;
    }
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::reorder::primitive_desc desc(engine(), from.desc, engine(), to.desc, attributes);
    primitive(dnnl::reorder(desc), {{DNNL_ARG_FROM, from, nullptr}, {DNNL_ARG_TO, to, nullptr}},
              desc.scratchpad_desc());
}

Place Emitter::inLayout(const Place &place, const Desc &wanted)
{
    if (place.desc == wanted)
        return place;
    const Place other = scratch(wanted);
    copy(place, other);
    return other;
}

} // namespace stagecraft::cpu
