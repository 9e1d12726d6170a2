#pragma once

// Turns the tasks of one group into steps. Temporaries and scratchpads live in the group's own scratch buffer and are
// reused from one operator to the next, so groups of a stage never share memory that is written.

#include "cpu/onednn/layout_choice.h"
#include "cpu/onednn/step.h"
#include "cpu/onednn/weight_store.h"

#include <span>

namespace stagecraft::cpu {

// What all emitters of a session share.
struct EmitContext {
    std::shared_ptr<const Graph> graph;
    dnnl::engine engine;
    plan::TensorPlan tensors;
    WeightStore weights;
    Preparing preparing; // never empty
};

class Emitter {
public:
    // `places`: of the plan's tensors.
    Emitter(EmitContext &context, std::span<const Place> places, const plan::GroupScratch &scratch);

    // Errors name the operator.
    [[nodiscard]] Result<void> emit(const plan::OperatorTasks &op);

    [[nodiscard]] GroupSteps take(); // ends the group

    // For the functions that each emit one kind of operator.
    [[nodiscard]] const Graph &graph() const { return *m_context.graph; }
    [[nodiscard]] const dnnl::engine &engine() const { return m_context.engine; }
    [[nodiscard]] WeightStore &weights() { return m_context.weights; }
    [[nodiscard]] const Place &place(TensorId tensor) const { return m_places[tensor.index()]; }
    [[nodiscard]] Place input() const { return placeOf(m_task->input()); } // of the task that is emitted
    [[nodiscard]] Place scratch(const Desc &desc);
    void primitive(const dnnl::primitive &primitive, std::vector<Argument> arguments, const Desc &scratchpad);
    void host(HostKernel kernel, const std::vector<Place> &places);
    void copy(const Place &from, const Place &to);                        // reorders where the layouts differ
    [[nodiscard]] Place inLayout(const Place &place, const Desc &wanted); // `place` itself if it has that layout

private:
    [[nodiscard]] Result<void> emit(const plan::OperatorTasks &op, const Operator &what);

    EmitContext &m_context;
    std::span<const Place> m_places;
    plan::GroupScratch m_scratch;
    const plan::Task *m_task = nullptr;
    GroupSteps m_group;
};

// Applies `activation` to `from` and writes to `to`, which may be the same place.
void emitActivation(Emitter &emitter, const Activation &activation, const Operator &owner, const Place &from,
                    const Place &to);

void emitJoin(Emitter &emitter, const Operator &owner, const plan::Task &task);
void emitSlice(Emitter &emitter, const plan::Task &task);
void emitMergedConv(Emitter &emitter, const plan::MergedConvolution &merged, const Place &to);

// By the kind of the operator. Errors do not name it; may throw dnnl::error.
[[nodiscard]] Result<void> emitByKind(Emitter &emitter, const Operator &op);

void emitConv(Emitter &emitter, const Operator &op);
void emitSepConv(Emitter &emitter, const Operator &op);
void emitConvTranspose(Emitter &emitter, const Operator &op);
void emitPool(Emitter &emitter, const Operator &op);
void emitBatchNorm(Emitter &emitter, const Operator &op);
void emitGemm(Emitter &emitter, const Operator &op);
// False: not one of the functions above, which have a kind of their own.
[[nodiscard]] bool emitActivationOperator(Emitter &emitter, const Operator &op);
void emitSoftmax(Emitter &emitter, const Operator &op, int axis, bool logarithm);

} // namespace stagecraft::cpu
