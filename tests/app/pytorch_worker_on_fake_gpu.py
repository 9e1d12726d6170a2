#!/usr/bin/env python3
"""Stands for a Python with a GPU: as python -c WORKER, runs the worker for PyTorch on the GPU of fake_torch_cuda.py.

FAKE_GPU_PLAN: a file for what that GPU was given last, as `stagecraft-cli verify` reads it. FAKE_GPU_CAPTURES=no: nothing can
be captured. FAKE_GPU_OUTPUTS=wrong: the outputs are zeros."""
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import fake_torch_cuda as fake


class Event:
    def __init__(self, enable_timing):
        self.at = None

    def record(self, stream):
        self.at = time.perf_counter()

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        return 1e3 * (end.at - self.at)


def without_captures(graph, stream=None):
    raise RuntimeError("CUDA error: operation not permitted when stream is capturing")


def faked(torch, record):
    made = fake.fake_torch(record, is_new=True)
    made.device = lambda kind, number=None: torch.device("cpu")
    made.zeros = torch.zeros
    made.version = type("Version", (), {"__version__": torch.__version__, "cuda": "12.4", "hip": None})
    cuda = made.cuda
    cuda.is_available, cuda.device_count, cuda.set_device = lambda: True, lambda: 1, lambda device: None
    cuda.get_device_name, cuda.Event = lambda number: "Fake GPU", Event
    cuda.synchronize = lambda device=None: record.synchronize()
    if os.environ.get("FAKE_GPU_CAPTURES") == "no":
        cuda.graph = without_captures
    return made


def main():
    worker = {"__name__": "worker"}
    exec(compile(sys.argv[2], "worker", "exec"), worker)
    load, handle = worker["load_torch"], worker["Worker"].handle
    records = []

    def load_faked():
        if worker["torch"] is None:
            load()
            fake.LONG = {}  # all numbers are wanted
            records.append(fake.Record())
            worker["torch"] = faked(worker["torch"], records[0])

    def handle_recorded(self, request):
        load_faked()
        with records[0]:
            reply = handle(self, request)
        if reply.has("outputs") and os.environ.get("FAKE_GPU_OUTPUTS") == "wrong":
            for tensor in reply.outputs.tensors:
                tensor.values = bytes(len(tensor.values))
        path = os.environ.get("FAKE_GPU_PLAN")
        captured = [program for program in records[0].programs if program.origin]
        if path and captured:
            captured[-1].write(path)
        return reply

    worker["load_torch"], worker["Worker"].handle = load_faked, handle_recorded
    sys.argv = ["-c"]
    return worker["main"]()


if __name__ == "__main__":
    sys.exit(main())
