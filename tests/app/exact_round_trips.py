"""Quantised and half-precision files, converted: the same model to the last bit, where nothing was folded.

usage: exact_round_trips.py STAGECRAFT_CLI
Writes networks between QuantizeLinear and DequantizeLinear, of operators of integers, quantised while they run, and in
float16, in several opsets; `convert`s each, and demands of the result: PyPI's onnx finds it valid, it has the opsets of
the source, its operators by type, its weights bit by bit, and ONNX Runtime, which optimises neither, computes the same
bits. Prints a line for each that differs, and a last line with counts; exit status 1 if there is one.
"""
import collections
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from converted_models import outputs

warnings.filterwarnings("ignore")
RANDOM = np.random.default_rng(5)
IMAGE = [2, 8, 12, 10]


class Net:
    """A graph that grows at its end."""

    def __init__(self, opset, x=TensorProto.FLOAT, domains=()):
        self.opset, self.nodes, self.weights, self.domains = opset, [], [], list(domains)
        self.inputs = [helper.make_tensor_value_info("x", x, IMAGE)]

    def constant(self, name, values, dtype):
        self.weights.append(numpy_helper.from_array(np.asarray(values, dtype), name))
        return name

    def node(self, op, inputs, output, domain="", **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], name="n_" + output, domain=domain, **attributes))
        return output

    def model(self, output, element, rank):
        y = helper.make_tensor_value_info(output, element, [None] * rank)
        graph = helper.make_graph(self.nodes, "made", self.inputs, [y], self.weights)
        imports = [helper.make_opsetid("", self.opset)] + [helper.make_opsetid(name, 1) for name in self.domains]
        return onnx.shape_inference.infer_shapes(
            helper.make_model(graph, opset_imports=imports, ir_version=8 if self.opset < 21 else 10))


def integers(*shape, low=-100, high=100):
    return RANDOM.integers(low, high, shape)


def wrapped(opset, signed, by_channel):
    """Convolutions, a sum, a pool and a product between DequantizeLinear and QuantizeLinear."""
    net = Net(opset)
    kind = np.int8 if signed else np.uint8
    zero = 3 if signed else 120

    def quantised(name, scale):
        net.constant(name + "_scale", scale, np.float32)
        net.constant(name + "_zero", zero, kind)
        net.node("QuantizeLinear", [name, name + "_scale", name + "_zero"], name + "_q")
        return net.node("DequantizeLinear", [name + "_q", name + "_scale", name + "_zero"], name + "_d")

    def weight(name, *shape):
        net.constant(name + "_q", integers(*shape), np.int8)
        scale = RANDOM.uniform(0.001, 0.01, shape[0]) if by_channel else 0.004
        net.constant(name + "_scale", scale, np.float32)
        net.constant(name + "_zero", np.zeros(shape[0]) if by_channel else 0, np.int8)
        axis = {"axis": 0} if by_channel else {}
        return net.node("DequantizeLinear", [name + "_q", name + "_scale", name + "_zero"], name, **axis)

    x = quantised("x", 0.03)
    bias = net.constant("bias", RANDOM.standard_normal(8), np.float32)
    net.node("Conv", [x, weight("w0", 8, 8, 3, 3), bias], "a", pads=[1, 1, 1, 1])
    net.node("Relu", ["a"], "b")
    b = quantised("b", 0.05)
    net.node("Add", [b, x], "c")
    c = quantised("c", 0.07)
    net.node("MaxPool", [c], "p", kernel_shape=[2, 2], strides=[2, 2])
    net.node("GlobalAveragePool", [quantised("p", 0.07)], "g")
    net.node("Flatten", [quantised("g", 0.06)], "f")
    net.node("MatMul", [quantised("f", 0.06), weight("w1", 8, 5)], "m")
    quantised("m", 0.05)
    return net.model("m_d", TensorProto.FLOAT, 2)


def of_integers(opset):
    """Operators of integers: QLinearConv and QLinearMatMul, and those of ONNX Runtime."""
    net = Net(opset, domains=["com.microsoft"])
    scale = lambda name, value: net.constant(name, value, np.float32)
    zero = lambda name, value, kind=np.uint8: net.constant(name, value, kind)
    net.node("QuantizeLinear", ["x", scale("xs", 0.03), zero("xz", 120)], "q")
    net.constant("w", integers(8, 8, 3, 3), np.int8)
    net.constant("bias", integers(8, low=-1000, high=1000), np.int32)
    net.node("QLinearConv", ["q", "xs", "xz", "w", scale("ws", 0.004), zero("wz", 0, np.int8), scale("as", 0.05),
                             zero("az", 100), "bias"], "a", pads=[1, 1, 1, 1])
    net.node("QLinearAdd", ["a", "as", "az", "q", "xs", "xz", scale("bs", 0.07), zero("bz", 110)], "b",
             domain="com.microsoft")
    net.node("Flatten", ["b"], "f")
    net.constant("v", integers(960, 6, low=0, high=200), np.uint8)
    net.node("QLinearMatMul", ["f", "bs", "bz", "v", scale("vs", 0.002), zero("vz", 99), scale("ys", 0.4),
                               zero("yz", 128)], "m")
    return net.model("m", TensorProto.UINT8, 2)


def while_running(opset):
    """Quantised while it runs: DynamicQuantizeLinear, ConvInteger and MatMulInteger."""
    net = Net(opset)
    net.nodes.append(helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"], name="n_q"))
    net.constant("w", integers(8, 8, 1, 1, low=0, high=200), np.uint8)
    net.constant("wz", 90, np.uint8)
    net.constant("ws", 0.004, np.float32)
    net.node("ConvInteger", ["q", "w", "z", "wz"], "a")
    net.node("Cast", ["a"], "b", to=TensorProto.FLOAT)
    net.node("Mul", ["s", "ws"], "t")
    net.node("Mul", ["b", "t"], "c")
    net.node("Flatten", ["c"], "f")
    net.nodes.append(helper.make_node("DynamicQuantizeLinear", ["f"], ["fq", "fs", "fz"], name="n_fq"))
    net.constant("v", integers(960, 4, low=0, high=200), np.uint8)
    net.constant("vz", 101, np.uint8)
    net.node("MatMulInteger", ["fq", "v", "fz", "vz"], "m")
    net.node("Cast", ["m"], "mf", to=TensorProto.FLOAT)
    net.node("Mul", ["mf", "fs"], "y")
    return net.model("y", TensorProto.FLOAT, 2)


def half(opset, casts):
    """In float16; with casts, inside of float32."""
    net = Net(opset, TensorProto.FLOAT if casts else TensorProto.FLOAT16)
    x = net.node("Cast", ["x"], "low", to=TensorProto.FLOAT16) if casts else "x"
    net.constant("w", RANDOM.uniform(-0.2, 0.2, (8, 8, 3, 3)), np.float16)
    net.constant("bias", RANDOM.standard_normal(8), np.float16)
    net.node("Conv", [x, "w", "bias"], "a", pads=[1, 1, 1, 1])
    net.node("Relu", ["a"], "b")
    net.node("GlobalAveragePool", ["b"], "g")
    net.node("Flatten", ["g"], "f")
    net.constant("v", RANDOM.uniform(-0.5, 0.5, (8, 5)), np.float16)
    net.node("MatMul", ["f", "v"], "m")
    net.node("Softmax", ["m"], "s", axis=1)
    if not casts:
        return net.model("s", TensorProto.FLOAT16, 2)
    net.node("Cast", ["s"], "y", to=TensorProto.FLOAT)
    return net.model("y", TensorProto.FLOAT, 2)


def models():
    for opset in [10, 13, 17, 21]:
        for signed in [False, True]:
            yield f"wrapped, opset {opset}, {'int8' if signed else 'uint8'}", wrapped(opset, signed, False)
            if opset >= 13:
                yield f"wrapped by channel, opset {opset}, {'int8' if signed else 'uint8'}", wrapped(opset, signed, True)
    for opset in [10, 13, 17, 21]:
        yield f"of integers, opset {opset}", of_integers(opset)
    for opset in [11, 13, 17, 21]:
        yield f"while running, opset {opset}", while_running(opset)
        yield f"half, opset {opset}", half(opset, False)
        yield f"half inside, opset {opset}", half(opset, True)


def types_of(model):
    """A product with a matrix of constants may be written as Gemm."""
    types = [node.op_type for node in model.graph.node if node.op_type != "Constant"]
    return collections.Counter("MatMul" if kind == "Gemm" else kind for kind in types)


def weights_of(model):
    """Those of Constant nodes, too. Units name theirs after themselves."""
    weights = list(model.graph.initializer)
    weights += [node.attribute[0].t for node in model.graph.node if node.op_type == "Constant"]
    arrays = [numpy_helper.to_array(weight) for weight in weights]
    return collections.Counter((str(array.dtype), array.tobytes()) for array in arrays)


def difference(source, result, folder):
    before, after = onnx.load(source), onnx.load(result)
    try:
        onnx.checker.check_model(after, full_check=True)
    except Exception as error:
        return "it is not valid: " + str(error).strip().split("\n")[0]
    versions = lambda model: {entry.domain: entry.version for entry in model.opset_import}
    if versions(before) != versions(after):
        return f"opsets {versions(after)} instead of {versions(before)}"
    if types_of(before) != types_of(after):
        return f"other operators: {types_of(after) - types_of(before)} more, {types_of(before) - types_of(after)} less"
    lost = set(weights_of(before)) - set(weights_of(after))
    if lost or set(weights_of(after)) - set(weights_of(before)):
        return f"other weights, among them of {sorted(kind for kind, _ in lost)}"
    kind = helper.tensor_dtype_to_np_dtype(before.graph.input[0].type.tensor_type.elem_type)
    values = [RANDOM.standard_normal(IMAGE).astype(kind)]
    wanted, got = outputs(source, values), outputs(result, values)
    if list(wanted) != list(got):
        return f"outputs {list(got)} instead of {list(wanted)}"
    for name, array in wanted.items():
        if array.dtype != got[name].dtype or array.tobytes() != got[name].tobytes():
            return f"the output {name} differs"
    return ""


def main(cli):
    bad = count = 0
    with tempfile.TemporaryDirectory() as folder:
        source, result = f"{folder}/source.onnx", f"{folder}/result.onnx"
        for name, model in models():
            count += 1
            onnx.checker.check_model(model, full_check=True)
            onnx.save(model, source)
            done = subprocess.run([cli, "convert", source, "-o", result], capture_output=True, text=True)
            text = done.stderr.strip() if done.returncode else difference(source, result, folder)
            if text:
                bad += 1
                print(f"BAD {name}: {text}", flush=True)
    print(f"checked {count}, bad {bad}")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
