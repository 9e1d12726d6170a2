"""Latency of the cpu device (Sequential) against ONNX Runtime (2 threads, default session options otherwise), interleaved.

usage: cpu_against_onnxruntime.py STAGECRAFT_CLI ROUNDS MODEL...          (built-in names or .onnx files)
       cpu_against_onnxruntime.py STAGECRAFT_CLI ROUNDS --named FOLDER    the twenty named below; FOLDER has the files that
                                                                          tests/app/exported_models.py makes
One process per configuration and round: sessions that share a process disturb each other by spinning. Every timing waits
until the machine is idle; rounds in which it was not are marked. Prints the median of the rounds' medians with the range of
the rounds, and the ratio per model and over all of them with 95 % confidence intervals.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

from rounds import Ratio, geometric_mean, wait_until_idle

NAMED = ["squeezenet", "mobilenet_v2", "shufflenet_v2", "googlenet", "resnet50", "resnet101", "inception_v3", "randwire",
         "nasnet", "sample"]
NAMED_FILES = ["rapidocr_detection", "rapidocr_direction", "rapidocr_recognition", "tv_resnet18-script-11",
               "tv_densenet121-script-13", "tv_efficientnet_b0-script-13", "tv_mobilenet_v3_small-script-18",
               "tv_deeplabv3_mobilenet_v3_large-script-16", "unet_transposed-script-17", "edsr-script-14"]

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
    if models[0] == "--named":
        models = NAMED + [os.path.join(models[1], name + ".onnx") for name in NAMED_FILES]
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
            measure = [cli, "measure", model, "--device", "cpu", "--json"]
            answer(measure)  # fills the store with the stages, which are not what is compared
            ours, peer, disturbed = [], [], 0
            for _ in range(int(rounds)):
                disturbed += not wait_until_idle()
                peer.append(float(answer([sys.executable, "-c", PEER, path, repr(shapes)])))
                disturbed += not wait_until_idle()
                ours.append(json.loads(answer(measure))["latency_us"] / 1000)
            ratios.append(Ratio(ours, peer))
            show = lambda times: f"{statistics.median(times):8.3f} ms [{min(times):.3f}, {max(times):.3f}]"
            print(f"{os.path.basename(model):32} cpu {show(ours)}  onnxruntime {show(peer)}  ratio {ratios[-1]}"
                  + (f"  ({disturbed} timings on a busy machine)" if disturbed else ""), flush=True)
    print(f"geometric mean of the ratios: {geometric_mean(ratios)}")


if __name__ == "__main__":
    main()
