"""Arithmetic and parameters of an ONNX file, counted by themselves: shapes are those that ONNX Runtime computes.

By the definitions that the program states: multiply-adds times two, one operation per element of the output of what
works element by element, per element of the window of pooling and of what is reduced, and for an activation as many as
the simpler nodes that it is defined by. Parameters are constants that remain for what is computed from inputs (a table
that is gathered from a smaller one counts as it is read): numbers that are not integers, weights of quantised operators
included, shared ones once.
"""
import collections

import numpy as np
import onnx
from onnx import numpy_helper

Costs = collections.namedtuple("Costs", "flops products parameters")

ELEMENTS = set("""Exp Log Sqrt Reciprocal Abs Neg Floor Ceil Round Sign Erf Sin Cos Tan Not Add Sub Mul Div Pow Min Max
    Mean Sum Where Mod Equal Greater GreaterOrEqual Less LessOrEqual And Or Xor Relu LeakyRelu Sigmoid Tanh HardSwish
    HardSigmoid Elu Gelu Selu Celu Softplus Softsign Mish Clip PRelu InstanceNormalization LayerNormalization
    GroupNormalization LRN LpNormalization MeanVarianceNormalization QuantizeLinear DequantizeLinear
    DynamicQuantizeLinear Softmax LogSoftmax QuickGelu FastGelu BiasGelu SkipLayerNormalization""".split())
# Operations per element of activations that stand for several nodes: HardSigmoid is Mul, Add, Clip; HardSwish that and
# Mul; Mish Softplus, Tanh, Mul; Gelu Div, Erf, Add, Mul, Mul; QuickGelu Mul, Sigmoid, Mul.
SEVERAL = {"HardSigmoid": 3, "HardSwish": 4, "Mish": 3, "Gelu": 5, "BiasGelu": 6, "FastGelu": 5, "QuickGelu": 3}
CELLS = {"LSTM": 4, "GRU": 3, "RNN": 1}


def attribute(node, name, fallback=None):
    for entry in node.attribute:
        if entry.name == name:
            return onnx.helper.get_attribute_value(entry)
    return fallback


def shapes_of(model, values):
    """Of all tensors of the main graph, by name, and the names of those that are real numbers and not constants of the
    file."""
    import onnxruntime
    shapes = {entry.name: list(entry.dims) for entry in model.graph.initializer}
    reals = set()
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
        if getattr(value, "dtype", np.dtype(bool)).kind == "f":
            reals.add(name)
    return shapes, reals


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
        return SEVERAL.get(kind, 1) * out
    if kind in ("MaxPool", "AveragePool", "LpPool"):
        return out * size(attribute(node, "kernel_shape"))
    if kind in ("GlobalMaxPool", "GlobalAveragePool", "ArgMax", "ArgMin") or kind.startswith("Reduce"):
        return size(shapes.get(node.input[0]))
    return 0


def folds(model):
    """Names that need no input: nodes that only read constants, or sizes that no value decides, are no work."""
    known = {entry.name for entry in model.graph.initializer} | {""}
    varying = set()
    for node in model.graph.node:
        if node.op_type in ("NonZero", "NonMaxSuppression", "Compress", "Unique", "If", "Loop") or varying & set(node.input):
            varying.update(node.output)
        elif node.op_type in ("Shape", "Size") or (node.op_type not in ("RandomNormal", "RandomUniform") and
                                                   all(name in known for name in node.input)):
            known.update(node.output)
    return known


def parameters_of(model, shapes, reals, known):
    values = {entry.name: entry for entry in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant" and attribute(node, "value") is not None:
            values[node.output[0]] = attribute(node, "value")
    makers = {name: node for node in model.graph.node for name in node.output}

    def original(name):
        while name in makers and makers[name].op_type == "Identity":
            name = makers[name].input[0]
        return name

    def is_weight(node, name):
        if name not in known or not name:
            return False
        entry = values.get(name)
        if entry is None:
            return name in reals
        if entry.data_type in (onnx.TensorProto.INT8, onnx.TensorProto.UINT8):
            return size(entry.dims) > 1
        is_scale = "Quantize" in node.op_type or "quantize" in node.op_type or node.op_type.startswith("QLinear")
        return not is_scale and entry.data_type in (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16,
                                                    onnx.TensorProto.DOUBLE, onnx.TensorProto.BFLOAT16)

    total, seen = 0, set()
    for node in model.graph.node:
        if node.output[0] in known or node.op_type in ("Resize", "Upsample"):
            continue
        if node.op_type == "BatchNormalization":  # what remains where a convolution takes it
            before = makers.get(node.input[0])
            total += 0 if before is not None and before.op_type == "Conv" and len(before.input) > 2 else size(shapes[node.input[1]])
            continue
        for name in map(original, node.input):
            if name not in seen and is_weight(node, name):
                seen.add(name)
                total += size(shapes[name])
    return total


def costs_of(path, values):
    model = onnx.load(path)
    if model.functions:
        from onnx.inliner import inline_local_functions
        model = inline_local_functions(model)
    shapes, reals = shapes_of(model, values)
    known = folds(model)
    product = rest = 0
    for node in model.graph.node:
        if node.output[0] in known:
            continue
        product += 2 * products(node, shapes)
        rest += others(node, shapes)
    return Costs(product + rest, product, parameters_of(model, shapes, reals, known))
