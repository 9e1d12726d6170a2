#pragma once

// Turns the tasks of one group into steps. Temporaries and scratchpads live in the group's own scratch buffer and are
// reused from one operator to the next, so groups of a stage never share memory that is written.

#include "device/cpu/onednn/layout_choice.h"
#include "device/cpu/onednn/operator_slice.h"
#include "device/cpu/onednn/run_state.h"
#include "device/cpu/onednn/step.h"
#include "device/cpu/onednn/tuned_convolution.h"
#include "device/cpu/onednn/weight_store.h"
#include "device/kernel_tuning.h"
#include "schedule/rtasks/rprogram.h"

#include <functional>
#include <span>

namespace stagecraft::cpu {

class Emitter;

// What all emitters of a session share.
struct EmitContext {
    std::shared_ptr<const Graph> graph;
    dnnl::engine engine;
    plan::TensorPlan tensors;
    WeightStore weights;
    Preparing preparing; // never empty
    // For operators that oneDNN and the kernels of this folder do not execute; null: those are refused.
    Result<void> (*emitOthers)(Emitter &emitter, const Operator &op) = nullptr;
    std::shared_ptr<const TunedKernels> kernels = nullptr; // null: the library's alone
    // Called with every convolution that a kernel of our own could compute.
    std::function<void(const ConvolutionCase &)> onTunable = nullptr;
    bool isForValues = false; // what is compiled is to make values; otherwise only its time counts
    std::shared_ptr<RunState> state = std::make_shared<RunState>();
    // Of fused stages, before anything runs; null: they are not checked.
    Result<void> (*verifyProgram)(const Graph &graph, const RProgram &program, const ResidentUnits &resident) = nullptr;
    double leastSliceNs = 1000; // of the slices of a fused stage's operators: less is not worth waiting for
};

class Emitter {
public:
    // `places`: of the plan's tensors.
    Emitter(EmitContext &context, std::span<const Place> places, const plan::GroupScratch &scratch);

    // Errors name the operator.
    [[nodiscard]] Result<void> emit(const plan::OperatorTasks &op);

    // A slice of an operator, computed as `what`.
    [[nodiscard]] Result<void> emit(const plan::OperatorTasks &op, const Operator &what, OperatorSlice slice);

    [[nodiscard]] GroupSteps take(); // ends the group

    // For the functions that each emit one kind of operator.
    [[nodiscard]] const Graph &graph() const { return *m_context.graph; }
    [[nodiscard]] const EmitContext &context() const { return m_context; }
    [[nodiscard]] const plan::TensorPlan &tensors() const { return m_context.tensors; }
    [[nodiscard]] const dnnl::engine &engine() const { return m_context.engine; }
    [[nodiscard]] WeightStore &weights() { return m_context.weights; }
    [[nodiscard]] const std::shared_ptr<RunState> &runState() const { return m_context.state; }
    [[nodiscard]] const Place &place(TensorId tensor) const
    {
        return m_slice.output && tensor == m_sliced ? *m_slice.output : m_places[tensor.index()];
    }
    [[nodiscard]] const OperatorSlice &slice() const { return m_slice; }   // of the operator that is emitted
    [[nodiscard]] Place input() const { return placeOf(m_task->input()); } // of the task that is emitted
    [[nodiscard]] Place scratch(const Desc &desc);
    // For those who would emit what may lose that a value is no number: whether these are the steps that do not.
    [[nodiscard]] bool isCareful();
    void primitive(const dnnl::primitive &primitive, std::vector<Argument> arguments, const Desc &scratchpad);
    // Made when it first runs; then it may throw dnnl::error.
    void primitiveLater(MakePrimitive make, std::vector<Argument> arguments, const Desc &scratchpad);
    void host(HostKernel kernel, const std::vector<Place> &places);
    void dropSteps();                                                     // of the operator that is emitted
    void copy(const Place &from, const Place &to);                        // reorders where the layouts differ
    [[nodiscard]] Place inLayout(const Place &place, const Desc &wanted); // `place` itself if it has that layout

private:
    [[nodiscard]] Result<void> emitTasks(const plan::OperatorTasks &op, const Operator &what);
    [[nodiscard]] Result<void> emitCarefully(const plan::OperatorTasks &op, const Operator &what);
    void add(Step step, std::vector<Argument> arguments, const Desc &scratchpad);
    [[nodiscard]] Result<void> emitRun(const Operator &op);
    void roundOutputs(const Operator &op);

    EmitContext &m_context;
    std::span<const Place> m_places;
    plan::GroupScratch m_scratch;
    const plan::Task *m_task = nullptr;
    OperatorSlice m_slice;
    TensorId m_sliced; // the tensor of the operator that is sliced
    GroupSteps m_group;
    bool m_isCareful = false;
    bool m_mayLose = false; // of the operator that is emitted: whether its steps may lose that a value is no number
};

// Applies `activation` to `from` and writes to `to`, which may be the same place.
void emitActivation(Emitter &emitter, const Activation &activation, const Operator &owner, const Place &from,
                    const Place &to);

void emitJoin(Emitter &emitter, const Operator &owner, const plan::Task &task);
void emitSlice(Emitter &emitter, const plan::Task &task);
void emitMerged(Emitter &emitter, const plan::MergedOperator &merged, const Place &to);
void emitMergedConv(Emitter &emitter, const plan::MergedOperator &merged, const Place &to);
void emitMergedGemm(Emitter &emitter, const plan::MergedOperator &merged, const Place &to);

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
