"""Makes the small ONNX files beside it. Run by hand (needs the Python package onnx); the files are kept in the repository.

Legal ones are checked by onnx and, where they can run, were compared with ONNX Runtime; broken ones are wrong on purpose.
"""

import pathlib

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

HERE = pathlib.Path(__file__).parent
RANDOM = np.random.default_rng(1)


def weight(name, *shape):
    return nh.from_array(RANDOM.standard_normal(shape).astype(np.float32), name)


def ints(name, *values):
    return nh.from_array(np.array(values, dtype=np.int64), name)


def reals(name, *values):
    return nh.from_array(np.array(values, dtype=np.float32), name)


def image(*dims, name="x"):
    return h.make_tensor_value_info(name, T.FLOAT, list(dims))


def result(name="y", dims=None):
    return h.make_tensor_value_info(name, T.FLOAT, dims)


def save(name, nodes, initializers=(), inputs=None, outputs=None, opset=13, check=True, domains=(), value_info=()):
    graph = h.make_graph(nodes, "graph", [image(1, 3, 8, 8)] if inputs is None else inputs, outputs or [result()], list(initializers),
                         value_info=list(value_info))
    opsets = [h.make_opsetid("", opset)] + [h.make_opsetid(domain, 1) for domain in domains]
    model = h.make_model(graph, opset_imports=opsets, ir_version=8)
    if check:
        known = {info.name: info for info in onnx.shape_inference.infer_shapes(model).graph.output}
        for output in model.graph.output:
            if known[output.name].type.tensor_type.HasField("shape"):
                output.CopyFrom(known[output.name])
            else:
                output.CopyFrom(h.make_tensor_value_info(output.name, T.FLOAT, [None] * 4))
        onnx.checker.check_model(model)
    onnx.save(model, HERE / (name + ".onnx"))
    return model


def conv(source, target, weights, name=None, **attributes):
    attributes.setdefault("kernel_shape", [3, 3])
    attributes.setdefault("pads", [1, 1, 1, 1])
    return h.make_node("Conv", [source, *weights], [target], name=name or target, **attributes)


def node(kind, sources, targets, **attributes):
    targets = [targets] if isinstance(targets, str) else targets
    return h.make_node(kind, sources, targets, name=attributes.pop("name", targets[0]), **attributes)


def legal():
    # (x - 1) / sqrt(4) * 2 + 3: scale 1, shift 2.
    norm = [reals("g", 2, 2, 2, 2), reals("b", 3, 3, 3, 3), reals("m", 1, 1, 1, 1), reals("v", 4, 4, 4, 4)]
    ones = nh.from_array(np.ones((4, 3, 3, 3), np.float32), "w")
    save("conv_norm_relu",
         [conv("x", "a", ["w"]), node("BatchNormalization", ["a", "g", "b", "m", "v"], "n", epsilon=0.0),
          node("Relu", ["n"], "y")], [ones] + norm)
    save("norm_kept_apart",
         [node("BatchNormalization", ["x", "g", "b", "m", "v"], "n", epsilon=0.0), node("Relu", ["n"], "y")],
         [reals("g", 2, 2, 2), reals("b", 3, 3, 3), reals("m", 1, 1, 1), reals("v", 4, 4, 4)])
    save("bias_apart",
         [conv("x", "a", ["w"]), node("Add", ["a", "c"], "s"), node("Mul", ["s", "k"], "y")],
         [ones, nh.from_array(np.full((4, 1, 1), 0.5, np.float32), "c"), reals("k", 2)])
    save("auto_pad", [h.make_node("Conv", ["x", "w"], ["y"], name="c", auto_pad="SAME_UPPER", strides=[2, 2])],
         [weight("w", 4, 3, 3, 3)], [image(1, 3, 9, 8)])
    save("ceil_pool", [node("MaxPool", ["x"], "y", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)],
         inputs=[image(1, 3, 8, 8)])
    save("dilated_groups", [conv("x", "y", ["w"], dilations=[2, 2], pads=[2, 2, 2, 2], group=3)],
         [weight("w", 6, 1, 3, 3)])
    save("transposed",
         [node("ConvTranspose", ["x", "w"], "y", kernel_shape=[2, 2], strides=[2, 2], output_padding=[1, 1])],
         [weight("w", 3, 5, 2, 2)])
    save("open_sizes", [conv("x", "a", ["w"]), node("GlobalAveragePool", ["a"], "y")], [weight("w", 4, 3, 3, 3)],
         [image("N", 3, "H", "W")])
    save("open_sizes_small_only",  # runs at 28x28 alone: 784 values go into the matrix
         [node("Flatten", ["x"], "f"), node("MatMul", ["f", "w"], "y")], [weight("w", 784, 10)],
         [image("batch", 1, "height", "width")])
    save("computed_reshape",
         [node("Shape", ["x"], "s"), node("Gather", ["s", "zero"], "n", axis=0),
          node("Unsqueeze", ["n", "zero_axis"], "u"), node("Concat", ["u", "rest"], "target", axis=0),
          node("Reshape", ["x", "target"], "r"), node("Gemm", ["r", "w", "b"], "y", transB=1)],
         [ints("zero_axis", 0), ints("rest", -1), nh.from_array(np.array(0, np.int64), "zero"),
          weight("w", 10, 192), weight("b", 10)], [image("N", 3, 8, 8)])
    save("fixed_reshape", [node("Reshape", ["x", "t"], "y")], [ints("t", 1, 192)])
    save("fixed_sum", [node("Add", ["x", "c"], "y")], [nh.from_array(np.ones((2, 3, 1, 1), np.float32), "c")])
    values = RANDOM.standard_normal((4, 3, 1, 1)).astype(np.float32)
    save("constant_nodes",
         [h.make_node("Constant", [], ["w"], value=nh.from_array(values)),
          h.make_node("Conv", ["x", "w"], ["a"]),
          h.make_node("Identity", ["a"], ["i"]), h.make_node("Dropout", ["i"], ["y"])])
    save("weights_as_inputs", [conv("x", "y", ["w"])], [weight("w", 4, 3, 3, 3)],
         [image(1, 3, 8, 8), image(4, 3, 3, 3, name="w")])
    half = nh.from_array(np.linspace(-1, 1, 12).astype(np.float16).reshape(4, 3, 1, 1), "h")
    typed = h.make_tensor("b", T.FLOAT, [4], [1, 2, 3, 4])
    save("half_weights",
         [node("Cast", ["h"], "w", to=T.FLOAT), h.make_node("Conv", ["x", "w", "b"], ["y"], name="y")], [half, typed])
    save("shared_relu",
         [node("Relu", ["x"], "r"), conv("r", "d1", ["k1"], group=3), node("Conv", ["d1", "p1"], "s1"),
          conv("r", "d2", ["k2"], group=3), node("Conv", ["d2", "p2"], "s2"), node("Conv", ["r", "p3"], "s3"),
          node("Add", ["s1", "s2"], "a"), node("Concat", ["a", "s3"], "y", axis=1)],
         [weight("k1", 3, 1, 3, 3), weight("p1", 4, 3, 1, 1), weight("k2", 3, 1, 3, 3), weight("p2", 4, 3, 1, 1),
          weight("p3", 4, 3, 1, 1)])
    save("residual",
         [conv("x", "a", ["w1"]), node("Relu", ["a"], "ar"), conv("ar", "b", ["w2"]), node("Add", ["b", "x"], "s"),
          node("Relu", ["s"], "y")], [weight("w1", 3, 3, 3, 3), weight("w2", 3, 3, 3, 3)])
    save("pre_activation", [node("Relu", ["x"], "r"), conv("r", "y", ["w"])], [weight("w", 4, 3, 3, 3)])
    save("gated",
         [conv("x", "a", ["w"]), node("Sigmoid", ["a"], "g"), node("Mul", ["a", "g"], "silu"),
          conv("silu", "b", ["v"]), node("Add", ["b", "three"], "b3"),
          node("Clip", ["b3", "low", "high"], "c"), node("Mul", ["b", "c"], "p"), node("Div", ["p", "six"], "y")],
         [weight("w", 4, 3, 3, 3), weight("v", 4, 4, 3, 3), reals("three", 3), reals("six", 6),
          nh.from_array(np.array(0, np.float32), "low"), nh.from_array(np.array(6, np.float32), "high")])
    save("relu6", [conv("x", "a", ["w"]), h.make_node("Clip", ["a"], ["y"], name="y", min=0.0, max=6.0)],
         [weight("w", 4, 3, 3, 3)], opset=10)
    save("pad_apart",
         [node("Pad", ["x", "p"], "z", mode="constant"), conv("z", "y", ["w"], pads=[0, 0, 1, 1], strides=[2, 2])],
         [ints("p", 0, 0, 1, 1, 0, 0, 0, 0), weight("w", 4, 3, 3, 3)])
    save("nested_concat",
         [node("Relu", ["x"], "a"), node("Tanh", ["x"], "b"), node("Concat", ["a", "b"], "ab", axis=1),
          node("Concat", ["ab", "x"], "y", axis=-3)])
    save("old_broadcast", [node("Mul", ["x", "k"], "y", broadcast=1, axis=1)], [reals("k", 1, 2, 3)], opset=6)
    save("two_outputs",
         [node("Split", ["x", "sizes"], ["left", "right"], axis=3), node("Relu", ["left"], "y"),
          node("Sigmoid", ["right"], "z")], [ints("sizes", 3, 5)], outputs=[result("y"), result("z")])
    save("mean_pool", [node("ReduceMean", ["x"], "m", axes=[2, 3]), node("Flatten", ["m"], "f"),
                       node("Softmax", ["f"], "y", axis=1)])
    save("resize",
         [node("Resize", ["x", "", "scales"], "y", mode="nearest")], [reals("scales", 1, 1, 2, 2)])
    save("unknown_operator",
         [node("Relu", ["x"], "a"), h.make_node("Mystery", ["a"], ["m"], name="m", domain="com.example", level=3),
          node("Relu", ["m"], "y")], domains=["com.example"],
         value_info=[h.make_tensor_value_info("m", T.FLOAT, [1, 7, 8, 8])])
    save("unknown_shape",
         [h.make_node("Mystery", ["x"], ["m"], name="m", domain="com.example"), node("Relu", ["m"], "y")],
         domains=["com.example"])
    branch = h.make_graph([h.make_node("Relu", ["a"], ["t"])], "then", [], [result("t")])
    other = h.make_graph([h.make_node("Neg", ["a"], ["e"])], "else", [], [result("e")])
    save("branches",
         [node("Tanh", ["x"], "a"), node("ReduceMax", ["x"], "top", keepdims=0), node("Greater", ["top", "zero"], "if"),
          h.make_node("If", ["if"], ["y"], name="choice", then_branch=branch, else_branch=other)],
         [nh.from_array(np.array(0, np.float32), "zero")])
    save("same_node_names", [node("Relu", ["x"], "a", name="n"), node("Tanh", ["a"], "y", name="n")])
    save("shuffled", [node("Relu", ["b"], "y"), node("Tanh", ["a"], "b"), node("Relu", ["x"], "a")], check=False)
    # Outputs behind the first: the specification lets a file leave these out.
    save("unused_mask", [conv("x", "a", ["w"]), node("Dropout", ["a"], ["d", "mask"]), node("Relu", ["d"], "y")], [ones])
    save("unused_statistics",
         [conv("x", "a", ["w"]), node("BatchNormalization", ["a", "g", "b", "m", "v"], ["n", "m2", "v2"],
                                      training_mode=1), node("Relu", ["n"], "y")], [ones] + norm, opset=14)
    save("both_in_training",
         [node("BatchNormalization", ["x", "g", "b", "m", "v"], ["n1", "m2", "v2"], training_mode=1),
          node("BatchNormalization", ["n1", "g", "b", "m", "v"], ["n2", "m3", "v3"], training_mode=1),
          node("Relu", ["n2"], "y")], norm, inputs=[image(1, 4, 8, 8)], opset=14)
    save("unused_old_statistics",
         [conv("x", "a", ["w"]), node("BatchNormalization", ["a", "g", "b", "m", "v"], ["n", "m2", "v2", "m3", "v3"]),
          node("Relu", ["n"], "y")], [ones] + norm, opset=8)
    save("unused_places", [node("MaxPool", ["x"], ["y", "places"], kernel_shape=[2, 2], strides=[2, 2])])
    gates = [nh.from_array(np.ones((1, 20, size), np.float32), name) for name, size in (("w", 3), ("r", 5))]
    save("unused_states", [node("LSTM", ["x", "w", "r"], ["y", "h", "c"], hidden_size=5)], gates, [image(7, 1, 3)])
    save("unused_sequence", [node("LSTM", ["x", "w", "r"], ["all", "y", "c"], hidden_size=5)], gates, [image(7, 1, 3)])
    save("used_mask", [node("Dropout", ["x"], ["d", "mask"]), node("Relu", ["d"], "y"),
                       node("Cast", ["mask"], "z", to=T.FLOAT)], outputs=[result("y"), result("z")])
    save("used_statistics", [node("BatchNormalization", ["x", "g", "b", "m", "v"], ["y", "m2", "v2"], training_mode=1)],
         [reals(name, 1, 2, 3) for name in "gbmv"], outputs=[result("y"), result("v2")], opset=14)
    save("used_places", [node("MaxPool", ["x"], ["y", "places"], kernel_shape=[2, 2]), node("Cast", ["places"], "z", to=T.FLOAT)],
         outputs=[result("y"), result("z")])
    external("external", "external.bin", 0)


def external(name, location, offset, check=True):
    values = RANDOM.standard_normal((4, 3, 3, 3)).astype(np.float32)
    tensor = T(name="w", data_type=T.FLOAT, dims=[4, 3, 3, 3], data_location=T.EXTERNAL)
    for key, value in (("location", location), ("offset", offset), ("length", values.nbytes)):
        tensor.external_data.add(key=key, value=str(value))
    if check:
        (HERE / location).write_bytes(values.tobytes())
    save(name, [conv("x", "y", ["w"])], [tensor], check=False)


def executed():
    """What cpu executes, or refuses by name."""
    c = reals("c", 1, 2, 3)
    save("constant_output", [node("Identity", ["c"], "d"), node("Relu", ["x"], "y")], [c], outputs=[result("d"), result()])
    save("no_inputs", [node("Sin", ["c"], "y")], [c], inputs=[])
    yes = nh.from_array(np.array(True), "yes")
    save("training_dropout", [node("Dropout", ["x", "half", "yes"], "y")], [nh.from_array(np.float32(0.5), "half"), yes])
    save("parts", [node("SplitToSequence", ["x"], "parts", axis=1), node("SequenceAt", ["parts", "last"], "part"),
                   node("Relu", ["part"], "y")], [nh.from_array(np.array(-1), "last")], outputs=[result(dims=[1, 1, 8, 8])])
    doubles = [h.make_tensor_value_info(name, T.DOUBLE, [3]) for name in "xy"]
    save("doubles", [node("Relu", ["x"], "y")], inputs=doubles[:1], outputs=doubles[1:], opset=14)
    save("cast_to_double", [node("Cast", ["x"], "y", to=T.DOUBLE)], inputs=[image(3)], outputs=doubles[1:])
    half = h.make_tensor_value_info("y", T.FLOAT16, [3])
    save("cast_to_half", [node("Cast", ["x"], "y", to=T.FLOAT16)], inputs=[image(3)], outputs=[half])
    save("old_broadcast_of_tensors", [node("Add", ["x", "s"], "y", axis=1, broadcast=1)], opset=6,
         inputs=[image(1, 3, 3, 3), image(3, name="s")], outputs=[result(dims=[1, 3, 3, 3])], check=False)
    save("bad_slope", [node("PRelu", ["x", "s"], "y")], [nh.from_array(np.ones([2, 2, 3, 8, 8], np.float32), "s")],
         check=False)
    save("bad_only_constants", [node("Shape", ["x"], "y")], outputs=[h.make_tensor_value_info("y", T.INT64, [4])],
         check=False)


def broken():
    good = weight("w", 4, 3, 3, 3)
    save("bad_cycle", [node("Add", ["x", "b"], "a"), node("Relu", ["a"], "b"), node("Relu", ["b"], "y")], check=False)
    save("bad_missing_tensor", [node("Add", ["x", "ghost"], "y")], check=False)
    save("bad_missing_output", [node("Relu", ["x"], "z")], check=False)
    save("bad_twice_made", [node("Relu", ["x"], "y"), node("Tanh", ["x"], "y")], check=False)
    for kind, operands in [("Relu", ["x"]), ("Sigmoid", ["x"]), ("Add", ["x", "x"]), ("Concat", ["x", "x"]),
                           ("Identity", ["x"])]:
        extra = {"axis": 1} if kind == "Concat" else {}
        save("bad_two_outputs_" + kind.lower(), [h.make_node(kind, operands, ["a", "b"], name="n", **extra),
                                                 node("Add", ["a", "b"], "y")], check=False)
    save("bad_two_outputs_constant", [h.make_node("Abs", ["w"], ["a", "b"], name="n"), node("Add", ["x", "b"], "y")],
         [reals("w", 1)], check=False)
    for kind, operands in [("Tanh", []), ("Relu", ["x", "x"]), ("Add", ["x"]), ("Add", ["x", "x", "x"]), ("Gemm", ["x", "", "x"])]:
        save(f"bad_inputs_{kind.lower()}_{len(operands)}", [h.make_node(kind, operands, ["y"], name="n")], check=False)
    wrong, right = (h.make_graph([h.make_node("Relu", sources, ["r"], name="r")], "branch", [], [result("r")])
                    for sources in (["x", "x"], ["x"]))
    save("bad_branch", [node("ReduceMax", ["x"], "m", keepdims=0), node("Cast", ["m"], "b", to=T.BOOL),
                        node("If", ["b"], "y", then_branch=wrong, else_branch=right)], check=False)
    twice = node("Softmax", ["x"], "y", axis=1)
    twice.attribute.append(h.make_attribute("axis", 2))
    save("bad_attribute_twice", [twice], check=False)
    save("bad_axis_softmax", [node("Softmax", ["x"], "y", axis=9)], check=False)
    save("bad_axis_layer_norm", [node("LayerNormalization", ["x", "s"], "y", axis=9)], [reals("s", *[1] * 8)], opset=17, check=False)
    save("bad_two_initializers", [node("Add", ["x", "w"], "y")], [reals("w", 1), reals("w", 1, 2)], check=False)
    for name, kind, attributes in [("text", "Softmax", {"axis": "channel"}), ("number", "Gelu", {"approximate": 1}),
                                   ("choice", "Gelu", {"approximate": "erf"})]:
        save("unknown_value_" + name, [node(kind, ["x"], "y", **attributes)], opset=20, check=False)
    save("unknown_value_padding", [conv("x", "y", ["w"], auto_pad="SAMEISH")], [good], check=False)
    save("bad_channels", [conv("x", "y", ["w"])], [weight("w", 4, 5, 3, 3)], check=False)
    save("bad_window", [conv("x", "y", ["w"], kernel_shape=[9, 9], pads=[0, 0, 0, 0])], [weight("w", 4, 3, 9, 9)])
    save("bad_stride", [conv("x", "y", ["w"], strides=[0, 1])], [good])
    save("bad_groups", [conv("x", "y", ["w"], group=-2)], [good])
    save("bad_sum", [conv("x", "a", ["w"]), node("Add", ["a", "x"], "y")], [good], check=False)
    save("bad_matrix", [node("Flatten", ["x"], "f"), node("MatMul", ["f", "m"], "y")], [weight("m", 191, 10)], check=False)
    save("bad_reshape", [node("Reshape", ["x", "t"], "y")], [ints("t", 1, 7, -1)], check=False)
    save("bad_norm", [node("BatchNormalization", ["x", "g", "g", "g", "g"], "y")], [reals("g", 1, 2)], check=False)
    save("bad_negative_input", [node("Relu", ["x"], "y")], inputs=[image(1, 3, -7, 8)], check=False)
    save("bad_huge_input", [node("Relu", ["x"], "y")], inputs=[image(1, 3, 2**40, 8)], check=False)
    save("bad_overflow_input", [node("Relu", ["x"], "y")], inputs=[image(2**22, 2**22, 2**22, 2**22)], check=False)
    save("bad_huge_output", [conv("x", "y", ["w"], pads=[1000000] * 4)], [good])
    no_shape = h.make_tensor_value_info("x", T.FLOAT, None)
    save("bad_no_input_shape", [node("Relu", ["x"], "y")], inputs=[no_shape], check=False)
    huge = T(name="w", data_type=T.FLOAT, dims=[2**31, 2**31, 3, 3])
    save("bad_overflow_weight", [conv("x", "y", ["w"])], [huge], check=False)
    negative = T(name="w", data_type=T.FLOAT, dims=[-4, 3, 3, 3], raw_data=b"\0" * 432)
    save("bad_negative_weight", [conv("x", "y", ["w"])], [negative], check=False)
    empty = T(name="w", data_type=T.FLOAT, dims=[4, 3, 3, 3])
    save("bad_no_data", [conv("x", "y", ["w"])], [empty], check=False)
    short = T(name="w", data_type=T.FLOAT, dims=[4, 3, 3, 3], raw_data=b"\0" * 400)
    save("bad_short_data", [conv("x", "y", ["w"])], [short], check=False)
    save("bad_sequence_input", [node("SequenceLength", ["x"], "y")],
         inputs=[h.make_value_info("x", h.make_sequence_type_proto(h.make_tensor_type_proto(T.FLOAT, [1])))], check=False)
    save("bad_no_operators", [], check=False)
    external("bad_external_escape", "../../../etc/hostname", 0, check=False)
    external("bad_external_absolute", "/etc/hostname", 0, check=False)
    external("bad_external_missing", "nowhere.bin", 0, check=False)
    external("bad_external_offset", "external.bin", 10**15, check=False)
    model = onnx.load(HERE / "conv_norm_relu.onnx")
    model.ClearField("graph")
    (HERE / "bad_no_graph.onnx").write_bytes(model.SerializeToString())
    (HERE / "bad_cut_short.onnx").write_bytes((HERE / "residual.onnx").read_bytes()[:400])
    (HERE / "bad_text.onnx").write_text("This is a text about neural networks.\n")
    (HERE / "bad_empty.onnx").write_bytes(b"")


# What a few bytes can ask for, and names that are none.
def hostile():
    save("folds_too_much", [h.make_node("ConstantOfShape", ["s"], ["c"], name="fill"), node("Abs", ["c"], "a"),
                            node("ReduceMax", ["a"], "m", keepdims=0), node("Add", ["x", "m"], "y")],
         [ints("s", 1 << 14, 1 << 13)])
    save("names_with_controls", [h.make_node("Relu", ["x"], ["a"], name="red\x1b[31m\nstage 9\u202e"),
                                 h.make_node("Sigmoid", ["a"], ["y"], name="caf?")])
    path = HERE / "names_with_controls.onnx"
    path.write_bytes(path.read_bytes().replace(b"caf?", b"caf\xff"))

# What has no cost, and what costs are counted in.
def costs():
    target = [node("ReduceMax", ["x"], "top", keepdims=0), node("Cast", ["top"], "whole", to=T.INT64),
              node("Unsqueeze", ["whole", "first"], "size"), node("Concat", ["batch", "size", "side"], "target", axis=0)]
    save("lost_shapes",
         [conv("x", "a", ["w"], name="before"), *target, node("Reshape", ["a", "target"], "r", name="lost"),
          conv("r", "b", ["v"], name="conv1"), node("Relu", ["b"], "c"), conv("c", "d", ["v"], name="conv2"),
          node("Sigmoid", ["d"], "e"), node("Tanh", ["x"], "z")],
         [weight("w", 4, 3, 3, 3), weight("v", 4, 4, 3, 3), ints("first", 0), ints("batch", 1), ints("side", -1, 8)],
         outputs=[result("e"), result("z")], check=False)
    save("mystery_chain",
         [h.make_node("Mystery", ["x"], ["m1"], name="m1", domain="com.example"), node("Relu", ["m1"], "a"),
          h.make_node("Mystery", ["a"], ["m2"], name="m2", domain="com.example"), node("Relu", ["m2"], "y")],
         domains=["com.example"],
         value_info=[h.make_tensor_value_info(name, T.FLOAT, [1, 3, 8, 8]) for name in ("m1", "m2")])
    save("shared_weights",
         [conv("x", "a", ["w"]), conv("a", "b", ["w"]), node("Reshape", ["b", "t"], "r"),
          node("Resize", ["b", "", "scales"], "z", mode="nearest"), node("Mul", ["r", "k"], "y")],
         [weight("w", 3, 3, 3, 3), ints("t", 1, 192), reals("scales", 1, 1, 2, 2), weight("k", 1, 192)],
         outputs=[result("y"), result("z")])
    half = nh.from_array(RANDOM.standard_normal((64, 64, 3, 3)).astype(np.float16), "w")
    halves = [conv("h", "a", ["w"]), node("Relu", ["a"], "b"), conv("b", "c", ["w"])]
    save("half_inside", [node("Cast", ["x"], "h", to=T.FLOAT16), *halves, node("Cast", ["c"], "y", to=T.FLOAT)], [half],
         [image(1, 64, 32, 32)])
    save("half_throughout", halves[:2] + [conv("b", "y", ["w"])], [half],
         [h.make_tensor_value_info("h", T.FLOAT16, [1, 64, 32, 32])],
         [h.make_tensor_value_info("y", T.FLOAT16, [1, 64, 32, 32])], check=False)
    save("half_stored",
         [node("Cast", ["w"], "v", to=T.FLOAT), conv("h", "a", ["v"]), node("Relu", ["a"], "b"), conv("b", "y", ["v"])],
         [half], [image(1, 64, 32, 32, name="h")])
    zero = nh.from_array(np.array(0, np.uint8), "zero")
    scale = nh.from_array(np.array(0.1, np.float32), "scale")
    save("quantised",
         [node("QuantizeLinear", ["x", "scale", "zero"], "q"), node("DequantizeLinear", ["q", "scale", "zero"], "d"),
          conv("d", "y", ["w"])], [zero, scale, weight("w", 4, 3, 3, 3)])
    save("open_sizes_rare",  # runs at 30x20, which nobody guesses
         [node("Flatten", ["x"], "f"), node("MatMul", ["f", "w"], "y")], [weight("w", 600, 10)],
         [image("batch", 1, "height", None)])


legal()
executed()
broken()
hostile()
costs()
