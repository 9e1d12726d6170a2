"""Latency of the cpu device (Sequential) against ONNX Runtime (2 threads, default session options otherwise), interleaved.

usage: cpu_against_onnxruntime.py STAGECRAFT_CLI ROUNDS MODEL...     (built-in names or .onnx files)
One process per configuration and round: sessions that share a process disturb each other by spinning. Prints the median of
the rounds' medians with the range of the rounds, the ratio per model, and the geometric mean of the ratios.
"""
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

PEER = """
import sys, time, numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 2
options.log_severity_level = 3
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
shapes = eval(sys.argv[2])
feed = {i.name: numpy.random.rand(*shapes.get(i.name, i.shape)).astype(numpy.float32) for i in session.get_inputs()}
for _ in range(5):
    session.run(None, feed)
times, end = [], time.time() + 1.5
while time.time() < end:
    start = time.perf_counter()
    session.run(None, feed)
    times.append((time.perf_counter() - start) * 1e3)
print(numpy.median(times))
"""


def answer(command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main():
    cli, rounds, *models = sys.argv[1:]
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = folder
        for model in models:
            path = model
            if not model.endswith(".onnx"):
                path = os.path.join(folder, "model.onnx")
                answer([cli, "convert", model, "-o", path])
            inputs = json.loads(answer([cli, "info", path, "--json"]))["inputs"]
            shapes = {entry["name"]: [int(d) for d in entry["shape"].split("x")] for entry in inputs}
            ours, peer = [], []
            for _ in range(int(rounds)):
                peer.append(float(answer([sys.executable, "-c", PEER, path, repr(shapes)])))
                ours.append(json.loads(answer([cli, "measure", model, "--device", "cpu", "--json"]))["latency_us"] / 1000)
            ratios.append(statistics.median(ours) / statistics.median(peer))
            show = lambda times: f"{statistics.median(times):8.3f} ms [{min(times):.3f}, {max(times):.3f}]"
            print(f"{os.path.basename(model):32} cpu {show(ours)}  onnxruntime {show(peer)}  ratio {ratios[-1]:.2f}",
                  flush=True)
    print(f"geometric mean of the ratios: {math.exp(statistics.fmean(map(math.log, ratios))):.3f}")


if __name__ == "__main__":
    main()
