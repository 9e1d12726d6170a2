"""Forms the units of one model with every pass alone, without each, and for all units, and compares what cpu computes
with ONNX Runtime.

usage: pass_outputs.py STAGECRAFT_CLI
The model has something to do for every pass, which is checked too. Prints a line per setting; exit status 1 with the
reason if an output differs by more than 1e-4 of its largest magnitude, or a pass that runs alone changes nothing.
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

BOUND = 1e-4
RANDOM = np.random.default_rng(5)
nodes, weights = [], []


def constant(values):
    name = f"c{len(weights)}"
    weights.append(numpy_helper.from_array(np.asarray(values), name))
    return name


def node(kind, inputs, outputs=1, **attributes):
    names = [f"t{len(nodes)}_{i}" for i in range(outputs)]
    nodes.append(helper.make_node(kind, inputs, names, name=f"{kind.lower()}{len(nodes)}", **attributes))
    return names[0] if outputs == 1 else names


def conv(x, inputs, outputs, kernel=1, group=1):
    weight = (RANDOM.standard_normal([outputs, inputs // group, kernel, kernel]) / inputs ** 0.5).astype(np.float32)
    return node("Conv", [x, constant(weight)], pads=[kernel // 2] * 4, group=group)


def number(value):
    return constant(np.float32(value))


def model():
    x = conv("x", 3, 8, 3)
    ones = lambda: (RANDOM.random(8) + 0.5).astype(np.float32)
    normed = node("BatchNormalization", [x] + [constant(ones()) for _ in range(4)])              # fold-batch-norms
    x = node("Relu", [normed])
    folded = node("Exp", [constant(np.float32([0.1] * 8).reshape(1, 8, 1, 1))])                   # fold-constants
    x = node("Mul", [x, folded])
    x = node("Identity", [x])                                                                     # remove-identities
    node("Tanh", [x])                                                                             # remove-dead
    x = node("Concat", node("Split", [x], 2, axis=1), axis=1)                                     # simplify-concats
    clipped = node("Clip", [node("Add", [x, number(3)]), number(0), number(6)])
    x = node("Div", [node("Mul", [x, clipped]), number(6)])                                       # fuse-hard-activations
    x = node("Mul", [x, node("Sigmoid", [x])])                                                    # fuse-gated-activations
    zeros = constant(np.int64([0, 0, 1, 1, 0, 0, 1, 1]))
    weight = constant((RANDOM.standard_normal([8, 8, 3, 3]) / 8).astype(np.float32))
    x = node("Conv", [node("Pad", [x, zeros]), weight])                                           # fold-pads
    shared = node("MaxPool", [x], kernel_shape=[2, 2], strides=[1, 1], pads=[0, 0, 1, 1])
    sep = conv(conv(node("Relu", [shared]), 8, 8, 3, 8), 8, 8)                                    # form-sep-convs
    plain = node("Relu", [conv(node("Relu", [shared]), 8, 8)])                   # form-relu-convs, fuse-activations
    total = node("Add", [sep, shared])                                                            # fold-sums
    x = node("Concat", [total, plain], axis=1)
    erf = node("Erf", [node("Div", [x, number(2 ** 0.5)])])
    x = node("Mul", [node("Mul", [x, node("Add", [erf, number(1)])]), number(0.5)])              # fuse-gelu
    turned = node("Transpose", [x], perm=[0, 1, 3, 2])
    square = constant((RANDOM.standard_normal([10, 10]) / 10).astype(np.float32))
    x = node("Add", [node("MatMul", [turned, square]), x])                                        # fuse-products
    nodes[-1].output[0] = "y"
    info = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes, "passes", [info("x", [1, 3, 10, 10])], [info("y", [1, 16, 10, 10])], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def answer(cli, *arguments):
    done = subprocess.run([cli, *arguments, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")
    return json.loads(done.stdout)


def main(cli):
    folder = tempfile.mkdtemp()
    path = lambda name: os.path.join(folder, name)
    onnx.save(model(), path("passes.onnx"))
    image = RANDOM.standard_normal([1, 3, 10, 10]).astype(np.float32)
    np.save(path("x.npy"), image)
    expected = onnxruntime.InferenceSession(path("passes.onnx"), providers=["CPUExecutionProvider"]).run(None, {"x": image})[0]
    passes = {one["name"]: one for one in answer(cli, "info", path("passes.onnx"), "--passes")["passes"]}
    ios = [name for name, one in passes.items() if one["ran"]]
    without = lambda names: [word for name in names for word in ("--without", name)]
    settings = {"all": [], "no units": ["--units", "none"], "tvm": ["--units", "tvm"]}
    settings |= {f"without {name}": without([name]) for name in ios}
    settings |= {f"only {name}": without([other for other in ios if other != name]) for name in ios}
    for title, options in settings.items():
        answer(cli, "run", path("passes.onnx"), *options, "--device", "cpu", "--input", path("x.npy"), "-o", path("y.npy"))
        away = np.abs(np.load(path("y.npy")) - expected).max() / np.abs(expected).max()
        report = answer(cli, "info", path("passes.onnx"), "--passes", *options)
        changes = {one["name"]: len(one["changes"]) for one in report["passes"] if one["ran"]}
        print(f"{title}: {report['operators']} operators, {sum(changes.values())} changes, {away:.1e} away")
        if away > BOUND:
            sys.exit("the outputs differ")
        alone = title.removeprefix("only ")
        if alone in passes and changes[alone] == 0:
            sys.exit("the pass changes nothing")
        if title == "tvm" and changes["fuse-by-class"] == 0:
            sys.exit("no operators are fused by class")


main(sys.argv[1])
