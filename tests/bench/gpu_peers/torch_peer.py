"""One PyTorch mode on one model, as a child of gpu_peers.py: it loads once, then measures whenever it is told to.

usage: torch_peer.py MODE MODEL.onnx INPUT.npy PRECISION DEVICE     (mode: eager, graphs, compile)
Reads a word per line on standard input: `measure` answers {"median_us", "runs"} after a second of samples, `output PATH` writes
the first output as .npy. Every answer is one line of JSON; a failure is {"error": reason} and ends the process.

A sample is as one of ours (gpu/session/gpu_session.cpp): as many runs one behind the other as take two milliseconds, between two
events, so that launches overlap with what runs before them. On the CPU a sample is one run, as it is for our CPU device.
"""
import json
import math
import statistics
import sys
import time


def say(answer):
    print(json.dumps(answer), flush=True)


def give_up(error):  # the parent reports it: one mode that fails must not end the comparison
    say({"error": f"{type(error).__name__}: {error}"})
    raise SystemExit(1)


try:
    import numpy
    import torch

    import onnx_to_torch
except Exception as error:  # missing, or a library of theirs is
    give_up(error)

SECONDS = 1.0
FEWEST_SAMPLES = 20
SAMPLE_US = 2000.0
WARM_UP = 10


def set_precision(precision):
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = precision == "tf32"
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"


class Peer:
    def __init__(self, mode, path, input_path, precision, device):
        set_precision(precision)
        self.cuda = device != "cpu"
        kind = torch.float16 if precision == "fp16" else torch.float32
        layout = torch.contiguous_format if precision == "fp32" else torch.channels_last
        module, inputs = onnx_to_torch.load(path)
        if len(inputs) != 1:
            raise onnx_to_torch.Unsupported(f"{path}: {len(inputs)} inputs; the comparison feeds one")
        module = module.to(device=device, dtype=kind, memory_format=layout)
        self.input = torch.tensor(numpy.load(input_path)).to(device=device, dtype=kind, memory_format=layout)
        self.run = {"eager": self.eager, "graphs": self.graphs, "compile": self.compiled}[mode](module)
        with torch.inference_mode():
            for _ in range(WARM_UP):
                self.run()
        self.wait()

    def wait(self):
        if self.cuda:
            torch.cuda.synchronize()

    def eager(self, module):
        return lambda: module(self.input)

    def compiled(self, module):
        compiled = torch.compile(module, mode="max-autotune", fullgraph=True)
        return lambda: compiled(self.input)

    def graphs(self, module):
        if not self.cuda:
            raise RuntimeError("CUDA graphs need a CUDA device")
        side = torch.cuda.Stream()
        with torch.inference_mode(), torch.cuda.stream(side):
            for _ in range(WARM_UP):
                module(self.input)
        side.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.inference_mode(), torch.cuda.graph(graph):
            output = module(self.input)

        def replay():
            graph.replay()
            return output

        return replay

    def sample_us(self, number):
        """Microseconds of a run, of `number` of them one behind the other."""
        if not self.cuda:
            start = time.perf_counter()
            for _ in range(number):
                self.run()
            return (time.perf_counter() - start) * 1e6 / number
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(number):
            self.run()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e3 / number

    def measure(self):
        times = []
        end = time.monotonic() + SECONDS
        with torch.inference_mode():
            once_us = [self.sample_us(1) for _ in range(WARM_UP)][-1]  # others had the GPU: its clock rises again
            number = max(1, math.ceil(SAMPLE_US / once_us)) if self.cuda else 1
            while len(times) < FEWEST_SAMPLES or time.monotonic() < end:
                times.append(self.sample_us(number))
        return {"median_us": statistics.median(times), "runs": number * len(times)}

    def output(self, path):
        with torch.inference_mode():
            numpy.save(path, self.run().float().cpu().contiguous().numpy())
        return {}


def main():
    try:
        peer = Peer(*sys.argv[1:])
        say({})
        for line in sys.stdin:
            word, *rest = line.rstrip("\n").split(" ", 1)
            say(peer.measure() if word == "measure" else peer.output(*rest))
    except Exception as error:
        give_up(error)


if __name__ == "__main__":
    main()
