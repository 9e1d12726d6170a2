"""Runs models with ONNX Runtime for Stagecraft: a request a line on standard input, an answer a line on standard output."""

import json
import os
import platform
import statistics
import sys
import tempfile
import time

TRACED_RUNS = 9
WARM_UP = 2


def describe():
    """Says what this Python has, without importing it."""
    from importlib import metadata, util

    sys.stdin.readline()
    known = {"python": platform.python_version()}
    for module in ("numpy", "onnxruntime"):
        if util.find_spec(module) is None:
            known["missing"] = module
            break
        for name in (module, module + "-gpu", module + "-openvino", module + "-directml"):
            try:
                known[module] = metadata.version(name)
                break
            except metadata.PackageNotFoundError:
                continue
        known.setdefault(module, "of unknown version")
    print(json.dumps(known), flush=True)


class Loaded:
    """A model with a schedule. `streams`: names of nodes by stream; none: one node after another, or, in parallel,
    on the stream that ONNX Runtime chooses."""

    def __init__(self, request):
        self.model = request["model"]
        self.level = request["level"]
        self.threads = request["threads"]
        self.parallel = request["parallel"]
        self.streams = request["streams"]
        self.session = self.opened()
        self.inputs = made_inputs(self.session)

    def opened(self, profile=None):
        if self.streams:
            config = {"type": "DeviceBasedPartitioner", "devices": ["0"] * len(self.streams), "streams": self.streams}
            return run.session_for(config, self.level, self.threads, self.model, profile)[0]
        options = run.parallel_options(self.level, self.threads, 1) if self.parallel else run.options_for(self.level, self.threads)
        if profile:
            options.enable_profiling = True
            options.profile_file_prefix = profile
        return run.load(options, self.model)

    def time(self, request):
        start = time.perf_counter()
        for _ in range(request["runs"]):
            self.session.run(None, self.inputs)
        return {"us": 1e6 * (time.perf_counter() - start)}

    def trace(self, request):
        """Of several runs, the one that took the median time: its nodes, and how long each took in each run."""
        known = {name: name for name in request["nodes"]}
        with tempfile.TemporaryDirectory() as folder:
            session = self.opened(os.path.join(folder, "profile"))
            for _ in range(WARM_UP + TRACED_RUNS):
                session.run(None, self.inputs)
            with open(session.end_profiling(), encoding="utf-8") as file:
                events = json.load(file)
        ends = "_kernel_time"
        runs = [e for e in events if e.get("cat") == "Session" and e["name"] == "model_run"][-TRACED_RUNS:]
        nodes = [e for e in events if e.get("cat") == "Node" and e["name"].endswith(ends)]
        by_run = [[e for e in nodes if run_["ts"] <= e["ts"] <= run_["ts"] + run_["dur"]] for run_ in runs]
        typical = sorted(range(len(runs)), key=lambda i: runs[i]["dur"])[len(runs) // 2]
        start = runs[typical]["ts"]
        spans = []
        for event in sorted(by_run[typical], key=lambda e: e["ts"]):
            name = event["name"].removesuffix(ends)
            spans.append({"name": name, "node": run.found(name, known), "thread": event["tid"],
                          "start_us": event["ts"] - start, "us": event["dur"]})
        times = {}
        for each in by_run:
            for event in each:
                times.setdefault(event["name"].removesuffix(ends), []).append(event["dur"])
        return {"us": runs[typical]["dur"], "spans": spans,
                "nodes": [{"node": run.found(name, known), "us": statistics.median(taken)} for name, taken in times.items()]}

    def run(self, request):
        values = [numpy.load(path) for path in request["inputs"]]
        outputs = self.session.run(None, {known.name: value for known, value in zip(self.session.get_inputs(), values)})
        paths = []
        for i, output in enumerate(outputs):
            paths.append(os.path.join(request["folder"], f"output{i}.npy"))
            numpy.save(paths[-1], numpy.ascontiguousarray(output))
        return {"outputs": paths}


def made_inputs(session):
    """Numbers between -1 and 1; zeros where they may be places; empty texts."""
    types = {"tensor(float)": "float32", "tensor(float16)": "float16", "tensor(double)": "float64", "tensor(bool)": "bool"}
    random = numpy.random.default_rng(1)
    values = {}
    for one in session.get_inputs():
        kind = types.get(one.type, one.type[len("tensor(") : -1])
        if kind == "string":
            values[one.name] = numpy.full(one.shape, "", dtype=object)
        elif kind.startswith("float"):
            values[one.name] = random.uniform(-1, 1, one.shape).astype(kind)
        else:
            values[one.name] = numpy.zeros(one.shape, kind)
    return values


def serve():
    """Until the input ends. Files are in a folder that ends with this program."""
    global numpy, run
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is no answer
    import numpy
    import run

    loaded = {}
    with tempfile.TemporaryDirectory(prefix="stagecraft-") as folder:
        tempfile.tempdir = folder
        for line in sys.stdin:
            request = json.loads(line)
            answer = {"folder": folder}
            try:
                if request["do"] == "load":
                    loaded[request["key"]] = Loaded(request)
                elif request["do"] == "drop":
                    loaded.pop(request["key"], None)
                elif request["do"] != "begin":
                    answer = getattr(loaded[request["key"]], request["do"])(request)
            except Exception as error:  # whatever ONNX Runtime refuses is said, and the next request is served
                answer = {"error": f"{error}" or type(error).__name__}
            print(json.dumps(answer), file=answers, flush=True)
