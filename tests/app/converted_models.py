"""What `convert` writes of many models, judged by PyPI's onnx and onnxruntime.

usage: converted_models.py make|make_own SOURCES      writes onnx's own backend tests there, models and inputs, about 2,000, and
                                             small networks that the program changes, in many opsets and types
       converted_models.py check SOURCES CONVERTED [EVERY]
                                             every model of CONVERTED must be valid; where ONNX Runtime runs the source
                                             of the same name in SOURCES, the outputs of both must agree (of every
                                             EVERYth model, by name; 1 unless given)
Prints a line for each that is not, and a last line with counts; exit status 1 if there is one.
"""
import glob
import os
import pickle
import sys
import warnings

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

warnings.filterwarnings("ignore")
BOUND = 1e-3
HALF_BOUND = 2e-2


def stored_inputs(folder):
    values = []
    for i in range(len(glob.glob(f"{folder}/input_*.pb"))):
        with open(f"{folder}/input_{i}.pb", "rb") as file:
            values.append(numpy_helper.to_array(onnx.TensorProto.FromString(file.read())))
    return values


TYPES = {"float32": np.float32, "float16": np.float16, "float64": np.float64}


def fused(opset, kind):
    """What becomes other operators than the file has: folded, fused, joined, formed into units."""
    rng = np.random.default_rng(7)
    element = helper.np_dtype_to_tensor_dtype(np.dtype(TYPES[kind]))
    weights, nodes = [], []

    def weight(name, *shape, value=None):
        values = rng.uniform(0.2, 1.0, shape) / max(1, np.prod(shape[1:])) if value is None else value
        weights.append(numpy_helper.from_array(np.asarray(values, dtype=TYPES[kind]), name))
        return name

    def node(op, inputs, output, **attributes):
        nodes.append(helper.make_node(op, inputs, [output], name="n_" + output, **attributes))
        return output

    old = {"is_test": 1} if opset < 7 else {}
    stretch = {"broadcast": 1} if opset < 7 else {}
    channel = {"broadcast": 1, "axis": 1} if opset < 7 else {}
    conv = node("Conv", ["x", weight("w0", 8, 4, 3, 3)], "conv", pads=[1, 1, 1, 1])
    norm = node("BatchNormalization", [conv, weight("scale", 8), weight("shift", 8), weight("mean", 8),
                                       weight("var", 8)], "norm", **old)
    if opset < 11:
        six = node("Clip", [norm], "six", min=0.0, max=6.0)
    else:
        six = node("Clip", [norm, weight("zero", value=0), weight("six_", value=6)], "six")
    plain = node("BatchNormalization", ["x", weight("s1", 4), weight("b1", 4), weight("m1", 4), weight("v1", 4)],
                 "plain", **old)
    node("Add", [six, weight("by_channel", *([8] if opset < 7 else [8, 1, 1]))], "shifted", **channel)
    gate = node("Mul", ["shifted", node("Sigmoid", ["shifted"], "sigmoid")], "gate")
    hard = node("Mul", [gate, node("HardSigmoid", [gate], "hard_gate", alpha=1 / 6, beta=0.5)], "hard")
    slope = node("PRelu", [hard, weight("slope", *([8] if opset < 7 else [8, 1, 1]))], "slope_")
    if opset >= 20:
        slope = node("Gelu", [slope], "gelu")
    depthwise = node("Conv", [slope, weight("w1", 8, 1, 3, 3), weight("c1", 8)], "depth", group=8)
    pointwise = node("Conv", [depthwise, weight("w2", 6, 8, 1, 1)], "point")
    joined = node("Concat", [node("Add", [pointwise, node("Relu", [pointwise], "relu")], "sum"), pointwise], "join",
                  axis=1)
    pool = node("AveragePool", [node("MaxPool", [joined], "max", kernel_shape=[2, 2])], "means", kernel_shape=[2, 2],
                pads=[0, 0, 1, 1])
    flat = node("Flatten", [node("GlobalAveragePool", [pool], "all")], "flat")
    product = node("Gemm", [flat, weight("g", 5, 12), weight("gb", 5)], "product", transB=1, **stretch)
    second = node("MatMul", [product, weight("h", 5, 3)], "second")
    node("Add", [node("Mul", [second, weight("factor", value=2)], "twice", **stretch), weight("hb", 3)], "y", **stretch)
    node("Identity", [plain], "z")
    outputs = [("y", [2, 3]), ("z", [2, 4, 9, 7])]
    graph = helper.make_graph(nodes, "fused", [helper.make_tensor_value_info("x", element, [2, 4, 9, 7])],
                              [helper.make_tensor_value_info(name, element, shape) for name, shape in outputs], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    return model, [rng.standard_normal([2, 4, 9, 7]).astype(TYPES[kind])]


def mixed():
    """float16 inside, float32 outside, casts between; a branch of either; a domain of its own; outputs for nothing."""
    half = lambda name, *shape: numpy_helper.from_array(np.full(shape, 0.5, np.float16), name)
    body = lambda name, op: helper.make_graph([helper.make_node(op, ["inner", "shared"], [name])], name, [],
                                              [helper.make_tensor_value_info(name, TensorProto.FLOAT16, [1, 4])])
    nodes = [
        helper.make_node("Cast", ["x"], ["low"], to=TensorProto.FLOAT16),
        helper.make_node("MatMul", ["low", "w"], ["product"]),
        helper.make_node("Identity", ["product"], ["inner"]),
        helper.make_node("ReduceMax", ["flags"], ["most"], keepdims=0),
        helper.make_node("Cast", ["most"], ["condition"], to=TensorProto.BOOL),
        helper.make_node("If", ["condition"], ["chosen"], then_branch=body("then", "Add"), else_branch=body("else_", "Sub")),
        helper.make_node("FusedMatMul", ["chosen", "w"], ["other"], domain="com.microsoft", alpha=2.0),
        helper.make_node("Cast", ["other"], ["y"], to=TensorProto.FLOAT),
        helper.make_node("Constant", [], ["seven"], value=numpy_helper.from_array(np.array([7], np.int32), "seven")),
        helper.make_node("Identity", ["seven"], ["always"]),
    ]
    graph = helper.make_graph(
        nodes, "mixed",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4]),
         helper.make_tensor_value_info("flags", TensorProto.INT32, [3])],
        [helper.make_tensor_value_info("always", TensorProto.INT32, [1]),
         helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4]),
         helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4])],
        [half("w", 4, 4), half("shared", 4)])
    imports = [helper.make_opsetid("", 16), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    return model, [np.ones([1, 4], np.float32), np.array([0, 1, 0], np.int32)]


def constants(opset):
    """Outputs that are constants, some of them read or changed by folding besides; weights stored as halves; one tensor
    under two names."""
    rng = np.random.default_rng(8)
    weight = lambda name, kind, *shape: numpy_helper.from_array(rng.uniform(0.2, 1.0, shape).astype(kind), name)
    weights = [weight("w", np.float32, 4, 4, 1, 1), weight("digits", np.float64, 2), weight("low", np.float16, 4, 1, 1),
               weight("low_part", np.float16, 2, 1, 3, 3)] + [weight(name, np.float32, 4) for name in "abcd"]
    nodes = [
        helper.make_node("Shape", ["x"], ["sizes"]),
        helper.make_node("Conv", ["x", "w"], ["conv"]),
        helper.make_node("BatchNormalization", ["conv", *"abcd"], ["norm"]),
        helper.make_node("Cast", ["low"], ["by_channel"], to=TensorProto.FLOAT),
        helper.make_node("Add", ["norm", "by_channel"], ["sum"]),
        helper.make_node("Cast", ["low_part"], ["part"], to=TensorProto.FLOAT),
        helper.make_node("Concat", ["sum", "part"], ["joined"], axis=1),
        helper.make_node("Identity", ["joined"], ["first"]),
        helper.make_node("Identity", ["joined"], ["second"]),
        helper.make_node("Identity", ["w"], ["copy"]),
    ]
    info = lambda name, shape, kind=TensorProto.FLOAT: helper.make_tensor_value_info(name, kind, shape)
    outputs = [info("w", [4, 4, 1, 1]), info("copy", [4, 4, 1, 1]), info("sizes", [4], TensorProto.INT64),
               info("first", [2, 5, 3, 3]), info("second", [2, 5, 3, 3]), info("digits", [2], TensorProto.DOUBLE)]
    graph = helper.make_graph(nodes, "constants", [info("x", [2, 4, 3, 3])], outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    return model, [rng.standard_normal([2, 4, 3, 3]).astype(np.float32)]


def save(folder, name, model, values):
    onnx.save(model, f"{folder}/{name}.onnx")
    with open(f"{folder}/{name}.pkl", "wb") as file:
        pickle.dump(values, file)


def make_own(folder):
    for opset in range(6, 24):
        for kind in TYPES:
            if not (kind == "float16" and opset < 9):
                save(folder, f"fused_{opset}_{kind}", *fused(opset, kind))
        if opset >= 7:
            save(folder, f"constants_{opset}", *constants(opset))
    save(folder, "mixed", *mixed())


def make(folder):
    make_own(folder)
    from onnx.backend.test.case.node import collect_testcases
    takes_type = collect_testcases.__code__.co_argcount > 0
    for case in collect_testcases(None) if takes_type else collect_testcases():
        save(folder, case.name, case.model, case.data_sets[0][0] if case.data_sets else [])
    for path in glob.glob(os.path.dirname(onnx.__file__) + "/backend/test/data/*/*/model.onnx"):
        group, name = path.split("/")[-3:-1]
        save(folder, f"{group}_{name}", onnx.load(path), stored_inputs(os.path.dirname(path) + "/test_data_set_0"))
    for name in ["squeezenet", "shufflenet"]:
        for path in glob.glob(os.path.dirname(onnx.__file__) + f"/backend/test/data/light/light_{name}.onnx"):
            onnx.save(onnx.load(path), f"{folder}/light_{name}.onnx")


def session(path):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


REALS = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16}


def outputs(path, values):
    """By name; real inputs in the type that the model wants."""
    opened = session(path)
    feed = {}
    for entry, value in zip(opened.get_inputs(), values):
        is_real = isinstance(value, np.ndarray) and value.dtype.kind == "f"
        feed[entry.name] = value.astype(REALS[entry.type]) if is_real and entry.type in REALS else value
    return dict(zip([entry.name for entry in opened.get_outputs()], opened.run(None, feed)))


def is_training(node, opset):
    if opset < 14:
        return len(node.output) > 1
    return any(attribute.name == "training_mode" and attribute.i for attribute in node.attribute)


def has_no_one_answer(model):
    """It draws numbers, or is in training, where the program does as in inference and says so."""
    opset = max([entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")], default=1)
    return any(node.op_type.startswith("Random") or node.op_type in ("Bernoulli", "Multinomial") or (node.op_type == "Dropout" and len(node.input) > 2) or
               (node.op_type == "BatchNormalization" and is_training(node, opset)) for node in model.graph.node)


def difference(ours, wanted):
    if isinstance(wanted, list) or isinstance(ours, list):
        if not isinstance(ours, list) or not isinstance(wanted, list) or len(ours) != len(wanted):
            return "other sequences"
        return next((text for text in map(difference, ours, wanted) if text), "")
    if wanted is None or ours is None:
        return "" if wanted is ours else "an output of nothing"
    ours, wanted = np.asarray(ours), np.asarray(wanted)
    if ours.shape != wanted.shape:
        return f"shape {ours.shape} instead of {wanted.shape}"
    if wanted.dtype.kind != "f":
        return "" if np.array_equal(ours, wanted) else "other values"
    if wanted.size == 0:
        return ""
    bound = HALF_BOUND if wanted.dtype == np.float16 else BOUND
    with np.errstate(all="ignore"):
        same = np.isclose(ours.astype(np.float64), wanted.astype(np.float64), rtol=bound, atol=bound, equal_nan=True)
    return "" if same.all() else f"{(~same).sum()} of {same.size} values differ"


def inputs_of(source, converted):
    """Those kept with the source, or random ones of the sizes that the converted file has."""
    if os.path.exists(source[:-5] + ".pkl"):
        with open(source[:-5] + ".pkl", "rb") as file:
            return pickle.load(file)
    rng = np.random.default_rng(0)
    values = []
    for entry in onnx.load(converted, load_external_data=False).graph.input:
        tensor = entry.type.tensor_type
        shape = [dim.dim_value for dim in tensor.shape.dim]
        dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        values.append((rng.standard_normal(shape) if dtype.kind == "f" else np.ones(shape)).astype(dtype))
    return values


def fault(path):
    try:
        onnx.checker.check_model(path, full_check=True)
        return ""
    except Exception as error:
        return "invalid: " + str(error).strip().replace("\n", " ")[:300]


def disagreement(source, converted):
    """Nothing where the outputs agree; None where ONNX Runtime does not run the source."""
    try:
        values = inputs_of(source, converted)
        wanted = outputs(source, values)
    except Exception:
        return None
    taken = [entry.shape for entry in session(converted).get_inputs()]
    if any(np.shape(value) != tuple(shape) for value, shape in zip(values, taken)):
        return None  # sizes that the source leaves open
    try:
        ours = outputs(converted, values)
    except Exception as error:
        return "ONNX Runtime refuses it: " + str(error).split("\n")[0]
    if list(ours) != list(wanted):
        return f"outputs {list(ours)} instead of {list(wanted)}"
    return next((text for text in map(difference, ours.values(), wanted.values()) if text), "")


def check(sources, converted, every):
    bad = run = 0
    paths = sorted(glob.glob(f"{converted}/*.onnx"))
    for i, path in enumerate(paths):
        source = f"{sources}/{os.path.basename(path)}"
        problem = fault(path)
        if problem and os.path.exists(source) and fault(source):
            problem = ""  # the source, too, is none that this checker accepts
        compares = not problem and i % every == 0 and os.path.exists(source)
        if compares and not has_no_one_answer(onnx.load(source, load_external_data=False)):
            found = disagreement(source, path)
            run += found is not None
            problem = found or ""
        if problem:
            bad += 1
            print(f"BAD {os.path.basename(path)}: {problem}", flush=True)
    print(f"checked {len(paths)}, run {run}, bad {bad}")
    return 1 if bad or not paths else 0


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what != "check":
        {"make": make, "make_own": make_own}[what](*rest)
    else:
        sys.exit(check(rest[0], rest[1], int(rest[2]) if len(rest) > 2 else 1))
