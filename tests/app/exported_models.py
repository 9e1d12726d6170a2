"""Judges the program by files that others' exporters wrote: about 150, of exported_set.py and of those derived from them.

usage: exported_models.py make FOLDER [PATTERN]                     writes those that are not there yet (needs torch,
                                                                    torchvision, timm, onnxscript, rapidocr-onnxruntime)
       exported_models.py table STAGECRAFT_CLI FOLDER [PATTERN]     the table (needs onnx, onnxruntime)
The table has a line per file: whether it opens with a cost for every operator, whether `run` on cpu gives every output
within 1e-4 of ONNX Runtime's largest (or within what ONNX Runtime's own results differ by: optimised or plain, and for
quantised files with weights that differ in their last digits; or within two steps of half precision where the file
computes in that; rows of a detector may change places with others whose score differs in its last digit only), whether
`convert` writes a valid file that computes the same, and arithmetic and parameters against a count of our own. Then what
is wrong, each with its reason, and the totals. Exit status 1 if less than 95 % of the files pass.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnx

from onnx_costs import costs_of

BOUND = 1e-4
HALF_BOUND = 2.0 ** -9
COST_BOUND = 0.01
PROCESSES = 2
SECONDS_EACH = 300
NEIGHBOURS = 3
SHARE = 0.95

# Files that come with PyPI packages: where, and sizes for those that the file leaves open.
PACKAGED = {
    "rapidocr_detection": ("rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx", [1, 3, 96, 160]),
    "rapidocr_direction": ("rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx", [1, 3, 48, 192]),
    "rapidocr_recognition": ("rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx", [1, 3, 48, 160]),
}

# Name to the file it is made of, and how.
DERIVED = {
    "qdq_resnet18": ("tv_resnet18-script-11", "qdq"),
    "qdq_mobilenet_v2": ("tv_mobilenet_v2-script-17", "qdq"),
    "qdq_unet": ("unet_transposed-script-17", "qdq"),
    "qdq_by_channel_mnasnet": ("tv_mnasnet0_5-script-16", "qdq_by_channel"),
    "qoperator_resnet18": ("tv_resnet18-script-11", "qoperator"),
    "qoperator_squeezenet": ("tv_squeezenet1_1-script-11", "qoperator"),
    "qoperator_mobilenet_v3": ("tv_mobilenet_v3_small-script-18", "qoperator"),
    "dynamic_bert": ("bert-script-11", "dynamic"),
    "dynamic_gpt": ("gpt-script-14", "dynamic"),
    "dynamic_alexnet": ("tv_alexnet-script-9", "dynamic"),
    "half_resnet18": ("tv_resnet18-script-11", "half"),
    "half_bert": ("bert-script-17", "half"),
    "half_edsr": ("edsr-script-14", "half"),
    "half_inside_mobilenet_v2": ("tv_mobilenet_v2-script-17", "half_inside"),
    "fused_resnet18": ("tv_resnet18-script-11", "fused"),
    "fused_bert": ("bert-script-17", "fused"),
}


def path_of(folder, name):
    return os.path.join(folder, name + ".onnx")


# Making.


def export(row, folder):
    import torch
    name, exporter, opset, maker = row
    torch.manual_seed(sum(name.encode()))
    module, inputs = maker()
    module.eval()
    settle(module)
    with torch.no_grad():
        if hasattr(module, "tell_apart"):
            module.tell_apart(*inputs)
        path = path_of(folder, name)
        if exporter == "dynamo":
            torch.onnx.export(module, inputs, path, dynamo=True, opset_version=opset, external_data=False)
        else:
            torch.onnx.export(module, inputs, path, dynamo=False, opset_version=opset)
    names = [entry.name for entry in onnx.load(path, load_external_data=False).graph.input]
    np.savez(path[:-5] + ".npz", **dict(zip(names, [value.numpy() for value in inputs])))
    return products_of(module, inputs)


def settle(module):
    """Statistics and factors as training leaves them: random ones would let values grow without bound or vanish."""
    import torch
    for part in module.modules():
        if isinstance(part, torch.nn.modules.batchnorm._BatchNorm) and part.running_var is not None:
            part.running_mean.normal_(0, 0.1)
            part.running_var.uniform_(0.5, 1.5)
    with torch.no_grad():
        for weight in module.parameters():
            if weight.is_floating_point() and weight.numel() > 1 and weight.abs().max() < 1e-3:
                weight.normal_(0, 0.05)


def products_of(module, inputs):
    """Multiply-adds times two, by PyTorch's own count; nothing where that fails."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode
    try:
        with torch.no_grad(), FlopCounterMode(display=False) as counter:
            module(*inputs)
        return counter.get_total_flops()
    except Exception:
        return None


def sample_inputs(folder, name):
    """By name, as kept with the file."""
    with np.load(path_of(folder, name)[:-5] + ".npz") as kept:
        return {key: kept[key] for key in kept.files}


def derive(source, how, folder, path):
    import onnxruntime
    from onnxruntime import quantization
    values = sample_inputs(folder, source)
    source = path_of(folder, source)
    if how in ("qdq", "qdq_by_channel", "qoperator"):
        class Reader(quantization.CalibrationDataReader):
            def __init__(self):
                self.left = [values, {key: value * 0.9 for key, value in values.items()}]

            def get_next(self):
                return self.left.pop() if self.left else None

        form = quantization.QuantFormat.QOperator if how == "qoperator" else quantization.QuantFormat.QDQ
        kind = quantization.QuantType.QUInt8 if how == "qoperator" else quantization.QuantType.QInt8
        prepared = path + ".prepared"
        quantization.quant_pre_process(source, prepared, skip_symbolic_shape=True)
        quantization.quantize_static(prepared, path, Reader(), quant_format=form, per_channel=how == "qdq_by_channel",
                                     activation_type=kind, weight_type=quantization.QuantType.QInt8)
        os.remove(prepared)
    elif how == "dynamic":
        quantization.quantize_dynamic(source, path, weight_type=quantization.QuantType.QUInt8)
    elif how in ("half", "half_inside"):
        from onnxruntime.transformers.float16 import convert_float_to_float16
        onnx.save(convert_float_to_float16(onnx.load(source), keep_io_types=how == "half_inside"), path)
        if how == "half":
            values = {key: value.astype(np.float16) if value.dtype == np.float32 else value for key, value in values.items()}
    else:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.optimized_model_filepath = path
        onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    np.savez(path[:-5] + ".npz", **values)


def packaged(name, folder):
    import importlib.util
    place, shape = PACKAGED[name]
    package = importlib.util.find_spec(place.split("/")[0])
    source = os.path.join(os.path.dirname(package.origin), *place.split("/")[1:])
    model = onnx.load(source)
    onnx.save(model, path_of(folder, name))
    value = np.random.default_rng(3).random(shape, np.float32)
    np.savez(path_of(folder, name)[:-5] + ".npz", **{model.graph.input[0].name: value})


def make(folder, pattern):
    from exported_set import rows
    os.makedirs(folder, exist_ok=True)
    failed = []
    tasks = [(row[0], lambda row=row: export(row, folder)) for row in rows()]
    tasks += [(name, lambda name=name: packaged(name, folder)) for name in PACKAGED]
    tasks += [(name, lambda name=name, source=source, how=how: derive(source, how, folder, path_of(folder, name)))
              for name, (source, how) in DERIVED.items()]
    for name, task in tasks:
        facts = path_of(folder, name)[:-5] + ".json"
        if pattern not in name or os.path.exists(facts):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                products = task()
            with open(facts, "w", encoding="utf-8") as file:
                json.dump({"products": products}, file)
            print("wrote", name, flush=True)
        except Exception as error:  # an exporter's own refusal: no file of the set
            failed.append(name)
            print("NOT WRITTEN", name, (str(error).strip().splitlines() or [type(error).__name__])[0][:200], flush=True)
            if os.environ.get("VERBOSE"):
                traceback.print_exc()
    print(f"{len(tasks) - len(failed)} of {len(tasks)} written or there")
    return 1 if failed else 0


# Judging.


def opened(path, optimised=False):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    level = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = level.ORT_ENABLE_ALL if optimised else level.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def outputs_of_neighbours(path, values):
    """Of a quantised file, with float32 weights, or scales of integer ones, that differ in their last digits: how often a
    number falls on the other side of a rounding. Nothing for other files."""
    model = onnx.load(path)
    if not any("uantize" in node.op_type or node.op_type.startswith("QLinear") for node in model.graph.node):
        return []
    found = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        near = onnx.ModelProto()
        near.CopyFrom(model)
        for entry in near.graph.initializer:
            if entry.data_type == onnx.TensorProto.FLOAT:
                weights = onnx.numpy_helper.to_array(entry)
                changed = weights * (1 + 2.0 ** -22 * rng.choice([-1, 1], weights.shape))
                entry.CopyFrom(onnx.numpy_helper.from_array(changed.astype(np.float32), entry.name))
        found.append(outputs_of(near.SerializeToString(), values))
    return found


def outputs_of(path, values, optimised=False):
    session = opened(path, optimised)
    return dict(zip([entry.name for entry in session.get_outputs()], session.run(None, values)))


def as_numbers(value):
    return np.asarray(value).astype(np.float64)


def distance(got, wanted):
    """The largest difference, as a share of the largest magnitude of finite values that are wanted."""
    got, wanted = as_numbers(got), as_numbers(wanted)
    if got.shape != wanted.shape:
        return np.inf
    finite = np.isfinite(wanted)
    if not np.array_equal(got[~finite], wanted[~finite], equal_nan=True):
        return np.inf
    if not finite.any():
        return 0.0
    return float(np.abs(got[finite] - wanted[finite]).max() / max(np.abs(wanted[finite]).max(), 1e-30))


def ranks(path):
    return any(node.op_type in ("TopK", "NonMaxSuppression") for node in onnx.load(path, load_external_data=False).graph.node)


def as_ranked(outputs, wanted):
    """The outputs with rows in the order in which they are wanted. Ranks are by scores, of which some differ in their last
    digit only: such rows may have changed places, by NEIGHBOURS at most, in all outputs of that many rows together."""
    ranked = dict(outputs)
    for count in {value.shape[0] for value in wanted.values() if value.ndim > 0 and value.shape[0] > 1}:
        names = [name for name, value in wanted.items() if value.ndim > 0 and value.shape[0] == count]
        if any(outputs[name].shape != wanted[name].shape for name in names):
            continue
        size = {name: max(np.abs(as_numbers(wanted[name])).max(), 1e-30) for name in names}
        ours, theirs = (np.hstack([as_numbers(values[name]).reshape(count, -1) / size[name] for name in names])
                        for values in (outputs, wanted))
        order, free = [], set(range(count))
        for row in range(count):
            near = [i for i in range(row - NEIGHBOURS, row + NEIGHBOURS + 1) if i in free]
            order.append(min(near, key=lambda i: np.abs(ours[i] - theirs[row]).max()) if near else min(free))
            free.remove(order[-1])
        ranked.update({name: outputs[name][order] for name in names})
    return ranked


def has_half(path):
    types = {entry.data_type for entry in onnx.load(path, load_external_data=False).graph.initializer}
    return onnx.TensorProto.FLOAT16 in types


def last_line(process):
    lines = [line for line in process.stderr.splitlines() if line and not line.startswith("note: ")]
    return re.sub(r"^stagecraft-cli: ", "", lines[-1] if lines else f"exit status {process.returncode}")[:300]


class Judged:
    """One file of the set. Members are empty where they are right, else the reason."""

    def __init__(self, cli, folder, name):
        self.cli, self.folder, self.name = cli, folder, name
        self.path = path_of(folder, name)
        self.opens = self.runs = self.converts = self.counts = ""
        self.error = self.flops = self.parameters = None

    def call(self, command, *arguments):
        environment = {**os.environ, "GOMP_SPINCOUNT": "2000"}
        return subprocess.run([self.cli, command, self.path, *arguments], capture_output=True, text=True,
                              errors="replace", timeout=SECONDS_EACH, env=environment)

    def judge(self):
        try:
            self.values = sample_inputs(self.folder, self.name)
            self.sizes = self.open_sizes()
            self.wanted = outputs_of(self.path, self.values)
            again = [outputs_of(self.path, self.values, optimised=True), *outputs_of_neighbours(self.path, self.values)]
            least = HALF_BOUND if has_half(self.path) else BOUND
            self.spread = {key: max(distance(other[key], value) for other in again)
                           for key, value in self.wanted.items()}
            self.bound = {key: max(least, spread) for key, spread in self.spread.items()}
            with tempfile.TemporaryDirectory() as scratch:
                self.judge_opening()
                if self.opens and self.parameters is None:
                    self.runs = self.converts = self.counts = "it does not open"
                    return self
                self.judge_running(scratch)
                self.judge_converting(scratch)
        except subprocess.TimeoutExpired as expired:
            self.runs = self.runs or f"{expired.cmd[1]}: no answer within {SECONDS_EACH} s"
        except Exception as error:
            self.opens = self.opens or "not judged: " + str(error).strip().splitlines()[0][:300]
        return self

    def open_sizes(self):
        """--shape for the inputs with open sizes."""
        found = []
        for entry in onnx.load(self.path, load_external_data=False).graph.input:
            dims = entry.type.tensor_type.shape.dim
            if entry.name in self.values and any(not dim.HasField("dim_value") or dim.dim_value < 1 for dim in dims):
                found += ["--shape", entry.name + "=" + "x".join(map(str, self.values[entry.name].shape))]
        return found

    def judge_opening(self):
        done = self.call("info", "--json", *self.sizes)
        if done.returncode != 0:
            self.opens = last_line(done)
            return
        answer = json.loads(done.stdout)
        if answer["flops_is_lower_bound"]:
            self.opens = "; ".join(f"no cost: {work['count']} from {work['operator']} on, because {work['reason']}"
                                   for work in answer.get("uncosted", [])) or "not fully costed"
        wanted = costs_of(self.path, self.values)
        with open(self.path[:-5] + ".json", encoding="utf-8") as file:
            products = json.load(file)["products"]
        self.flops = answer["flops"] / wanted.flops if wanted.flops else 1.0
        self.parameters = answer["parameters"] / wanted.parameters if wanted.parameters else 1.0
        if abs(self.flops - 1) > COST_BOUND:
            self.counts = f"{answer['flops']:,.0f} FLOP, counted {wanted.flops:,.0f}"
        elif abs(self.parameters - 1) > COST_BOUND:
            self.counts = f"{answer['parameters']:,} parameters, counted {wanted.parameters:,}"
        if products and abs(wanted.products / products - 1) > COST_BOUND:
            print(f"note: {self.name}: PyTorch counts {products:,} FLOP in products, this script {wanted.products:,}")

    def judge_running(self, scratch):
        given = []
        for place, (name, value) in enumerate(self.values.items()):
            file = os.path.join(scratch, f"{place}.npy")
            np.save(file, value)
            given += ["--input", f"{name}={file}"]
        self.error = 0.0
        outputs = {}
        for name in self.wanted:
            file = os.path.join(scratch, "output.npy")
            done = self.call("run", *given, *self.sizes, "-o", file, "--tensor", name)
            if done.returncode != 0:
                self.runs = last_line(done)
                return
            outputs[name] = np.load(file)
        if ranks(self.path):
            outputs = as_ranked(outputs, self.wanted)
        for name, wanted in self.wanted.items():
            error = distance(outputs[name], wanted)
            self.error = max(self.error, error)
            if error > self.bound[name] and not self.runs:
                self.runs = f"{name}: {error:.1e} of the largest output away; ONNX Runtime's own spread is {self.spread[name]:.1e}"

    def judge_converting(self, scratch):
        file = os.path.join(scratch, "converted.onnx")
        done = self.call("convert", *self.sizes, "-o", file)
        if done.returncode != 0:
            self.converts = last_line(done)
            return
        try:
            onnx.checker.check_model(file, full_check=False)
            got = outputs_of(file, self.values)
        except Exception as error:
            self.converts = str(error).strip().splitlines()[0][:300]
            return
        if list(got) != list(self.wanted):
            self.converts = f"outputs {list(got)} instead of {list(self.wanted)}"
            return
        for name, wanted in self.wanted.items():
            if got[name].dtype != wanted.dtype:
                self.converts = f"{name} is {got[name].dtype} instead of {wanted.dtype}"
            elif distance(got[name], wanted) > self.bound[name]:
                self.converts = f"{name}: {distance(got[name], wanted):.1e} of the largest output away"

    def reasons(self):
        return [(what, reason) for what, reason in [("costed", self.opens), ("runs", self.runs),
                                                    ("converts", self.converts), ("counted", self.counts)] if reason]

    def line(self):
        said = lambda reason: "no" if reason else "yes"
        ratio = lambda value: "" if value is None else f"{value:.4f}"
        error = "" if self.error is None else f"{self.error:.1e}"
        return (f"{self.name:48}{said(self.opens):>8}{said(self.runs):>6}{error:>10}{said(self.converts):>10}"
                f"{ratio(self.flops):>9}{ratio(self.parameters):>12}")


def table(cli, folder, pattern):
    names = sorted(name[:-5] for name in os.listdir(folder)
                   if name.endswith(".onnx") and pattern in name and os.path.exists(os.path.join(folder, name[:-5] + ".json")))
    print(f"{'file':48}{'costed':>8}{'runs':>6}{'error':>10}{'converts':>10}{'FLOPs':>9}{'parameters':>12}")
    judged = []
    with ThreadPoolExecutor(PROCESSES) as pool:
        for one in pool.map(Judged.judge, [Judged(os.path.abspath(cli), folder, name) for name in names]):
            judged.append(one)
            print(one.line(), flush=True)
    print()
    for one in judged:
        for what, reason in one.reasons():
            print(f"{one.name}: not {what}: {reason}")
    good = sum(not one.opens and not one.runs and not one.converts for one in judged)
    fully = [one for one in judged if not one.opens]
    print(f"\n{len(judged)} files: {len(fully)} fully costed, {sum(not one.runs for one in judged)} run, "
          f"{sum(not one.converts for one in judged)} converted alike; {good} all of it. "
          f"Counted alike: {sum(not one.counts for one in fully)} of {len(fully)} that are fully costed")
    return 0 if judged and good >= SHARE * len(judged) else 1


def main():
    what, *rest = sys.argv[1:]
    if what == "make":
        return make(rest[0], rest[1] if len(rest) > 1 else "")
    return table(rest[0], rest[1], rest[2] if len(rest) > 2 else "")


if __name__ == "__main__":
    sys.exit(main())
