"""Runs exported PyTorch modules and compares their outputs.

usage: exported_modules.py CASES.json
CASES: [{"module": FILE.py, "inputs": [X.npy...], "outputs": [Y.npy...], "bound": 1e-4}], inputs and outputs in the order of the
module.
Every module runs twice: on the CPU, and as on a GPU, with streams that are played: there every tensor has to be made, and every
one that is given up has to be read, before whoever comes after by streams and events.
Prints what differs; exit status 1 if an output differs by more than the bound of the largest magnitude, or if a stream
reads a tensor that it did not wait for.
"""
import contextlib
import importlib.util
import json
import sys

import numpy
import torch


class Stream:
    """Its clock has, for each stream, how many steps it has come after."""

    current = None

    def __init__(self):
        self.clock = {self: 0}

    def record_event(self):
        return dict(self.clock)

    def wait_event(self, event):
        for stream, time in event.items():
            self.clock[stream] = max(self.clock.get(stream, 0), time)

    def step(self):
        self.clock[self] += 1
        return self, self.clock[self]

    def follows(self, step):
        return self.clock.get(step[0], 0) >= step[1]


@contextlib.contextmanager
def on(stream):
    before, Stream.current = Stream.current, stream
    yield
    Stream.current = before


class Tensors:
    """The tensors of a run: who made them, and who read them last on each stream."""

    def __init__(self):
        object.__setattr__(self, "steps", {})

    def __setattr__(self, name, value):
        self.steps[name] = [Stream.current.step()]
        object.__setattr__(self, name, value)

    def __getattribute__(self, name):
        steps = object.__getattribute__(self, "steps")
        if name in steps:
            if not Stream.current.follows(steps[name][0]):
                raise RuntimeError(f"a stream reads {name} and did not wait for it")
            steps[name].append(Stream.current.step())
        return object.__getattribute__(self, name)

    def __delattr__(self, name):
        if not all(Stream.current.follows(step) for step in self.steps.pop(name)):
            raise RuntimeError(f"{name} is given up while another stream may read it")
        object.__delattr__(self, name)


def as_on_gpu(module, network, inputs):
    network.streams = [Stream() for _ in range(module.STREAMS - 1)]
    module.SimpleNamespace = Tensors
    main = Stream()
    torch.cuda.current_stream = lambda device: Stream.current
    torch.cuda.stream = on
    with on(main):
        outputs = network(*inputs)
    for stream in network.streams:
        if not main.follows((stream, stream.clock[stream])):
            raise RuntimeError("the run ends before one of its streams")
    return outputs


failed = 0
for case in json.load(open(sys.argv[1])):
    spec = importlib.util.spec_from_file_location("network", case["module"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    network = module.Network()
    inputs = [torch.from_numpy(numpy.load(file)) for file in case["inputs"]]
    for outputs in network(*inputs), as_on_gpu(module, network, inputs):
        outputs = [outputs] if isinstance(outputs, torch.Tensor) else outputs
        for output, file in zip(outputs, case["outputs"], strict=True):
            wanted = numpy.load(file)
            got = output.numpy()
            equal = got.shape == wanted.shape and numpy.allclose(
                got, wanted, rtol=0, atol=case["bound"] * max(1e-6, float(numpy.nanmax(numpy.abs(wanted), initial=0))), equal_nan=True
            )
            if not equal:
                print("DIFFERS", case["module"], got.shape)
            failed += not equal
sys.exit(failed > 0)
