"""Runs exported PyTorch modules, compares their outputs, and records what they give a GPU.

usage: exported_modules.py CASES.json
CASES: [{"module": FILE.py, "inputs": [X.npy...], "outputs": [Y.npy...], "bound": 1e-4, "plans": PREFIX,
"labels": ["stage 1, group 1 / conv"...], "damaged": true}], inputs and outputs in the order of the module; labels: those of its
kernels.
Every module runs on the CPU, and as on a GPU (fake_torch_cuda.py): twice, and captured with its channels last. Files of launches
are written at PREFIX: .run and .capture-new. Where it is to be damaged it runs on the CPU with its channels last and is exported,
too, and more files are written: .capture-old, by a PyTorch like 1.13, and what is not safe, .dropped-N, a capture without one of
its waits, and .forgetful, a run in which tensors are given up with the last read (.harmless where the allocator had no use for
their bytes).
Prints what is wrong, a line each, and how memory was used; exit status 1 if something is wrong.
"""
import importlib.util
import json
import sys

import numpy
import torch

sys.dont_write_bytecode = True
from fake_torch_cuda import Record, fake_torch, tf32_now

TF32 = {"none": (False, False), "convolutions": (True, False), "all": (True, True)}  # of convolutions and products
MOST_DROPPED = 12  # of more waits a few are dropped, one at a time
failed = []


def check(is_right, *what):
    if not is_right:
        failed.append(what)
        print("DIFFERS", *what)


def loaded(file):
    spec = importlib.util.spec_from_file_location("network", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def listed(outputs):
    return [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)


def on_gpu(module, record, is_new, **options):
    """A network whose GPU is the record."""

    class OnGpu(module.Network):
        def to(self, device):
            return self  # its tensors stay on the CPU

    module.torch = fake_torch(record, is_new)
    return OnGpu(device="cuda", **options)


def forgetful(reads):
    """A namespace that lets go of a tensor with its last read; counts reads first, where `reads` is empty."""
    left = dict(reads)

    class Tensors:
        def __getattribute__(self, name):
            value = object.__getattribute__(self, name)
            if isinstance(value, torch.Tensor):
                if left:
                    left[name] -= 1
                    if left[name] == 0:
                        self.__dict__.pop(name)
                else:
                    reads[name] = reads.get(name, 0) + 1
            return value

        def __delattr__(self, name):
            self.__dict__.pop(name, None)

    return Tensors


class Case:
    def __init__(self, case):
        self.case = case
        self.module = loaded(case["module"])
        self.words = ("launch", "stream") if hasattr(self.module.Network, "LAUNCHES") else ("stage", "group")
        self.inputs = [torch.from_numpy(numpy.load(file)) for file in case["inputs"]]

    def check(self, is_right, *what):
        check(is_right, self.case["module"], *what)

    def compare(self, outputs, how):
        for output, file in zip(listed(outputs), self.case["outputs"], strict=True):
            wanted = numpy.load(file)
            bound = self.case["bound"] * max(1e-6, float(numpy.nanmax(numpy.abs(wanted), initial=0)))
            got = output.numpy()
            is_equal = got.shape == wanted.shape and numpy.allclose(got, wanted, rtol=0, atol=bound, equal_nan=True)
            self.check(is_equal, how, got.shape)

    def check_names(self, program, unnamed, how):
        labels = set(self.case["labels"])
        if not labels:
            return
        self.check(labels <= program.ranges, how, "nothing is named", sorted(labels - program.ranges)[:3])
        others = [label for label in program.labels if label not in labels | {"inputs"}]
        self.check(others == [""] * unnamed, how, "kernels are named", others[:3])

    def run(self, plan, runs):
        """Each run takes the memory of the last one, whose outputs the caller read and let go."""
        record = Record()
        network = on_gpu(self.module, record, is_new=False, channels_last=True)
        with record:
            for _ in range(runs):
                outputs = listed(network(*self.inputs))
                record.outputs = [record.block_of(output) for output in outputs]
                record.launch("read by the caller", record.outputs, [])
                del outputs
        if plan == "forgetful" and record.allocator.too_early == 0:
            plan = "harmless"
        record.program.write(f"{self.case['plans']}.{plan}")
        return record

    def check_runs(self):
        record = self.run("run", runs=2)
        self.check_names(record.program, 2, "run")
        images = [each for each in self.inputs if each.dim() == 4]
        is_changed = not all(each.is_contiguous(memory_format=torch.channels_last) for each in images)
        kept = [block for block in record.outputs if block.stream is record.main or record.main in block.used_on]
        self.check(kept == record.outputs, "run", "outputs go back to their streams before the caller has read them")
        self.check(("inputs" in record.program.labels) == is_changed, "run", "the layout of inputs")
        self.check_memory(record, "run")

    def check_memory(self, record, how):
        count = record.allocator
        self.check(count.too_early == 0, how, f"{count.too_early} blocks are given to others too early")
        print(f"{self.case['plans']}, {how}: {count.made} blocks made, {count.reused} of them of bytes given back")

    def check_export(self):
        """Of this PyTorch: 1.13 has no torch.export, and 2.15 keeps the names on nodes."""
        try:
            program = self.module.Network().export()
        except RuntimeError as error:
            self.check(not hasattr(torch, "export") and "cannot trace this network" in str(error), str(error))
            return
        self.compare(program.module()(*self.inputs), "torch.export")
        if hasattr(torch.fx.traceback, "preserve_node_meta"):
            nodes = [node.meta.get("custom", {}) for node in program.graph.nodes if node.op == "call_function"]
            names = [", ".join(f"{word} {node.get(word)}" for word in self.words) + f" / {node.get('name')}" for node in nodes]
            self.check(set(names) == set(self.case["labels"]), "torch.export", "nodes are named", names[:3])

    def capture(self, is_new, dropped=None, **options):
        record = Record(dropped)
        network = on_gpu(self.module, record, is_new, **options)
        with record:
            run = network.capture()
        return record, record.programs[1], run

    def check_capture(self, is_new, **options):
        before = tf32_now()
        record, program, run = self.capture(is_new, **options)
        how = f"capture-{'new' if is_new else 'old'}"
        wanted = {"capture_error_mode": "thread_local", "enable_annotations": True} if is_new else {}
        self.check(program.options == wanted, how, program.options)
        self.check_names(program, 0, how)
        tf32 = TF32.get(options.get("tf32", self.module.TF32), before)
        self.check(set(program.tf32) <= {tf32} and tf32_now() == before, how, "TF32 is", set(program.tf32))
        self.check_memory(record, how)
        outputs = run(*self.inputs)
        program.write(f"{self.case['plans']}.{how}", {record.block_of(output) for output in listed(outputs)})
        self.compare(outputs, how)
        return program

    def damage(self, program):
        waits = sum("wait" in step for step in program.steps)
        # A stream of launches may be forked and joined by the schedule's own events as well.
        around = self.module.STREAMS - 1 if hasattr(self.module.Network, "LAUNCHES") else 0
        needed = range(around, waits - around)
        some = needed if len(needed) <= MOST_DROPPED else needed[:: len(needed) // 4]
        for dropped in some:
            _, damaged, _ = self.capture(True, program.waits_before + dropped + 1, channels_last=True, tf32="all")
            damaged.write(f"{self.case['plans']}.dropped-{dropped}")
        reads = {}
        self.module.SimpleNamespace = forgetful(reads)
        self.module.Network()(*self.inputs)
        self.module.SimpleNamespace = forgetful(reads)
        self.run("forgetful", runs=1)


for case in map(Case, json.load(open(sys.argv[1]))):
    case.compare(case.module.Network()(*case.inputs), "on the CPU")
    if case.case["damaged"]:
        case.compare(case.module.Network(channels_last=True)(*case.inputs), "channels last")
        case.check_export()
    case.check_runs()
    program = case.check_capture(is_new=True, channels_last=True, tf32="all")
    if case.case["damaged"]:
        case.check_capture(is_new=False)
        case.damage(program)
sys.exit(len(failed) > 0)
