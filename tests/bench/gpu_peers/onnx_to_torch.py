"""An ONNX model as a torch.fx.GraphModule: the peer's side of the comparison, built from the same file that we run.

Covers the operators of convolutional networks; anything else is refused by name, so that no peer silently computes something
else. Needs the Python packages onnx, numpy and torch.
"""
import operator

import onnx
import onnx.numpy_helper
import torch
import torch.nn.functional as F


class Unsupported(Exception):
    """The model has something that is not translated; the message names the node."""


def symmetric_or_padded(graph, value, pads, fill):
    """The value to read and the padding left to the operator: torch pads both ends alike, ONNX need not."""
    half = len(pads) // 2
    if pads[:half] == pads[half:]:
        return value, tuple(pads[:half])
    both_ends = [pad for axis in reversed(range(half)) for pad in (pads[axis], pads[axis + half])]
    return graph.call_function(F.pad, (value, both_ends), {"value": fill}), (0,) * half


class Translator:
    def __init__(self, model):
        self.model = model
        self.graph = torch.fx.Graph()
        self.root = torch.nn.Module()
        self.values = {}
        self.constants = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}

    def translate(self):
        self.inputs = [i.name for i in self.model.graph.input if i.name not in self.constants]
        for position, name in enumerate(self.inputs):
            self.values[name] = self.graph.placeholder(f"input_{position}")
        for node in self.model.graph.node:
            rule = getattr(self, "on_" + node.op_type, None)
            if rule is None or node.domain not in ("", "ai.onnx"):
                raise Unsupported(f"{node.name or node.output[0]}: {node.op_type} has no translation to PyTorch")
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            self.values[node.output[0]] = rule(node, attributes)
        self.graph.output(self.values[self.model.graph.output[0].name])
        return torch.fx.GraphModule(self.root, self.graph)

    def value(self, name):
        if name not in self.values:
            attribute = f"constant_{len(self.values)}"
            self.root.register_parameter(
                attribute, torch.nn.Parameter(torch.tensor(self.constants[name]), requires_grad=False))
            self.values[name] = self.graph.get_attr(attribute)
        return self.values[name]

    def call(self, function, *arguments, **named):
        return self.graph.call_function(function, arguments, named)

    def window(self, node, attributes, rank):
        if attributes.get("auto_pad", b"NOTSET") not in (b"NOTSET", b"VALID"):
            raise Unsupported(f"{node.name}: automatic padding is not translated")
        return (attributes.get("pads", [0] * 2 * rank), tuple(attributes.get("strides", [1] * rank)),
                tuple(attributes.get("dilations", [1] * rank)))

    def on_Conv(self, node, attributes):
        weight = self.constants[node.input[1]]
        rank = weight.ndim - 2
        pads, strides, dilations = self.window(node, attributes, rank)
        value, padding = symmetric_or_padded(self.graph, self.value(node.input[0]), pads, 0)
        bias = self.value(node.input[2]) if len(node.input) > 2 else None
        return self.call({1: F.conv1d, 2: F.conv2d, 3: F.conv3d}[rank], value, self.value(node.input[1]), bias,
                         stride=strides, padding=padding, dilation=dilations, groups=attributes.get("group", 1))

    def on_MaxPool(self, node, attributes):
        rank = len(attributes["kernel_shape"])
        pads, strides, dilations = self.window(node, attributes, rank)
        value, padding = symmetric_or_padded(self.graph, self.value(node.input[0]), pads, float("-inf"))
        return self.call(F.max_pool2d, value, tuple(attributes["kernel_shape"]), stride=strides, padding=padding,
                         dilation=dilations, ceil_mode=bool(attributes.get("ceil_mode", 0)))

    def on_AveragePool(self, node, attributes):
        pads, strides, _ = self.window(node, attributes, len(attributes["kernel_shape"]))
        if pads[: len(pads) // 2] != pads[len(pads) // 2:]:
            raise Unsupported(f"{node.name}: an average over uneven padding is not translated")
        return self.call(F.avg_pool2d, self.value(node.input[0]), tuple(attributes["kernel_shape"]), stride=strides,
                         padding=tuple(pads[: len(pads) // 2]), ceil_mode=bool(attributes.get("ceil_mode", 0)),
                         count_include_pad=bool(attributes.get("count_include_pad", 0)))

    def on_GlobalAveragePool(self, node, attributes):
        return self.call(F.adaptive_avg_pool2d, self.value(node.input[0]), 1)

    def on_GlobalMaxPool(self, node, attributes):
        return self.call(F.adaptive_max_pool2d, self.value(node.input[0]), 1)

    def on_BatchNormalization(self, node, attributes):
        scale, shift, mean, variance = (self.value(name) for name in node.input[1:5])
        return self.call(F.batch_norm, self.value(node.input[0]), mean, variance, scale, shift, False, 0.0,
                         attributes.get("epsilon", 1e-5))

    def on_Concat(self, node, attributes):
        return self.call(torch.cat, [self.value(name) for name in node.input], attributes["axis"])

    def on_Sum(self, node, attributes):
        total = self.value(node.input[0])
        for name in node.input[1:]:
            total = self.call(operator.add, total, self.value(name))
        return total

    on_Add = on_Sum

    def on_Mul(self, node, attributes):
        return self.call(operator.mul, self.value(node.input[0]), self.value(node.input[1]))

    def on_Gemm(self, node, attributes):
        if attributes.get("transA", 0) or attributes.get("alpha", 1) != 1 or attributes.get("beta", 1) != 1:
            raise Unsupported(f"{node.name}: this form of Gemm is not translated")
        weight = self.value(node.input[1])
        if not attributes.get("transB", 0):
            weight = self.call(torch.t, weight)
        return self.call(F.linear, self.value(node.input[0]), weight,
                         self.value(node.input[2]) if len(node.input) > 2 else None)

    def on_MatMul(self, node, attributes):
        return self.call(torch.matmul, self.value(node.input[0]), self.value(node.input[1]))

    def on_Flatten(self, node, attributes):
        return self.call(torch.flatten, self.value(node.input[0]), attributes.get("axis", 1))

    def on_Softmax(self, node, attributes):
        return self.call(F.softmax, self.value(node.input[0]), attributes.get("axis", -1))

    def on_LeakyRelu(self, node, attributes):
        return self.call(F.leaky_relu, self.value(node.input[0]), attributes.get("alpha", 0.01))

    def on_Relu(self, node, attributes):
        return self.call(F.relu, self.value(node.input[0]))

    def on_Sigmoid(self, node, attributes):
        return self.call(torch.sigmoid, self.value(node.input[0]))

    def on_Tanh(self, node, attributes):
        return self.call(torch.tanh, self.value(node.input[0]))

    def on_HardSwish(self, node, attributes):
        return self.call(F.hardswish, self.value(node.input[0]))

    def on_Identity(self, node, attributes):
        return self.value(node.input[0])


def load(path):
    """The module and the names and shapes of its inputs; fp32, on the CPU."""
    translator = Translator(onnx.load(path))
    module = translator.translate().eval()
    shapes = {i.name: [d.dim_value for d in i.type.tensor_type.shape.dim] for i in translator.model.graph.input}
    return module, [(name, shapes[name]) for name in translator.inputs]
