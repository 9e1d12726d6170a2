#pragma once

// Turns the operators of one group into steps. Temporaries and scratchpads live in the group's own scratch buffer and
// are reused from one operator to the next, so groups of a stage never share memory that is written.

#include "cpu/onednn/layout_choice.h"
#include "cpu/onednn/step.h"
#include "cpu/onednn/weight_store.h"

#include <span>

namespace stagecraft::cpu {

// What all emitters of a session share.
struct EmitContext {
    std::shared_ptr<const Graph> graph;
    dnnl::engine engine;
    Layouts layouts;
    WeightStore weights;
    Preparing preparing; // never empty
};

class Emitter {
public:
    // `places` holds every tensor the group reads or writes.
    Emitter(EmitContext &context, std::span<const Place> places, std::size_t scratchBuffer);

    // Emits one operator, or a merged convolution whose output goes to `merged`. Errors name the operator.
    [[nodiscard]] Result<void> emit(OperatorId id);
    [[nodiscard]] Result<void> emitMerged(std::span<const OperatorId> operators, const Place &merged);

    [[nodiscard]] GroupSteps take(); // ends the group
    [[nodiscard]] std::size_t scratchBytes() const { return m_scratchBytes; }

    // For the functions that each emit one kind of operator.
    [[nodiscard]] const Graph &graph() const { return *m_context.graph; }
    [[nodiscard]] const dnnl::engine &engine() const { return m_context.engine; }
    [[nodiscard]] const Layouts &layouts() const { return m_context.layouts; }
    [[nodiscard]] WeightStore &weights() { return m_context.weights; }
    [[nodiscard]] const Place &place(TensorId tensor) const { return m_places[tensor.index()]; }
    [[nodiscard]] Place scratch(const Desc &desc);
    void primitive(const dnnl::primitive &primitive, std::vector<Argument> arguments, const Desc &scratchpad);
    void host(HostKernel kernel, const std::vector<Place> &places);
    void copy(const Place &from, const Place &to);                        // reorders where the layouts differ
    [[nodiscard]] Place inLayout(const Place &place, const Desc &wanted); // `place` itself if it has that layout

private:
    EmitContext &m_context;
    std::span<const Place> m_places;
    std::size_t m_scratchBuffer;
    std::size_t m_scratchUsed = 0;
    std::size_t m_scratchBytes = 0;
    GroupSteps m_group;
};

// The input expression as one tensor with `before` applied; the tensor's own place if there is nothing to do.
[[nodiscard]] Place emitInput(Emitter &emitter, const Operator &op, const Activation &before);
// Applies `activation` to `from` and writes to `to`, which may be the same place.
void emitActivation(Emitter &emitter, const Activation &activation, const Operator &owner, const Place &from,
                    const Place &to);

// By the kind of the operator. Errors do not name it; may throw dnnl::error.
[[nodiscard]] Result<void> emitByKind(Emitter &emitter, const Operator &op);

void emitConv(Emitter &emitter, const Operator &op);
void emitSepConv(Emitter &emitter, const Operator &op);
void emitConvTranspose(Emitter &emitter, const Operator &op);
// Layout of a merged convolution's output: that of its members where they agree.
[[nodiscard]] Desc mergedDesc(const Layouts &layouts, const Graph &graph, std::span<const OperatorId> operators);
void emitMergedConv(Emitter &emitter, std::span<const OperatorId> operators, const Operator &merged, const Place &to);
void emitPool(Emitter &emitter, const Operator &op);
void emitJoin(Emitter &emitter, const Operator &op);
void emitBatchNorm(Emitter &emitter, const Operator &op);
void emitGemm(Emitter &emitter, const Operator &op);
// False: not one of the functions above, which have a kind of their own.
[[nodiscard]] bool emitActivationOperator(Emitter &emitter, const Operator &op);
void emitSoftmax(Emitter &emitter, const Operator &op, int axis, bool logarithm);

} // namespace stagecraft::cpu
