#include "cpu/onednn/emitter.h"

#include "cpu/onednn/flat_kernels.h"
#include "graph/operator_cost.h"
#include "schedule/merge.h"

#include <utility>

namespace stagecraft::cpu {
Emitter::Emitter(EmitContext &context, std::span<const Place> places, std::size_t scratchBuffer)
    : m_context(context), m_places(places), m_scratchBuffer(scratchBuffer)
{
}

Result<void> Emitter::emit(OperatorId id)
{
    const Operator &op = graph().op(id);
    m_context.preparing(op.name);
    m_scratchUsed = 0;
    m_group.operators.push_back({{id}, {}});
    m_group.flops += flops(graph(), id);
    try {
        if (Result<void> emitted = emitByKind(*this, op); !emitted)
            return within("operator " + op.name, emitted.error());
    } catch (const dnnl::error &error) {
        return within("operator " + op.name,
                      Error{ErrorCode::InvalidInput,
                            std::string("oneDNN cannot execute it: ") + error.what(),
                            "use a simulated device for this model, or convert the operator away",
                            {}});
    }
    return {};
}

Result<void> Emitter::emitMerged(std::span<const OperatorId> operators, const Place &to)
{
    const Result<Operator> merged = mergedOperator(graph(), operators);
    if (!merged)
        return tl::unexpected(merged.error());
    m_context.preparing(merged->name);
    m_scratchUsed = 0;
    m_group.operators.push_back({{operators.begin(), operators.end()}, {}});
    for (const OperatorId id : operators)
        m_group.flops += flops(graph(), id);
    try {
        emitMergedConv(*this, operators, *merged, to);
    } catch (const dnnl::error &error) {
        return within("operator " + merged->name,
                      Error{ErrorCode::DeviceFailed, std::string("oneDNN cannot execute it: ") + error.what(), {}, {}});
    }
    return {};
}

GroupSteps Emitter::take()
{
    return std::exchange(m_group, {});
}

Place Emitter::scratch(const Desc &desc)
{
    const Place place{m_scratchBuffer, m_scratchUsed, desc};
    m_scratchUsed += (desc.get_size() + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
    m_scratchBytes = std::max(m_scratchBytes, m_scratchUsed);
    return place;
}

void Emitter::primitive(const dnnl::primitive &primitive, std::vector<Argument> arguments, const Desc &scratchpad)
{
    if (scratchpad.get_size() > 0)
        arguments.push_back({DNNL_ARG_SCRATCHPAD, scratch(scratchpad), nullptr});
    m_group.operators.back().steps.push_back({primitive, {}, std::move(arguments)});
}

void Emitter::host(HostKernel kernel, const std::vector<Place> &places)
{
    Step step;
    step.host = std::move(kernel);
    for (const Place &place : places)
        step.arguments.push_back({0, place, nullptr});
    m_group.operators.back().steps.push_back(std::move(step));
}

void Emitter::copy(const Place &from, const Place &to)
{
    // For the model's input image: oneDNN's reorder takes four times as long for so few channels.
    constexpr std::int64_t kFewChannels = 4;
    const auto plain = channelLayoutOf(from.desc);
    if (plain && plain->channels <= kFewChannels && arrangementOf(from.desc) == Arrangement::Plain &&
        arrangementOf(to.desc) == Arrangement::ChannelsLast) {
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
