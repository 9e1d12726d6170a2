"""What detectors do behind their networks, where values decide sizes, with stagecraft-cli and with ONNX Runtime.

usage: varying_sizes.py STAGECRAFT_CLI
One-stage: scores above a threshold (NonZero), the best of them (TopK of as many as there are, or fewer), boxes that do
not overlap (NonMaxSuppression), the first of those. Two-stage: regions of one level (NonZero), aligned (RoiAlign with a
batch index each), scattered into the result for all. With many values, a few, and none. Every output of `run` on cpu
must have the shape and the values of ONNX Runtime's, and `convert` a valid file that computes them, too. Prints a line
for each; exit status 1 if one differs.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

RANDOM = np.random.default_rng(3)
BOUND = 1e-4


class Net:
    def __init__(self, **inputs):
        self.nodes, self.weights, self.outputs = [], [], []
        self.inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()]

    def constant(self, values, dtype=np.int64):
        self.weights.append(numpy_helper.from_array(np.asarray(values, dtype), f"c{len(self.weights)}"))
        return self.weights[-1].name

    def node(self, op, *inputs, outputs=1, **attributes):
        names = [f"t{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=f"{op}_{len(self.nodes)}", **attributes))
        return names if outputs > 1 else names[0]

    def output(self, name, tensor, element, rank):
        self.nodes.append(helper.make_node("Identity", [tensor], [name], name=name))
        self.outputs.append(helper.make_tensor_value_info(name, element, [None] * rank))

    def model(self):
        graph = helper.make_graph(self.nodes, "made", self.inputs, self.outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(model)
        return model


def one_stage(boxes=200, classes=4):
    net = Net(scores=[boxes, classes], boxes=[boxes, 4])
    zero, one, number = net.constant([0]), net.constant([1]), net.constant(classes)
    flat = net.node("Reshape", "scores", net.constant([-1]))
    places = net.node("NonZero", net.node("Greater", flat, net.constant(0.4, np.float32)))
    found = net.node("GatherND", flat, net.node("Transpose", places, perm=[1, 0]))
    index = net.node("Squeeze", places, zero)
    count = net.node("Min", net.node("Shape", index), net.constant([50]))
    best, order = net.node("TopK", found, count, outputs=2, axis=0)
    chosen = net.node("Gather", index, order)
    box = net.node("Gather", "boxes", net.node("Div", chosen, number))
    label = net.node("Mod", chosen, number)
    apart = net.node("Mul", net.node("Cast", label, to=TensorProto.FLOAT), net.constant(1000, np.float32))
    moved = net.node("Add", box, net.node("Unsqueeze", apart, one))
    scores = net.node("Unsqueeze", net.node("Unsqueeze", best, zero), zero)
    kept = net.node("NonMaxSuppression", net.node("Unsqueeze", moved, zero), scores, net.constant([1000]),
                    net.constant(0.45, np.float32), net.constant(0, np.float32))
    kept = net.node("Squeeze", net.node("Gather", kept, net.constant([2]), axis=1), one)
    first = net.node("Slice", kept, zero, net.constant([20]), zero)
    net.output("box", net.node("Gather", box, first), TensorProto.FLOAT, 2)
    net.output("score", net.node("Gather", best, first), TensorProto.FLOAT, 1)
    net.output("label", net.node("Gather", label, first), TensorProto.INT64, 1)
    return net.model()


def two_stage(regions=30):
    net = Net(x=[1, 3, 16, 16], boxes=[regions, 4], scores=[regions])
    places = net.node("NonZero", net.node("Greater", "scores", net.constant(0.5, np.float32)))
    index = net.node("Reshape", places, net.constant([-1]))
    images = net.node("Gather", net.constant(np.zeros(regions)), index)
    aligned = net.node("RoiAlign", "x", net.node("Gather", "boxes", index), images, output_height=2, output_width=2,
                       spatial_scale=0.5, sampling_ratio=2)
    shape = net.node("Concat", net.node("Shape", index), net.constant([12]), axis=0)
    net.output("rows", net.node("Reshape", aligned, shape), TensorProto.FLOAT, 2)
    zeros = net.node("ConstantOfShape", net.node("Shape", aligned), value=numpy_helper.from_array(np.ones(1, np.float32)))
    net.output("more", net.node("Add", aligned, zeros), TensorProto.FLOAT, 4)
    all_zero = net.constant(np.zeros((regions, 3, 2, 2)), np.float32)
    scattered = net.node("ScatterND", all_zero, net.node("Unsqueeze", index, net.constant([1])), aligned)
    net.output("all", scattered, TensorProto.FLOAT, 4)
    net.output("numbers", net.node("Range", net.constant(0), net.node("Size", index), net.constant(1)),
               TensorProto.INT64, 1)
    return net.model()


def boxes_in(count, size):
    corner = RANDOM.uniform(0, size, (count, 2))
    return np.concatenate([corner, corner + RANDOM.uniform(1, size / 3, (count, 2))], 1).astype(np.float32)


def cases():
    for how, most in [("many", 0.6), ("a few", 0.405), ("none", 0.3)]:
        yield f"one-stage, {how}", one_stage(), {"scores": RANDOM.uniform(0, most, (200, 4)).astype(np.float32),
                                                 "boxes": boxes_in(200, 100)}
    for how, most in [("many", 1.0), ("a few", 0.55), ("none", 0.4)]:
        yield f"two-stage, {how}", two_stage(), {"x": RANDOM.standard_normal((1, 3, 16, 16)).astype(np.float32),
                                                 "boxes": boxes_in(30, 30),
                                                 "scores": RANDOM.uniform(0, most, 30).astype(np.float32)}


def computed(path, feed):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, feed)))


def difference(got, wanted):
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return f"{got.dtype} {got.shape} instead of {wanted.dtype} {wanted.shape}"
    return "" if np.allclose(got, wanted, rtol=BOUND, atol=BOUND) else "other values"


def problems(cli, folder, model, feed):
    source, result = f"{folder}/source.onnx", f"{folder}/result.onnx"
    onnx.save(model, source)
    inputs = []
    for name, values in feed.items():
        np.save(f"{folder}/{name}.npy", values)
        inputs += ["--input", f"{name}={folder}/{name}.npy"]
    wanted = computed(source, feed)
    for name, values in wanted.items():
        done = subprocess.run([cli, "run", source, *inputs, "-o", f"{folder}/y.npy", "--tensor", name],
                              capture_output=True, text=True)
        text = done.stderr.strip() if done.returncode else difference(np.load(f"{folder}/y.npy"), values)
        if text:
            yield f"{name}: {text}"
    done = subprocess.run([cli, "convert", source, "-o", result], capture_output=True, text=True)
    if done.returncode:
        yield "convert: " + done.stderr.strip()
        return
    converted = onnx.load(result)
    onnx.checker.check_model(converted, full_check=True)
    for output in converted.graph.output:
        if any(dim.dim_value for dim in output.type.tensor_type.shape.dim):
            stated = [dim.dim_value for dim in output.type.tensor_type.shape.dim]
            fixed = [size for size, actual in zip(stated, wanted[output.name].shape) if size and size != actual]
            if fixed:
                yield f"convert: states {stated} for {output.name}"
    for name, values in computed(result, feed).items():
        if text := difference(values, wanted[name]):
            yield f"convert, {name}: {text}"


def main(cli):
    bad = 0
    os.environ.setdefault("GOMP_SPINCOUNT", "2000")  # what the worker would begin anew for
    for name, model, feed in cases():
        with tempfile.TemporaryDirectory() as folder:
            found = list(problems(cli, folder, model, feed))
        bad += bool(found)
        print(f"BAD {name}: {'; '.join(found)}" if found else f"ok {name}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
