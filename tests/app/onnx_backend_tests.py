"""Executes ONNX's own backend tests (those that come with PyPI's onnx) with stagecraft-cli run.

usage: onnx_backend_tests.py STAGECRAFT_CLI [--constants] [--list] [PATTERN]
Every case must come out right, by the tolerances ONNX gives it, or be refused: exit status 3 with a message that names
what is refused, an operator, input or output of the case. Prints what is neither, then a count. --constants: with all
inputs but one as constants, as exporters write models, where that makes another model. --list prints every case.
PATTERN: only cases whose name contains it. Exit status 1 if any case is wrong or ends in another way.
"""
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
    for node in model.graph.node:
        names |= {node.op_type, node.name, *node.output}
    return names - {""}


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
        if not isinstance(value, np.ndarray) or value.dtype.name not in ("float32", "float64", "int64", "int32", "uint8"):
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
            words = set(re.findall(r"[^\s,;:()]+", message))
            if words & named(self.model):
                return "refused", message
            return "failed", "refused without a name: " + message
        if done.returncode != 0:
            return "failed", f"exit status {done.returncode}: {message}"
        got = np.load(output)
        try:
            if not isinstance(wanted, np.ndarray):
                raise AssertionError("a tensor where there should be none")
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
    chosen = [case for case in cases() if pattern in case[0]]
    if "--constants" in sys.argv:
        chosen = [case for case in map(with_constants, chosen) if case]
    chosen = [Run(program, tensor_option, case) for case in chosen]
    counts = {"right": 0, "refused": 0, "wrong": 0, "failed": 0}
    with ThreadPoolExecutor(PROCESSES) as pool:
        for run, (verdict, why) in zip(chosen, pool.map(Run.verdict, chosen)):
            counts[verdict] += 1
            if listed or verdict in ("wrong", "failed"):
                print(f"{verdict} {run.name} {why}".rstrip())
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 1 if counts["wrong"] or counts["failed"] or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
