#pragma once

// The members of typed attributes by name, for everything that lists them: signatures, messages, exported code, pages.
// The order is part of the signatures of stages, by which latencies are stored: a new member that changes them makes
// stored latencies of that kind useless.

#include "operators/operator.h"
#include "support/records/record.h"

namespace stagecraft {

// Calls visit(name, member) in the order of declaration.
void eachMember(Of<Window> auto &window, auto &&visit)
{
    visit("kernel", window.kernel);
    visit("stride", window.stride);
    visit("dilation", window.dilation);
    visit("padding", window.padding);
}

void eachMember(Of<Activation> auto &activation, auto &&visit)
{
    visit("kind", activation.kind);
    visit("alpha", activation.alpha);
    visit("beta", activation.beta);
}

void eachMember(Of<ConvAttributes> auto &conv, auto &&visit)
{
    visit("outChannels", conv.outChannels);
    visit("window", conv.window);
    visit("groups", conv.groups);
    visit("before", conv.before);
    visit("after", conv.after);
}

void eachMember(Of<SepConvAttributes> auto &conv, auto &&visit)
{
    visit("outChannels", conv.outChannels);
    visit("window", conv.window);
    visit("before", conv.before);
    visit("between", conv.between);
    visit("after", conv.after);
}

void eachMember(Of<PoolAttributes> auto &pool, auto &&visit)
{
    visit("mode", pool.mode);
    visit("global", pool.global);
    visit("ceilMode", pool.ceilMode);
    visit("countIncludePad", pool.countIncludePad);
    visit("window", pool.window);
}

void eachMember(Of<GemmAttributes> auto &gemm, auto &&visit)
{
    visit("outFeatures", gemm.outFeatures);
    visit("inFeatures", gemm.inFeatures);
    visit("transposeB", gemm.transposeB);
    visit("after", gemm.after);
}

template <typename T>
concept HasMembers = requires(T &value)
{
    eachMember(value, [](const char *, auto &) {});
};

// The last enumerators, for readers of numbers.
[[nodiscard]] inline ActivationKind lastOf(ActivationKind)
{
    return activationSchemas().back().kind;
}
[[nodiscard]] constexpr PoolAttributes::Mode lastOf(PoolAttributes::Mode)
{
    return PoolAttributes::Mode::Average;
}
[[nodiscard]] constexpr OperatorKind lastOf(OperatorKind)
{
    return OperatorKind::Fused;
}

} // namespace stagecraft
