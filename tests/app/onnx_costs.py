"""Arithmetic and parameters of an ONNX file, counted by themselves: shapes are those that ONNX Runtime computes.

By the definitions that the program states: multiply-adds times two, one operation per element of the output of what
works element by element, per element of the window of pooling; parameters are numbers that are not integers, weights of
quantised operators included, shared ones once.
"""
import collections

import numpy as np
import onnx
from onnx import numpy_helper

Costs = collections.namedtuple("Costs", "flops products parameters")

ELEMENTS = set("""Exp Log Sqrt Reciprocal Abs Neg Floor Ceil Round Sign Erf Sin Cos Tan Not Add Sub Mul Div Pow Min Max
    Mean Sum Where Mod Equal Greater GreaterOrEqual Less LessOrEqual And Or Xor Relu LeakyRelu Sigmoid Tanh HardSwish
    HardSigmoid Elu Gelu Selu Celu Softplus Softsign Mish Clip PRelu InstanceNormalization LayerNormalization
    GroupNormalization LRN LpNormalization MeanVarianceNormalization ReduceMean ReduceSum ReduceMax ReduceMin ReduceProd
    ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare ArgMax ArgMin QuantizeLinear DequantizeLinear
    DynamicQuantizeLinear QuickGelu FastGelu BiasGelu SkipLayerNormalization""".split())
CELLS = {"LSTM": 4, "GRU": 3, "RNN": 1}


def attribute(node, name, fallback=None):
    for entry in node.attribute:
        if entry.name == name:
            return onnx.helper.get_attribute_value(entry)
    return fallback


def shapes_of(model, values):
    """Of all tensors of the main graph, by name."""
    import onnxruntime
    shapes = {entry.name: list(entry.dims) for entry in model.graph.initializer}
    shapes.update({name: list(value.shape) for name, value in values.items()})
    for node in model.graph.node:
        if node.op_type == "Constant":
            value = attribute(node, "value")
            shapes[node.output[0]] = list(value.dims) if value is not None else []
    extended = onnx.ModelProto()
    extended.CopyFrom(model)
    there = {entry.name for entry in model.graph.output}
    for node in model.graph.node:
        for name in node.output:
            if name and name not in there and node.op_type != "Constant":
                extended.graph.output.append(onnx.ValueInfoProto(name=name))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(extended.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [entry.name for entry in session.get_outputs()]
    for name, value in zip(names, session.run(None, values)):
        shapes[name] = list(np.shape(value))
    return shapes


def size(dims):
    return int(np.prod(dims, dtype=np.int64)) if dims is not None else 0


def products(node, shapes):
    """Multiply-adds of one node."""
    kind = node.op_type
    ins = [shapes.get(name) for name in node.input]
    out = shapes.get(node.output[0])
    weight = 3 if kind.startswith("QLinear") else 1
    if kind in ("Conv", "FusedConv", "ConvInteger", "QLinearConv"):
        return size(out) * size(ins[weight][1:])
    if kind == "ConvTranspose":
        return size(ins[0]) * size(ins[1][1:])
    if kind in ("MatMul", "FusedMatMul", "MatMulInteger", "QLinearMatMul", "DynamicQuantizeMatMul", "MatMulIntegerToFloat"):
        return size(out) * ins[0][-1]
    if kind in ("Gemm", "QGemm"):
        return size(out) * ins[0][0 if attribute(node, "transA", 0) else 1]
    if kind == "Einsum":
        left = attribute(node, "equation").decode().replace(" ", "").split("->")[0].split(",")
        sizes = {}
        for letters, dims in zip(left, ins):
            letters = letters.replace("...", "".join(chr(200 + i) for i in range(len(dims) - len(letters.replace("...", "")))))
            sizes.update(zip(letters, dims))
        return size(list(sizes.values())) if len(left) > 1 else 0
    if kind == "Attention" and len(ins[0]) == 4:
        return size(ins[0]) * ins[1][2] + size(ins[0][:3]) * ins[1][2] * ins[2][3]
    if kind in CELLS:
        length, batch, inputs = ins[0]
        directions, rows, _ = ins[1]
        return length * batch * directions * rows * (inputs + ins[2][2])
    return 0


def others(node, shapes):
    kind = node.op_type
    out = size(shapes.get(node.output[0]))
    if kind in ELEMENTS:
        return out
    if kind in ("MaxPool", "AveragePool", "LpPool"):
        return out * size(attribute(node, "kernel_shape"))
    if kind in ("GlobalMaxPool", "GlobalAveragePool"):
        return size(shapes.get(node.input[0]))
    return 0


def folds(model):
    """Names that need no input: nodes that only read constants are no work."""
    known = {entry.name for entry in model.graph.initializer} | {""}
    for node in model.graph.node:
        if all(name in known for name in node.input) and node.op_type not in ("RandomNormal", "RandomUniform"):
            known.update(node.output)
    return known


def parameters_of(model, shapes):
    values = {entry.name: entry for entry in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant" and attribute(node, "value") is not None:
            values[node.output[0]] = attribute(node, "value")
    makers = {name: node for node in model.graph.node for name in node.output}
    total, seen = 0, set()
    for node in model.graph.node:
        if node.op_type == "BatchNormalization":  # what remains where a convolution takes it
            before = makers.get(node.input[0])
            total += 0 if before is not None and before.op_type == "Conv" and len(before.input) > 2 else size(shapes[node.input[1]])
            continue
        for place, name in enumerate(node.input):
            entry = values.get(name)
            if entry is None or name in seen:
                continue
            is_weight = entry.data_type in (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, onnx.TensorProto.DOUBLE,
                                            onnx.TensorProto.BFLOAT16)
            is_scale = "Quantize" in node.op_type or "quantize" in node.op_type or node.op_type.startswith("QLinear")
            is_scale = is_scale and is_weight
            is_small = entry.data_type in (onnx.TensorProto.INT8, onnx.TensorProto.UINT8)
            if (is_weight and not is_scale and node.op_type not in ("Resize", "Upsample")) or (is_small and size(entry.dims) > 1):
                seen.add(name)
                total += size(entry.dims)
    return total


def costs_of(path, values):
    model = onnx.load(path)
    if model.functions:
        from onnx.inliner import inline_local_functions
        model = inline_local_functions(model)
    shapes = shapes_of(model, values)
    known = folds(model)
    product = rest = 0
    for node in model.graph.node:
        if node.output[0] in known:
            continue
        product += 2 * products(node, shapes)
        rest += others(node, shapes)
    return Costs(product + rest, product, parameters_of(model, shapes))
