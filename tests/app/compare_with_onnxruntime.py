"""Executes models with stagecraft-cli run and with ONNX Runtime, and compares the outputs.

usage: compare_with_onnxruntime.py STAGECRAFT_CLI operators TYPE... | model NAME_OR_FILE.onnx [SCHEDULE.json...] |
       light FILE.onnx (whose weights are constants; it gets random ones)
Prints one line per comparison; exit status 1 if any differs by more than 1e-4 of the largest magnitude, or if a TYPE is
compared nowhere.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.backend.test.case.node import collect_testcases

BOUND = 1e-4
IMAGE = [2, 16, 9, 7]


def single(node_type, shapes, constants=(), outputs=1, opset=13, before="Conv", places=None, unused=0, **attributes):
    """A model of one operator: tensors first, constants behind (None leaves a place empty), unless `places` gives the
    order of both. `unused`: further outputs that nobody reads. `before` stands in front of an image, so that the operator meets a blocked layout there."""
    inputs = [helper.make_tensor_value_info(f"x{i}", TensorProto.FLOAT, s) for i, s in enumerate(shapes)]
    arguments = [f"x{i}" for i in range(len(shapes))]
    weights = []
    for i, constant in enumerate(constants):
        if constant is None:
            arguments.append("")
            continue
        arguments.append(f"c{i}")
        weights.append(numpy_helper.from_array(np.asarray(constant), f"c{i}"))
    results = [f"y{i}" for i in range(outputs)]
    further = [f"unused{i}" for i in range(unused)]
    domain, _, plain = node_type.rpartition("::")
    node = helper.make_node(plain, places or arguments, results + further, name="op", domain=domain or None, **attributes)
    nodes = [node]
    if before == "Conv" and len(shapes[0]) == 4 and node_type != "Conv":
        channels = shapes[0][1]
        rng = np.random.default_rng(3)
        weights.append(numpy_helper.from_array(
            (rng.standard_normal([channels, channels, 3, 3]) / channels).astype(np.float32), "before"))
        nodes.insert(0, helper.make_node("Conv", ["x0", "before"], ["t0"], name="conv", pads=[1, 1, 1, 1]))
    elif before not in ("", "Conv"):
        nodes.insert(0, helper.make_node(before, ["x0"], ["t0"], name="before"))
    if len(nodes) > 1:
        for i, name in enumerate(node.input):
            node.input[i] = "t0" if name == "x0" else name
    graph = helper.make_graph(nodes, "single", inputs,
                              [helper.make_tensor_value_info(r, TensorProto.FLOAT, None) for r in results], weights)
    imports = [helper.make_opsetid("", opset)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def integer_product():
    """Integers made of the input, times constant ones, with scales."""
    weights = np.random.default_rng(2).integers(0, 255, (4, 5)).astype(np.uint8)
    model = single("com.microsoft::MatMulIntegerToFloat", [[3, 4]],
                   [weights, np.float32([0.02]), np.float32([0.01]), np.uint8([100]), np.uint8([120]), np.ones(5, np.float32)],
                   before="")
    model.graph.node[0].input[0] = "integers"
    model.graph.node.insert(0, helper.make_node("QuantizeLinear", ["x0", "c1", "c3"], ["integers"], name="before"))
    return model


def quantised(shape, nodes, constants, output="result"):
    """Nodes behind an input of integers of 8 bits (`x`, by the scale `sx` and the zero point `zx`), with a cast of
    `output` to float32 behind them."""
    constants = {"sx": np.float32(0.02), "zx": np.uint8(100), **constants}
    first = helper.make_node("QuantizeLinear", ["x0", "sx", "zx"], ["x"], name="before")
    last = helper.make_node("Cast", [output], ["y0"], name="after", to=TensorProto.FLOAT)
    info = lambda name, dims: helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
    graph = helper.make_graph([first, *nodes, last], "quantised", [info("x0", shape)], [info("y0", None)],
                              [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()])
    imports = [helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def quantised_models():
    random = np.random.default_rng(4)
    numbers = lambda *shape: random.integers(0, 255, shape).astype(np.uint8)
    scales = lambda *shape: random.uniform(0.01, 0.03, shape).astype(np.float32)
    node = lambda kind, inputs, outputs, **attributes: helper.make_node(kind, inputs, outputs, name="op", **attributes)
    yield "MatMulInteger, zero points by batch and column", quantised(
        [3, 2, 4], [node("MatMulInteger", ["x", "w", "zx", "zw"], ["result"])],
        {"w": numbers(3, 4, 5), "zw": numbers(3, 1, 5)})
    yield "QLinearMatMul, scales by batch and column", quantised(
        [2, 3, 4], [node("QLinearMatMul", ["x", "sx", "zx", "w", "sw", "zw", "sy", "zy"], ["result"])],
        {"w": numbers(2, 4, 4), "sw": scales(2, 1, 4), "zw": numbers(2, 1, 4), "sy": np.float32(0.1),
         "zy": np.uint8(120)})
    yield "QGemm, transposed, by column", quantised(
        [3, 4], [node("QGemm", ["x", "sx", "zx", "w", "sw", "zw", "c"], ["result"], domain="com.microsoft", transB=1,
                      alpha=0.5)],
        {"w": numbers(5, 4), "sw": scales(5), "zw": numbers(5), "c": random.integers(-900, 900, 5).astype(np.int32)})
    yield "DynamicQuantizeLinear of zeros", quantised(
        [3, 4], [helper.make_node("Sub", ["x0", "x0"], ["zeros"], name="zeros"),
                 node("DynamicQuantizeLinear", ["zeros"], ["integers", "result", "zero_point"])], {})


def of_doubles(model):
    """The same operator between a cast to doubles and one back."""
    node = model.graph.node[0]
    node.input[0], node.output[0] = "doubles", "results"
    cast = lambda source, result, to: helper.make_node("Cast", [source], [result], name=result, to=to)
    model.graph.node.insert(0, cast("x0", "doubles", TensorProto.DOUBLE))
    model.graph.node.append(cast("results", "y0", TensorProto.FLOAT))
    return model


def digits_of_doubles():
    """A number that float32 rounds to 1, and one beyond its range; folded, too: x * ((1 + 2^-40) * 2^200 - 2^200) / 2^160."""
    constants = {"factor": 1 + 2.0 ** -40, "large": 2.0 ** 200, "back": 2.0 ** -160}
    cast = lambda source, result, to: helper.make_node("Cast", [source], [result], name=result, to=to)
    node = lambda kind, operands, result: helper.make_node(kind, operands, [result], name=result)
    nodes = [node("Mul", ["factor", "large"], "folded"), cast("x0", "doubles", TensorProto.DOUBLE),
             node("Mul", ["doubles", "folded"], "products"), node("Mul", ["doubles", "large"], "without"),
             node("Sub", ["products", "without"], "rest"), node("Mul", ["rest", "back"], "op"),
             cast("op", "y0", TensorProto.FLOAT)]
    graph = helper.make_graph(nodes, "doubles", [helper.make_tensor_value_info("x0", TensorProto.FLOAT, [3, 4])],
                              [helper.make_tensor_value_info("y0", TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(np.float64(value), name) for name, value in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def hard_sigmoid_of_more_axes():
    """Relu6(x + 3) / 6, where the last number has more axes than the tensor."""
    numbers = [np.float32(3), np.float32(0), np.float32(6), np.full([1, 1, 1], 6, dtype=np.float32)]
    model = single("Div", [[2, 4]], numbers, places=["clipped", "c3"], before="")
    for kind, operands, result in [("Clip", ["shifted", "c1", "c2"], "clipped"), ("Add", ["x0", "c0"], "shifted")]:
        model.graph.node.insert(0, helper.make_node(kind, operands, [result], name=result))
    return model


def operator_models():
    f = lambda *shape: np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    i = lambda *values: np.array(values, dtype=np.int64)
    for kind in ["Add", "Sub", "Mul", "Div", "Max", "Min"]:
        yield kind, single(kind, [IMAGE, IMAGE])
        yield kind + " by channel", single(kind, [IMAGE], [np.abs(f(1, 16, 1, 1)) + 0.5])
        yield kind + " by a number", single(kind, [IMAGE], [np.float32(1.5)])
        yield kind + " with a gate", single(kind, [IMAGE, [2, 16, 1, 1]])
        yield kind + " of rows", single(kind, [[3, 5], [5]])
        yield kind + " of a number and rows", single(kind, [[3, 5]], [f(2, 1, 1)], places=["c0", "x0"])
    for kind in ["Sum", "Mean"]:
        yield kind, single(kind, [IMAGE, IMAGE, IMAGE])
        yield kind + " of rows and a gate", single(kind, [[2, 3, 5], [5], [2, 1, 1]])
    yield "Pow", single("Pow", [[3, 4]], [np.float32(2)])
    yield "Mod", single("Mod", [[3, 4], [3, 4]], fmod=1)
    yield "Where", single("Where", [IMAGE, IMAGE], [f(16, 1, 1) > 0], places=["c0", "x0", "x1"])
    yield "Where of a number", single("Where", [[3, 4]], [f(3, 1) > 0, np.float32(-1)], places=["c0", "c1", "x0"])
    for kind in ["Abs", "Neg", "Floor", "Ceil", "Round", "Sign", "Erf", "Exp", "Sin", "Cos", "Softplus", "Softsign", "Tan", "Asin",
                 "Acos", "Atan", "Sinh", "Cosh"]:
        yield kind, single(kind, [IMAGE], before="Sin" if kind in ("Asin", "Acos") else "Conv")
    for kind in ["Log", "Sqrt", "Reciprocal"]:
        yield kind, single(kind, [IMAGE], before="Exp")
    for kind in ["Relu", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish", "LeakyRelu", "Elu"]:
        yield kind, single(kind, [IMAGE], opset=14)
    for kind in ["Selu", "Celu", "ThresholdedRelu", "Mish", "Shrink", "Gelu"]:
        yield kind, single(kind, [IMAGE], opset=20)
    yield "Selu of its own", single("Selu", [IMAGE], alpha=1.5, gamma=0.9)
    yield "Celu of its own", single("Celu", [IMAGE], alpha=0.3)
    yield "ThresholdedRelu of its own", single("ThresholdedRelu", [IMAGE], alpha=0.1)
    yield "Shrink of its own", single("Shrink", [IMAGE], lambd=0.1, bias=0.05)
    yield "Gelu by tanh", single("Gelu", [IMAGE], opset=20, approximate="tanh")
    yield "HardSigmoid of its own", single("HardSigmoid", [IMAGE], alpha=0.3, beta=0.4)
    yield "Elu of its own", single("Elu", [IMAGE], alpha=0.4)
    yield "PRelu of positions", single("PRelu", [IMAGE], [np.abs(f(16, 9, 7))])
    yield "PRelu", single("PRelu", [IMAGE], [np.abs(f(16, 1, 1))])
    yield "Clip", single("Clip", [IMAGE], [np.float32(-0.1), np.float32(0.2)])
    yield "Clip from below", single("Clip", [IMAGE], [np.float32(-0.1)])
    yield "Clip to 6", single("Clip", [IMAGE], [np.float32(0), np.float32(6)], before="Exp")
    yield "Clip, attributes", single("Clip", [IMAGE], opset=6, min=-0.1, max=0.2)
    yield "Clip, computed bounds", single("Clip", [IMAGE, [], []])
    yield "Clip, a computed bound", single("Clip", [IMAGE, []], [None], places=["x0", "", "x1"])
    yield "Softmax", single("Softmax", [[3, 7]], axis=-1)
    yield "Softmax of channels", single("Softmax", [IMAGE], axis=1)
    yield "LogSoftmax", single("LogSoftmax", [[3, 7]], axis=1)
    yield "LogSoftmax of channels", single("LogSoftmax", [IMAGE], axis=1)
    yield "Softmax of all behind its axis", single("Softmax", [[3, 7, 1, 1]], opset=11, before="")
    yield "Flatten", single("Flatten", [IMAGE], axis=2)
    yield "Reshape", single("Reshape", [IMAGE], [i(0, 4, -1)])
    yield "Squeeze", single("Squeeze", [[3, 1, 5, 1]], [i(1, -1)], before="")
    yield "Squeeze, attribute", single("Squeeze", [[3, 1, 5, 1]], opset=11, before="", axes=[1])
    yield "Unsqueeze", single("Unsqueeze", [IMAGE], [i(0, 3)])
    yield "Identity", single("Identity", [IMAGE])
    yield "Dropout", single("Dropout", [IMAGE])
    yield "Dropout, its mask unused", single("Dropout", [IMAGE], unused=1)
    yield "MaxPool, its places unused", single("MaxPool", [IMAGE], kernel_shape=[3, 3], unused=1)
    yield "LayerNormalization, its mean unused", single("LayerNormalization", [[3, 5, 8]], [f(8), f(8)], opset=17,
                                                        unused=2)
    yield "Cast", single("Cast", [IMAGE], to=TensorProto.FLOAT)
    yield "Transpose of a number", single("Transpose", [[]], before="")
    yield "Transpose", single("Transpose", [IMAGE], perm=[0, 2, 3, 1])
    yield "DepthToSpace", single("DepthToSpace", [IMAGE], blocksize=2)
    yield "DepthToSpace CRD", single("DepthToSpace", [IMAGE], blocksize=2, mode="CRD")
    yield "SpaceToDepth", single("SpaceToDepth", [[1, 16, 8, 6]], blocksize=2)
    yield "Slice", single("Slice", [IMAGE], [i(2, 1), i(14, 100), i(1, 2), i(3, 2)])
    yield "Slice backwards", single("Slice", [IMAGE], [i(-1), i(-100), i(2), i(-2)])
    yield "Gather", single("Gather", [IMAGE], [i(3, 0, -1)], axis=1)
    yield "Slice, attributes", single("Slice", [IMAGE], opset=9, starts=[2, -3], ends=[14, 100], axes=[1, 3])
    yield "Gather of one", single("Gather", [IMAGE], [np.array(2, dtype=np.int64)], axis=2)
    yield "Gather of a table", single("Gather", [IMAGE], [np.array([[3, 0, -1], [1, 1, 2]], dtype=np.int64)], axis=1)
    yield "Split evenly", single("Split", [IMAGE], outputs=2, opset=18, axis=1, num_outputs=2)
    yield "Split", single("Split", [IMAGE], [i(4, 12)], outputs=2, axis=1)
    yield "Pad", single("Pad", [IMAGE], [i(0, 0, 1, 2, 0, 0, 0, 3), np.float32(0.5)])
    yield "Pad reflect", single("Pad", [IMAGE], [i(0, 0, 1, 2, 0, 0, 2, 3)], mode="reflect")
    yield "Pad edge", single("Pad", [IMAGE], [i(0, 0, 1, 2, 0, 0, 2, 3)], mode="edge")
    yield "Pad wrap", single("Pad", [IMAGE], [i(0, 0, 1, 2, 0, 0, 2, 3)], opset=19, mode="wrap")
    yield "Pad of two axes", single("Pad", [IMAGE], [i(1, 2, 0, 3), np.float32(0.5), i(-2, 3)], opset=18)
    yield "Pad, cut off", single("Pad", [IMAGE], [i(0, 0, -1, 2, 0, -3, 2, -3)])
    yield "Pad, attributes", single("Pad", [IMAGE], opset=9, pads=[0, 0, 1, 2, 0, 0, 2, 3], value=0.5)
    yield "Pad of doubles, attributes", of_doubles(single("Pad", [[2, 3]], opset=10, before="", pads=[0, 1, 2, 0], value=0.7))
    yield "Tile", single("Tile", [IMAGE], [i(1, 2, 1, 3)])
    yield "Expand", single("Expand", [[2, 16, 1, 1]], [i(2, 16, 3, 4)])
    yield "Expand to fewer", single("Expand", [IMAGE], [i(9, 1)])
    yield "Concat", single("Concat", [IMAGE, IMAGE], axis=1)
    yield "Concat with a constant", single("Concat", [IMAGE], [f(2, 3, 9, 7)], axis=1)
    yield "Concat of numbers", single("Concat", [[3, 5], [3, 2]], axis=1)
    yield "Concat of rows", single("Concat", [IMAGE, IMAGE], axis=2)
    for mode in ["asymmetric", "half_pixel", "align_corners", "pytorch_half_pixel"]:
        size = np.array([1, 1, 2, 3], dtype=np.float32)
        empty = np.array([], dtype=np.float32)
        yield f"Resize linear {mode}", single("Resize", [IMAGE], [empty, size], mode="linear",
                                              coordinate_transformation_mode=mode)
        yield f"Resize nearest {mode}", single("Resize", [IMAGE], [empty, size], mode="nearest",
                                               coordinate_transformation_mode=mode, nearest_mode="floor")
    yield "GlobalLpPool", single("GlobalLpPool", [IMAGE], p=2)
    yield "MaxRoiPool", single("MaxRoiPool", [[1, 3, 9, 7]], [np.array([[0, 0, 0, 4, 5], [0, 1, 2, 6, 8]], dtype=np.float32)],
                               before="", pooled_shape=[2, 2], spatial_scale=1.0)
    for mode in ["linear", "nearest"]:
        yield f"Upsample {mode}", single("Upsample", [IMAGE], [np.array([1, 1, 2, 3], dtype=np.float32)], opset=9,
                                         mode=mode)
        yield f"Resize {mode}, opset 10", single("Resize", [IMAGE], [np.array([1, 1, 2, 3], dtype=np.float32)],
                                                 opset=10, mode=mode)
        for name, scales in [("smaller", [1, 1, 0.6, 0.6]), ("smaller and larger", [1, 1, 0.6, 2])]:
            yield f"Resize {mode}, opset 10, {name}", single("Resize", [IMAGE], [np.array(scales, dtype=np.float32)],
                                                             opset=10, mode=mode)
        yield f"Resize {mode} to a size", single("Resize", [IMAGE], [None, None, i(2, 16, 5, 16)], mode=mode)
        yield f"Resize {mode} of two axes", single(
            "Resize", [IMAGE], [None, np.array([0.6, 2.3], dtype=np.float32)], opset=18, mode=mode, axes=[3, 2])
        for coordinates in ["half_pixel_symmetric", "asymmetric"]:
            yield f"Resize {mode} {coordinates} by a fraction", single(
                "Resize", [IMAGE], [None, np.array([1, 1, 1.7, 0.7], dtype=np.float32)], opset=19, mode=mode,
                coordinate_transformation_mode=coordinates)
    for mode in ["round_prefer_floor", "round_prefer_ceil", "ceil"]:
        yield f"Resize nearest, {mode}", single(
            "Resize", [IMAGE], [None, np.array([1, 1, 1.5, 2.5], dtype=np.float32)], nearest_mode=mode)
    for kind in ["ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare"]:
        yield kind, single(kind, [IMAGE], axes=[1, 3], keepdims=0)
    for kind in ["ReduceLogSum", "ReduceLogSumExp"]:
        yield kind, single(kind, [IMAGE], before="Exp", axes=[1, 3], keepdims=0)
    yield "ReduceMax, axes as operand", single("ReduceMax", [IMAGE], [i(1, 2)], opset=18)
    yield "ReduceSum of nothing", single("ReduceSum", [IMAGE], noop_with_empty_axes=1)
    yield "ReduceSum of all", single("ReduceSum", [IMAGE])
    yield "ReduceSum", single("ReduceSum", [IMAGE], [i(2)])
    yield "ReduceMean of images", single("ReduceMean", [IMAGE], axes=[2, 3])
    yield "InstanceNormalization", single("InstanceNormalization", [IMAGE], [f(16), f(16)])
    yield "LayerNormalization", single("LayerNormalization", [[3, 5, 8]], [f(8), f(8)], opset=17)
    yield "LayerNormalization of two axes", single("LayerNormalization", [[3, 5, 8]], [f(5, 8)], opset=17, axis=1)
    yield "GroupNormalization", single("GroupNormalization", [IMAGE], [f(16), f(16)], opset=21, num_groups=4)
    yield "MeanVarianceNormalization", single("MeanVarianceNormalization", [IMAGE])
    yield "MeanVarianceNormalization of rows", single("MeanVarianceNormalization", [IMAGE], axes=[1, 3])
    for p in [1, 2]:
        yield f"LpNormalization, p {p}", single("LpNormalization", [IMAGE], p=p, axis=1)
        yield f"LpNormalization of rows, p {p}", single("LpNormalization", [[3, 5]], p=p)
    yield "LRN", single("LRN", [IMAGE], size=5, alpha=0.01)
    yield "LRN of its own", single("LRN", [IMAGE], size=3, alpha=0.01, beta=0.6, bias=1.5)
    yield "BatchNormalization of images", single("BatchNormalization", [IMAGE],
                                                 [f(16), f(16), f(16), np.abs(f(16)) + 0.1], before="Relu")
    for dims in [[2, 6, 1, 1], [3, 6, 1], [2, 6, 1, 1, 1]]:
        yield f"BatchNormalization of one pixel, {len(dims)} axes", single(
            "BatchNormalization", [dims], [f(6), f(6), f(6), np.abs(f(6)) + 0.1], before="Relu")
    yield "BatchNormalization", single("BatchNormalization", [[3, 6]], [f(6), f(6), f(6), np.abs(f(6)) + 0.1])
    yield "ConvTranspose", single("ConvTranspose", [IMAGE], [f(16, 8, 3, 3), f(8)], strides=[2, 2], pads=[1, 1, 1, 1],
                                  output_padding=[1, 0])
    for out in [1, 6]:
        yield f"ConvTranspose in patches, {out} channels", single(
            "ConvTranspose", [IMAGE], [f(16, out, 2, 3), f(out)], strides=[2, 3])
    yield "ConvTranspose groups", single("ConvTranspose", [IMAGE], [f(16, 8, 2, 2)], strides=[2, 2], group=4)
    yield "ConvTranspose dilated", single("ConvTranspose", [IMAGE], [f(16, 8, 3, 3)], dilations=[2, 1])
    yield "ConvTranspose to a shape", single("ConvTranspose", [IMAGE], [f(16, 8, 3, 3)], strides=[2, 2],
                                             output_shape=[18, 15])
    for padding in ["SAME_UPPER", "SAME_LOWER"]:
        yield f"ConvTranspose {padding}", single("ConvTranspose", [IMAGE], [f(16, 8, 3, 3)], strides=[2, 2],
                                                 auto_pad=padding)
    yield "Conv", single("Conv", [IMAGE], [f(8, 4, 3, 2), f(8)], group=4, dilations=[2, 1], pads=[1, 0, 2, 1])
    yield "Conv SAME", single("Conv", [IMAGE], [f(8, 16, 3, 3)], strides=[2, 2], auto_pad="SAME_UPPER")
    yield "MatMul", single("MatMul", [[2, 3, 4]], [f(4, 5)])
    yield "MatMul of tensors", single("MatMul", [[2, 3, 4], [2, 4, 5]])
    yield "MatMul of a vector", single("MatMul", [[4], [4, 5]])
    yield "MatMul by a vector", single("MatMul", [[2, 3, 4]], [f(4)])
    yield "MatMul of a constant", single("MatMul", [[4, 5]], [f(3, 4)], places=["c0", "x0"])
    yield "MatMul by a stack", single("MatMul", [[2, 3, 4]], [f(2, 4, 5)])
    yield "MatMul of stacks", single("MatMul", [[3, 1, 2, 4], [2, 4, 5]], before="")
    yield "Gemm of tensors", single("Gemm", [[3, 4], [4, 5]], alpha=0.5)
    yield "Gemm turned", single("Gemm", [[4, 3], [5, 4], [3, 1]], transA=1, transB=1, alpha=0.5, beta=2.0)
    yield "Gemm turned, by a constant", single("Gemm", [[4, 3]], [f(4, 5), f(5)], transA=1)
    yield "Gemm with a column", single("Gemm", [[3, 4]], [f(4, 5), f(3, 1)], beta=0.5)
    yield "Gemm", single("Gemm", [[3, 4]], [f(5, 4), f(5)], transB=1, alpha=0.5)
    yield "GlobalAveragePool", single("GlobalAveragePool", [IMAGE])
    yield "GlobalMaxPool", single("GlobalMaxPool", [IMAGE])
    yield "AveragePool", single("AveragePool", [IMAGE], kernel_shape=[3, 2], pads=[1, 0, 1, 1])
    yield "AveragePool dilated", single("AveragePool", [IMAGE], opset=19, kernel_shape=[3, 2], dilations=[2, 3])
    yield "MaxPool", single("MaxPool", [IMAGE], kernel_shape=[3, 3], strides=[2, 1], auto_pad="SAME_UPPER")
    yield "MaxPool ceil", single("MaxPool", [IMAGE], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
    yield "AveragePool ceil", single("AveragePool", [IMAGE], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
    for pad in [0, 1]:
        yield f"AveragePool ceil, padding counted, {pad}", single(
            "AveragePool", [[2, 16, 10, 8]], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, count_include_pad=1,
            pads=[pad] * 4)
    yield "RNN from a state", single("RNN", [[4, 2, 3], [1, 2, 5]], [f(1, 5, 3), f(1, 5, 5)], before="", outputs=1,
                                     places=["x0", "c0", "c1", "", "", "x1"], hidden_size=5)
    yield "LSTM from states", single("LSTM", [[4, 2, 3], [1, 2, 5], [1, 2, 5]], [f(1, 20, 3), f(1, 20, 5)], before="",
                                     places=["x0", "c0", "c1", "", "", "x1", "x2"], hidden_size=5)
    yield "Resize of one pixel", single("Resize", [[1, 32, 1, 1]], [None, None, i(1, 32, 2, 2)], mode="nearest",
                                        coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    yield "Attention", single("Attention", [[1, 4, 6, 8], [1, 2, 7, 8], [1, 2, 7, 10]], opset=23, before="", is_causal=1)
    ours = "com.microsoft::"
    yield "Gelu of others", single(ours + "Gelu", [[3, 8]])
    yield "FastGelu", single(ours + "FastGelu", [[3, 8]], [f(8)])
    yield "BiasGelu", single(ours + "BiasGelu", [[3, 8]], [f(8)])
    yield "QuickGelu", single(ours + "QuickGelu", [[3, 8]], alpha=1.5)
    yield "FusedMatMul", single(ours + "FusedMatMul", [[2, 4, 3]], [f(2, 5, 4)], transA=1, transB=1, alpha=0.5)
    yield "SkipLayerNormalization", single(ours + "SkipLayerNormalization", [[2, 3, 8], [2, 3, 8]],
                                           [f(8), f(8), f(8)], epsilon=1e-5)
    yield "SkipSimplifiedLayerNormalization", single(ours + "SkipSimplifiedLayerNormalization", [[2, 3, 8], [2, 3, 8]],
                                                     [f(8)], epsilon=1e-5)
    for activation, numbers in [("Relu", None), ("LeakyRelu", [0.3]), ("Clip", [-0.1, 0.2]), ("HardSigmoid", [0.3, 0.4])]:
        more = {"activation_params": numbers} if numbers else {}
        yield f"FusedConv, {activation}", single(ours + "FusedConv", [IMAGE], [f(16, 16, 3, 3), f(16)],
                                                 pads=[1, 1, 1, 1], activation=activation, **more)
    yield "FusedConv with a sum", single(ours + "FusedConv", [IMAGE, IMAGE], [f(16, 16, 3, 3), f(16)], activation="Relu",
                                         pads=[1, 1, 1, 1], places=["x0", "c0", "c1", "x1"])
    yield "MatMulIntegerToFloat", integer_product()
    yield from quantised_models()
    yield "GRU, constants of some functions", single(
        "GRU", [[3, 2, 4]], [f(2, 15, 4), f(2, 15, 5)], before="", hidden_size=5, direction="bidirectional",
        activations=["HardSigmoid", "Tanh", "HardSigmoid", "LeakyRelu"], activation_alpha=[0.3, 0.25, 0.1],
        activation_beta=[0.4, 0.6])
    yield "HardSigmoid of more axes", hard_sigmoid_of_more_axes()
    yield "digits of float64", digits_of_doubles()
    yield "FusedGemm", single(ours + "FusedGemm", [[3, 4]], [f(4, 5), f(5)], activation="LeakyRelu", activation_alpha=0.2)
    yield "MaxPool dilated", single("MaxPool", [IMAGE], kernel_shape=[2, 2], dilations=[2, 2])
    yield from attentions()
    yield from further_forms()


def attentions():
    """Forms of Attention: keys and values of before, masks, how many keys count, the scores as an output."""
    random = np.random.default_rng(6)
    by_heads = [[2, 4, 3, 8], [2, 2, 3, 8], [2, 2, 3, 6], [2, 2, 4, 8], [2, 2, 4, 6]]
    beside = [[2, 3, 32], [2, 3, 16], [2, 3, 12], *by_heads[3:]]
    mask = random.standard_normal((3, 7)).astype(np.float32)
    past = lambda shapes=by_heads, place="", constants=(), outputs=3, **attributes: single(
        "Attention", shapes, constants, outputs=outputs, opset=23, before="",
        places=["x0", "x1", "x2", place, "x3", "x4"], **attributes)
    yield "Attention from before", past()
    yield "Attention from before, causal", past(is_causal=1)
    yield "Attention from before, heads beside each other", past(beside, is_causal=1, q_num_heads=4, kv_num_heads=2)
    yield "Attention from before, truths as mask", past(place="c0", constants=[random.random((3, 7)) > 0.4])
    yield "Attention, keys as outputs", single("Attention", by_heads[:3], outputs=3, opset=23, before="")
    yield "Attention, scores", past(place="c0", constants=[mask], outputs=4)
    for mode in [1, 2, 3]:
        yield f"Attention, scores of mode {mode}", past(place="c0", constants=[mask], outputs=4, softcap=0.7,
                                                        qk_matmul_output_mode=mode)
    for causal in [0, 1]:
        for name, counts in [("4 and 7", [4, 7]), ("0 and 2", [0, 2])]:
            yield f"Attention, {name} keys count, causal {causal}", single(
                "Attention", [[2, 4, 3, 8], [2, 2, 7, 8], [2, 2, 7, 6]], [mask, np.array(counts)], opset=24, before="",
                places=["x0", "x1", "x2", "c0", "", "", "c1"], is_causal=causal)


def further_forms():
    """Of ONNX Runtime's own operators."""
    ours = "com.microsoft::"
    random = np.random.default_rng(7)
    f = lambda *shape: random.standard_normal(shape).astype(np.float32)
    node = lambda kind, inputs, **attributes: helper.make_node(kind, inputs, ["result"], name="op",
                                                               domain="com.microsoft", **attributes)
    yield "FusedMatMul, first axis of A", single(ours + "FusedMatMul", [[2, 3, 4, 5], [3, 4, 5, 6]], before="",
                                                 transBatchA=1)
    yield "FusedMatMul, first axes", single(ours + "FusedMatMul", [[2, 3, 4, 5], [6, 3, 4, 2]], before="", transA=1,
                                            transB=1, transBatchA=1, transBatchB=1)
    yield "FusedConv, HardSwish", single(ours + "FusedConv", [IMAGE], [f(16, 16, 3, 3), f(16)], pads=[1, 1, 1, 1],
                                         activation="HardSwish")
    for activation, numbers in [("Celu", [0.7]), ("Elu", [0.7]), ("HardSigmoid", [0.3, 0.4]), ("Softplus", []),
                                ("Softsign", []), ("ThresholdedRelu", [0.4])]:
        more = dict(zip(["activation_alpha", "activation_beta"], numbers))
        yield f"FusedGemm, {activation}", single(ours + "FusedGemm", [[3, 4]], [f(4, 5), f(5)], activation=activation,
                                                 **more)
    yield "FusedGemm, Selu", single(ours + "FusedGemm", [[3, 4]], [f(4, 5), f(5)], activation="Selu",
                                    activation_alpha=1.5, activation_gamma=1.1)
    operands = ["x", "sx", "zx", "sy", "zy"]
    yield "QLinearSoftmax of several axes", quantised(
        [2, 3, 4], [node("QLinearSoftmax", operands, axis=1, opset=11)],
        {"sy": np.float32(1 / 256), "zy": np.uint8(0)})
    result = {"sy": np.float32(0.031), "zy": np.uint8(90)}  # no sum is halfway between two integers
    yield "QLinearGlobalAveragePool, channels last", quantised(
        [2, 5, 6, 3], [node("QLinearGlobalAveragePool", operands, channels_last=1)], result)
    yield "QLinearAveragePool, channels last", quantised(
        [2, 5, 6, 3], [node("QLinearAveragePool", operands, channels_last=1, kernel_shape=[3, 2], pads=[1, 0, 1, 1],
                            strides=[2, 1])], result)
    for name, zero in [("8 bits", np.uint8(7)), ("signed 16 bits", np.int16(-300)), ("16 bits", np.uint16(40000))]:
        integers = single(ours + "QuantizeLinear", [[3, 4]], [np.float32(0.001), zero], before="")
        integers.graph.node[0].output[0] = "integers"
        integers.graph.node.append(helper.make_node("DequantizeLinear", ["integers", "c0", "c1"], ["y0"], name="back",
                                                    domain="com.microsoft"))
        yield f"QuantizeLinear of others, {name}", integers
    weights = random.integers(-3000, 3000, (3, 4)).astype(np.int16)
    real = single(ours + "DequantizeLinear", [[3, 4]], [weights, np.float32([0.01, 0.02, 0.03]), np.int16([5, -6, 7])],
                  before="", places=["c0", "c1", "c2"], axis=0)
    real.graph.node[0].output[0] = "weights"
    real.graph.node.append(helper.make_node("Add", ["x0", "weights"], ["y0"], name="sum"))
    yield "DequantizeLinear of others, by row", real


def with_random_weights(path, folder):
    model = onnx.load(path)
    rng = np.random.default_rng(5)
    shapes = {entry.name: numpy_helper.to_array(entry) for entry in model.graph.initializer}
    for node in [node for node in model.graph.node if node.op_type == "ConstantOfShape"]:
        shape = shapes[node.input[0]]
        if len(shape) > 1:
            values = rng.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))
        else:  # biases, and statistics, of which variances are above 0
            values = rng.uniform(0.5, 1.5, shape)
        model.graph.initializer.append(numpy_helper.from_array(values.astype(np.float32), node.output[0]))
        model.graph.node.remove(node)
    last = model.graph.node[-1]
    if last.op_type == "Softmax":  # one of its outputs may be all that is not 0: what it reads says more
        model.graph.output.append(helper.make_tensor_value_info(last.input[0], TensorProto.FLOAT, None))
    result = os.path.join(folder, os.path.basename(path))
    onnx.save(model, result)
    return result


def outputs_of(cli, spec, names, feed, schedule, folder):
    arguments = []
    for index, (name, value) in enumerate(feed.items()):
        path = os.path.join(folder, f"in{index}.npy")
        np.save(path, value)
        arguments += ["--input", f"{name}={path}"]
    results = []
    for name in names:
        out = os.path.join(folder, "out.npy")
        command = [cli, "run", spec, "--schedule", schedule, "-o", out, *arguments]
        if name:
            command += ["--tensor", name]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr else "failed")
        results.append(np.load(out))
    return results


def difference(values, expected):
    values, expected = values.reshape(-1), expected.reshape(-1)
    if values.shape != expected.shape or not np.isfinite(values).all():
        return float("inf")
    return float(np.abs(values - expected).max() / max(np.abs(expected).max(), 1e-12))


def compare(cli, label, path, schedules, folder, spec=None):
    """`spec`: what stagecraft opens, where it is not the file that ONNX Runtime opens."""
    spec = spec or path
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(0)
    declared = {entry.name: entry.shape for entry in session.get_inputs()}
    is_open = any(not isinstance(size, int) for shape in declared.values() for size in shape)
    taken = inputs_taken(cli, spec) if is_open or spec != path else declared
    types = [entry.type for entry in session.get_inputs()]  # numbers of rows: all tables have as many
    values = [rng.integers(0, 1000, shape) if kind == "tensor(int64)" else rng.standard_normal(shape).astype(np.float32)
              for shape, kind in zip(taken.values(), types)]
    # Inputs and outputs keep their order where a model is converted; their names may change.
    names = [entry.name for entry in session.get_outputs()]
    expected = session.run(None, dict(zip([entry.name for entry in session.get_inputs()], values)))
    ours = names if spec == path else [None]
    worst = 0.0
    for schedule in schedules:
        given = dict(zip(taken, values))
        for result, wanted in zip(outputs_of(cli, spec, ours, given, schedule, folder), expected):
            worst = max(worst, difference(result, wanted))
    print(f"{'ok ' if worst <= BOUND else 'BAD'} {label}: {worst:.2e}", flush=True)
    return worst <= BOUND


def schedules_of(cli, spec, folder):
    """Baselines, and what the search finds with merges alone and with both strategies. Which device it asked does not
    matter to what a schedule computes: a simulated one answers at once."""
    found = ["sequential", "greedy"]
    for strategy in ["merge", "both"]:
        path = os.path.join(folder, f"{strategy}.schedule.json")
        subprocess.run([cli, "optimize", spec, "--device", "sim:v100", "--strategy", strategy, "--r", "2", "--s", "4",
                        "-o", path], check=True, capture_output=True)
        found.append(path)
    return found


def describe(path):
    stages = json.load(open(path))["stages"]
    print(f"   {os.path.basename(path)}: {len(stages)} stages, {sum(s['strategy'] == 'merge' for s in stages)} merged")


def inputs_taken(cli, spec):
    """Names and shapes of the inputs, as the program has them where the file leaves them open."""
    info = json.loads(subprocess.run([cli, "info", spec, "--json"], capture_output=True, text=True).stdout)
    return {entry["name"]: [] if entry["shape"] == "scalar" else [int(d) for d in entry["shape"].split("x")]
            for entry in info.get("inputs", [])}


def main():
    cli, what, *rest = sys.argv[1:]
    good = True
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = folder
        os.environ.setdefault("GOMP_SPINCOUNT", "2000")  # what the worker would begin anew for
        path = os.path.join(folder, "model.onnx")
        if what == "operators":
            missing = set(rest)
            for label, model in operator_models():
                missing -= {(node.domain + "::" if node.domain else "") + node.op_type
                            for node in model.graph.node if node.name == "op"}
                onnx.save(model, path)
                try:
                    good = compare(cli, label, path, ["sequential"], folder) and good
                except Exception as error:
                    print(f"BAD {label}: {error}")
                    good = False
            if missing:  # ONNX's own tests judge the others (onnx_backend_tests.py)
                missing -= {node.op_type for case in collect_testcases(None) for node in case.model.graph.node}
            for node_type in sorted(missing):
                print(f"BAD {node_type}: not compared")
            good = good and not missing
        else:
            spec, *given = rest
            if what == "light":
                spec = with_random_weights(spec, folder)
            is_file = spec.endswith(".onnx")
            if not is_file:
                subprocess.run([cli, "convert", spec, "-o", path], check=True, capture_output=True)
            schedules = schedules_of(cli, spec, folder) + given
            for schedule in schedules[2:]:
                describe(schedule)
            good = compare(cli, os.path.basename(spec), spec if is_file else path, schedules, folder, spec=spec)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
