// A kernel checks what it is given when it runs: every type of operator runs with operands that are left out, of other
// shapes, types and values than its own, and with outputs of other sizes than it makes. It refuses them, or computes
// within its tensors: what lies around the outputs stays as it is, and the sanitizers see what is read.

#include "model/onnx/convert/convert.h"
#include "model/onnx/file/node.h"
#include "operators/kernels/kernel.h"
#include "operators/schema.h"
#include "support/operator_rows.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <cstring>
#include <limits>
#include <onnx/onnx_pb.h>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_operands_at_run_time {

namespace {

constexpr std::byte kAround{0xA5};
constexpr std::size_t kGuard = 64;

// What a node is called with: every operand comes at run time.
struct Call {
    NodeFacts node;
    std::vector<std::optional<TensorValue>> inputs;
    std::vector<Dims> outputs; // their shapes
    std::vector<DataType> types;
};

TensorValue filled(DataType type, const Dims &dims, float least)
{
    TensorValue tensor = newTensor(type, dims);
    TensorValue reals = newTensor(DataType::Float32, dims);
    float next = least;
    for (float &value : reals.view.as<float>()) {
        value = next;
        next = next > least + 0.7F ? least : next + 0.07F;
    }
    convertValues(reals.view, tensor.view);
    return tensor;
}

void putOperand(Call &call, std::size_t place, TensorValue tensor)
{
    call.node.inputs[place] =
        OperandFacts{TensorId::fromIndex(place), Shape{tensor.view.dims}, tensor.view.type, nullptr};
    call.inputs[place] = std::move(tensor);
}

// The row's node, with the sizes that it makes of its operands; empty if the program does not know them.
std::optional<Call> callOf(const std::string &type, const Recipe &recipe)
{
    onnx::ModelProto model;
    if (!model.ParseFromString(modelOf(type, recipe)))
        return std::nullopt;
    const onnx::GraphProto &graph = model.graph();
    const auto proto = std::ranges::find(graph.node(), std::string("the operator"), &onnx::NodeProto::name);
    Call call;
    call.node.type = typeOf(*proto);
    call.node.opset = 13;
    call.node.attributes = attributesOf(*proto);
    call.node.outputCount = static_cast<std::size_t>(proto->output_size());
    call.node.inputs.resize(static_cast<std::size_t>(proto->input_size()));
    call.inputs.resize(call.node.inputs.size());
    NodeFacts known = call.node;
    for (int i = 0; i < proto->input_size(); ++i) {
        const auto place = static_cast<std::size_t>(i);
        const auto isNamed = [&](const auto &each) { return each.name() == proto->input(i); };
        const auto constant = std::ranges::find_if(graph.initializer(), isNamed);
        TensorValue tensor;
        if (constant != graph.initializer().end()) {
            const auto decoded = decodeTensor(*constant, {});
            if (!decoded)
                return std::nullopt;
            tensor = tensorOf(*decoded);
        } else {
            Dims dims;
            for (const auto &dim : std::ranges::find_if(graph.input(), isNamed)->type().tensor_type().shape().dim())
                dims.push_back(dim.dim_value());
            tensor = filled(DataType::Float32, dims, recipe.least);
        }
        const auto held = std::make_shared<const Constant>(constantOf(tensor.view, tensor.view.type));
        known.inputs[place] = OperandFacts{{}, Shape{held->dims}, held->type, held, nullptr};
        putOperand(call, place, std::move(tensor));
    }
    const auto shapes = inferShapes(known);
    if (!shapes || !*shapes)
        return std::nullopt;
    for (std::size_t i = 0; i < call.node.outputCount; ++i) {
        if (!(**shapes)[i].known)
            return std::nullopt;
        call.outputs.push_back((**shapes)[i].dims);
        call.types.push_back(kernelType(resultType(known, i)));
    }
    return call;
}

struct Ran {
    Result<void> done;
    bool staysWithin = true;
};

Ran ran(const Call &call)
{
    KernelCall called{call.node, {}, {}};
    for (const auto &input : call.inputs)
        called.inputs.push_back(input ? std::optional(input->view) : std::nullopt);
    std::vector<std::vector<std::byte>> memory;
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
        TensorView view{call.types[i], call.outputs[i], nullptr};
        sizes.push_back(static_cast<std::size_t>(view.size() * sizeBytes(view.type)));
        memory.emplace_back(sizes.back() + 2 * kGuard, kAround);
        view.data = memory.back().data() + kGuard;
        called.outputs.emplace_back(view);
    }
    Ran result{runKernel(called)};
    for (std::size_t i = 0; i < memory.size(); ++i) {
        const auto isUntouched = [](std::byte value) { return value == kAround; };
        const auto end = memory[i].begin() + static_cast<std::ptrdiff_t>(kGuard + sizes[i]);
        result.staysWithin = result.staysWithin &&
                             std::all_of(memory[i].begin(), memory[i].begin() + kGuard, isUntouched) &&
                             std::all_of(end, memory[i].end(), isUntouched);
    }
    return result;
}

std::vector<Dims> otherShapes(const Dims &dims)
{
    std::vector<Dims> others{{}, {0}, {1}, {3}, {2, 2}, {1, 1, 1, 1, 1}};
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        for (const std::int64_t size : {std::int64_t{0}, dims[axis] - 1, dims[axis] + 1}) {
            others.push_back(dims);
            others.back()[axis] = std::max<std::int64_t>(0, size);
        }
    }
    others.push_back(dims);
    others.back().push_back(1);
    others.push_back(dims);
    others.back().insert(others.back().begin(), 2);
    if (!dims.empty())
        others.emplace_back(dims.begin() + 1, dims.end());
    std::erase(others, dims);
    return others;
}

constexpr std::array kTypes{DataType::Float32, DataType::Float64, DataType::Int64,
                            DataType::Int8,    DataType::UInt8,   DataType::Bool};
constexpr std::array kValues{-1.0,
                             0.0,
                             1.0,
                             7.0,
                             -1e6,
                             1e18,
                             -1e18,
                             std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()};

TensorValue with(const TensorView &like, double value, DataType type)
{
    TensorValue reals = newTensor(DataType::Float64, like.dims);
    std::ranges::fill(reals.view.as<double>(), value);
    TensorValue tensor = newTensor(type, like.dims);
    convertValues(reals.view, tensor.view);
    return tensor;
}

} // namespace

class TestOperandsAtRunTime : public QObject {
    Q_OBJECT

private slots:
    void runKernel_otherOperands_refusesOrStaysWithin_data();
    void runKernel_otherOperands_refusesOrStaysWithin();
    void runKernel_otherSizesThanDeclared_refuses_data() { runKernel_otherOperands_refusesOrStaysWithin_data(); }
    void runKernel_otherSizesThanDeclared_refuses();
};

void TestOperandsAtRunTime::runKernel_otherOperands_refusesOrStaysWithin_data()
{
    QTest::addColumn<QString>("type");
    for (const std::string &type : knownNodeTypes()) {
        if (hasKernel(type))
            QTest::newRow(type.c_str()) << QString::fromStdString(type);
    }
}

void TestOperandsAtRunTime::runKernel_otherOperands_refusesOrStaysWithin()
{
    QFETCH(const QString, type);
    const auto row = operatorRows().find(type.toStdString());
    QVERIFY(row != operatorRows().end());
    const auto call = callOf(type.toStdString(), row->second.recipe);
    QVERIFY(call);
    const Ran plain = ran(*call);
    QVERIFY(plain.staysWithin);
    const bool isRefused =
        !plain.done && plain.done.error().message.find("there is no kernel of") != std::string::npos; // of real numbers
    QVERIFY2(plain.done || isRefused, plain.done ? "" : plain.done.error().message.c_str());
    const auto tried = [&](const Call &other) {
        const Ran result = ran(other);
        QVERIFY(result.staysWithin);
        QVERIFY(result.done || !result.done.error().message.empty());
    };
    for (std::size_t place = 0; place < call->inputs.size(); ++place) {
        Call other = *call;
        other.inputs[place].reset();
        other.node.inputs[place].reset();
        tried(other);
        const TensorView &own = call->inputs[place]->view;
        for (const Dims &dims : otherShapes(own.dims)) {
            other = *call;
            putOperand(other, place, filled(own.type, dims, row->second.recipe.least));
            tried(other);
        }
        for (const DataType operand : kTypes) {
            other = *call;
            putOperand(other, place, filled(operand, own.dims, 1));
            tried(other);
        }
        for (const double value : kValues) {
            for (const DataType operand : {own.type, DataType::Int64}) {
                other = *call;
                putOperand(other, place, with(own, value, operand));
                tried(other);
            }
        }
    }
}

void TestOperandsAtRunTime::runKernel_otherSizesThanDeclared_refuses()
{
    QFETCH(const QString, type);
    const auto call = callOf(type.toStdString(), operatorRows().at(type.toStdString()).recipe);
    QVERIFY(call);
    for (std::size_t i = 0; i < call->outputs.size(); ++i) {
        for (const Dims &dims : otherShapes(call->outputs[i])) {
            Call other = *call;
            other.outputs[i] = dims;
            const Ran result = ran(other);
            QVERIFY(!result.done);
            QVERIFY(result.staysWithin);
            QVERIFY2(QString::fromStdString(result.done.error().message).contains("was expected"),
                     result.done.error().message.c_str());
        }
        Call other = *call;
        other.types[i] = other.types[i] == DataType::Int64 ? DataType::UInt8 : DataType::Int64;
        QVERIFY(!ran(other).done);
    }
}

STAGECRAFT_SUITE(TestOperandsAtRunTime)

} // namespace tst_operands_at_run_time
#include "tst_operands_at_run_time.moc"
