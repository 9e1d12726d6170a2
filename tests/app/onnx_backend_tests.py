"""Executes ONNX's own backend tests (those that come with PyPI's onnx) with stagecraft-cli run.

usage: onnx_backend_tests.py STAGECRAFT_CLI [--constants] [--list | --table | --refused] [PATTERN]
Every case must come out right, by the tolerances ONNX gives it, or be refused: exit status 3 with a message that names
what is refused, an operator, input or output of the case. Prints what is neither, then a count. --constants: with all
inputs but one as constants, as exporters write models, where that makes another model. --list prints every case;
--table counts them by operator and by the type of their data, with why they are refused; --refused prints the part of
it that is refused. PATTERN: only cases whose name contains it. Exit status 1 if any case is wrong or ends in another
way.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

PROCESSES = 2
SECONDS_EACH = 60
FOLDERS = ["pytorch-converted", "pytorch-operator", "simple"]


def value_in(path):
    """A tensor's array; nothing for sequences and optional values."""
    try:
        return numpy_helper.to_array(onnx.load_tensor(path))
    except Exception:  # protobuf's, of a message of another kind
        return None


def numbered(folder, prefix):
    paths = [os.path.join(folder, name) for name in os.listdir(folder) if name.startswith(prefix)]
    return [value_in(path) for path in sorted(paths, key=lambda path: int(re.search(r"(\d+)\.pb$", path)[1]))]


def plain(value):
    value = numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value
    return np.asarray(value) if isinstance(value, np.generic) else value


def cases():
    """Name, model, its folder, inputs, outputs and tolerances."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in collect_testcases(None):
            for inputs, outputs in case.data_sets:
                yield (case.name, case.model, None, [plain(value) for value in inputs],
                       [plain(value) for value in outputs], case.rtol, case.atol)
    for case in [case for folder in FOLDERS for case in load_model_tests(kind=folder)]:
        model = onnx.load(os.path.join(case.model_dir, "model.onnx"), load_external_data=False)
        for name in sorted(os.listdir(case.model_dir)):
            data = os.path.join(case.model_dir, name)
            if name.startswith("test_data_set"):
                yield (case.name, model, case.model_dir, numbered(data, "input_"), numbered(data, "output_"),
                       case.rtol, case.atol)


# Not for the executor of one inference: training, and attention. They are counted by themselves.
LEFT_OUT = {"Attention", "LinearAttention", "FlexAttention", "CausalConvWithState",
            "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss", "Adam", "Adagrad", "Momentum", "Gradient"}


def operators_of(all_cases):
    """By name: the operator that each case is about. An expanded case is about the one whose function it is."""
    operators = {}
    for name, model, *_ in all_cases:
        if "_expanded" not in name:
            nodes = model.graph.node
            operators[name] = nodes[-1].op_type if nodes else "none"
    for name, model, *_ in all_cases:
        if "_expanded" in name:
            operators[name] = operators.get(name[:name.index("_expanded")], model.graph.node[-1].op_type)
    return operators


def data_of(model):
    """"float32" where the data are of that type (places, sizes and conditions aside), "others" where they are of
    another, and "no tensors" for text, sequences and numbers that NumPy does not have."""
    types = set()
    for value in [*model.graph.input, *model.graph.output]:
        if not value.type.HasField("tensor_type"):
            return "no tensors"
        types.add(onnx.TensorProto.DataType.Name(value.type.tensor_type.elem_type))
    plain = {"FLOAT", "FLOAT16", "BFLOAT16", "DOUBLE", "INT64", "INT32", "INT16", "INT8", "UINT64", "UINT32", "UINT16",
             "UINT8", "BOOL"}
    if not types <= plain:
        return "no tensors"
    return "float32" if types & {"FLOAT"} and not types & {"FLOAT16", "BFLOAT16", "DOUBLE"} else "others"


def reason_of(message, model):
    """Why a case is refused, without what is only its own."""
    message = message.split("stagecraft-cli: ")[-1].split(". ")[0]
    parts = [part for part in message.split(": ") if not part.endswith("model.onnx") and part not in ("cpu",)]
    names = sorted(named(model), key=len, reverse=True)
    types = {node.op_type for node in model.graph.node}
    return " ".join("it" if word in names and word not in types else word for word in parts[-1].split())


def print_table(results, only_refused):
    counts = collections.defaultdict(collections.Counter)
    reasons = collections.defaultdict(collections.Counter)
    totals = collections.defaultdict(collections.Counter)
    for operator, model, verdict, why in results:
        verdict = {"right": "equal", "failed": "crashed"}.get(verdict, verdict)
        counts[operator][verdict] += 1
        kind = data_of(model)
        totals[kind + (", attention and training" if operator in LEFT_OUT else "")][verdict] += 1
        if verdict == "refused":
            reasons[operator][reason_of(why, model)] += 1
    for operator in sorted(counts):
        count = counts[operator]
        if not only_refused or count["refused"]:
            print(f"{operator:32}" + "".join(f"{count[what]:5} {what}" for what in
                                             (["refused"] if only_refused else ["equal", "refused", "wrong", "crashed"])))
            for reason, number in reasons[operator].most_common():
                print(f"{'':37}{number} x {reason}")
    for kind in sorted(totals):
        print(f"{kind}: {sum(totals[kind].values())} cases, " +
              ", ".join(f"{totals[kind][what]} {what}" for what in ["equal", "refused", "wrong", "crashed"]))


def with_constants(case):
    """The case as exporters write models: all inputs but the first of float32 are constants. Nothing where that is no
    other model."""
    name, model, folder, inputs, outputs, rtol, atol = case
    places = [place for place, value in enumerate(inputs) if isinstance(value, np.ndarray) and value.dtype == np.float32]
    if len(inputs) < 2 or not places or not all(isinstance(value, np.ndarray) for value in inputs):
        return None
    place = max(places, key=lambda place: (inputs[place].size > 0, -place))
    fixed = onnx.ModelProto()
    fixed.CopyFrom(model)
    infos = list(fixed.graph.input)
    del fixed.graph.input[:]
    for other, (info, value) in enumerate(zip(infos, inputs)):
        if other == place:
            fixed.graph.input.append(info)
        else:
            fixed.graph.initializer.append(numpy_helper.from_array(value, info.name))
    return name + " with constants", fixed, folder, [inputs[place]], outputs, rtol, atol


def with_given_sizes(model, inputs):
    """The model with the sizes of these inputs, where it leaves them open."""
    fixed = onnx.ModelProto()
    fixed.CopyFrom(model)
    for info, value in zip(fixed.graph.input, inputs):
        if not isinstance(value, np.ndarray) or not info.type.HasField("tensor_type"):
            continue
        shape = info.type.tensor_type.shape
        del shape.dim[:]
        for size in value.shape:
            shape.dim.add().dim_value = size
        info.type.tensor_type.shape.SetInParent()
    return fixed


def named(model):
    """What a message may name."""
    names = {value.name for value in [*model.graph.input, *model.graph.output]}

    def add(graph):
        for node in graph.node:
            names.update({node.op_type, node.name, *node.output})
            for attribute in node.attribute:
                add(attribute.g)

    add(model.graph)
    return names - {""}


def only_rounding(got, wanted):
    """Whether they differ by less than their precision tells apart, for the largest value that is wanted: some wanted
    values are themselves what is left of sums that cancel out (test_dft_inverse: 2e-7 where the exact value is 0), and
    16-bit numbers round where the tests' tolerance is finer than one of their steps (1e-3; bfloat16 has 8e-3)."""
    steps = {"float32": 4 * 2.0 ** -23, "float16": 2.0 ** -10, "bfloat16": 2.0 ** -7}.get(wanted.dtype.name)
    if steps is None or got.shape != wanted.shape or not wanted.size or got.dtype.name not in (wanted.dtype.name, "float32"):
        return False
    got, wanted = got.astype(np.float64), wanted.astype(np.float64)
    if not (np.isfinite(got).all() and np.isfinite(wanted).all()):
        return False
    return bool(np.abs(got - wanted).max() <= steps * np.abs(wanted).max())


class Run:
    def __init__(self, program, tensor_option, case):
        self.program, self.tensor_option = program, tensor_option
        self.name, self.model, self.folder, self.inputs, self.outputs, self.rtol, self.atol = case

    def verdict(self):
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "model.onnx")
            onnx.save(with_given_sizes(self.model, self.inputs), model)
            if self.folder:
                for name in os.listdir(self.folder):  # external data
                    if not name.startswith("test_data_set") and name != "model.onnx":
                        os.symlink(os.path.join(self.folder, name), os.path.join(folder, name))
            arguments = []
            for place, (info, value) in enumerate(zip(self.model.graph.input, self.inputs)):
                path = os.path.join(folder, f"input{place}.npy")
                np.save(path, self.as_file(value))
                arguments += ["--input", f"{info.name}={path}"]
            for place, (info, wanted) in enumerate(zip(self.model.graph.output, self.outputs)):
                verdict = self.verdict_of(model, arguments, os.path.join(folder, f"output{place}.npy"), info.name, wanted)
                if verdict != ("right", ""):
                    return verdict
        return "right", ""

    @staticmethod
    def as_file(value):
        """Types that .npy files or the program do not know are given as float32: the model says what they are."""
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiub":
            try:
                return np.asarray(value).astype(np.float32)
            except (TypeError, ValueError):
                return np.zeros(getattr(value, "shape", ()), np.float32)
        return value

    def verdict_of(self, model, arguments, output, name, wanted):
        environment = {**os.environ, "GOMP_SPINCOUNT": "2000"}  # what the worker would begin anew for
        command = [self.program, "run", model, *arguments, "-o", output, self.tensor_option, name]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS_EACH,
                                  env=environment)
        except subprocess.TimeoutExpired:
            return "failed", f"no answer within {SECONDS_EACH} s"
        lines = [line for line in done.stderr.splitlines() if not line.startswith("note: ")]
        message = " ".join(lines).replace(os.path.dirname(model) + "/", "")
        if done.returncode == 3:
            words = {word.rstrip(".") for word in re.findall(r"[^\s,;:()]+", message)}
            if words & named(self.model):
                return "refused", message
            return "failed", "refused without a name: " + message
        if done.returncode != 0:
            return "failed", f"exit status {done.returncode}: {message}"
        got = np.load(output)
        try:
            if not isinstance(wanted, np.ndarray):
                raise AssertionError("a tensor where there should be none")
            if only_rounding(got, wanted):
                return "right", ""
            if wanted.dtype.name == "bfloat16" and got.dtype == np.float32:  # NumPy's files have no such type
                wanted = wanted.astype(np.float32)
            Runner.assert_similar_outputs([wanted], [got], self.rtol, self.atol)
        except AssertionError as error:
            return "wrong", f"{name}: " + " ".join(str(error).split())[:300]
        return "right", ""


def main():
    program = os.path.abspath(sys.argv[1])
    listed = "--list" in sys.argv
    pattern = next((word for word in sys.argv[2:] if not word.startswith("-")), "")
    usage = subprocess.run([program, "run", "--help"], capture_output=True, text=True).stdout
    tensor_option = "--tensor" if "--tensor" in usage else "--output"
    everything = list(cases())
    operators = operators_of(everything)
    chosen = [case for case in everything if pattern in case[0]]
    if "--constants" in sys.argv:
        chosen = [case for case in map(with_constants, chosen) if case]
    chosen = [Run(program, tensor_option, case) for case in chosen]
    tabled = "--table" in sys.argv or "--refused" in sys.argv
    results = []
    counts = {"right": 0, "refused": 0, "wrong": 0, "failed": 0}
    with ThreadPoolExecutor(PROCESSES) as pool:
        for run, (verdict, why) in zip(chosen, pool.map(Run.verdict, chosen)):
            counts[verdict] += 1
            results.append((operators.get(run.name.removesuffix(" with constants"), "none"), run.model, verdict, why))
            if listed or verdict in ("wrong", "failed"):
                print(f"{verdict} {run.name} {why}".rstrip())
    if tabled:
        print_table(results, "--refused" in sys.argv)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    bad = [operator for operator, _, verdict, _ in results if verdict in ("wrong", "failed")]
    return 1 if bad or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
