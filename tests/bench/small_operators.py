"""IOS-Both against our own Sequential on the cpu device, and IOS-All, with fused stages, and streams against IOS-Both:
networks of small operators, and the built-in ones.

usage: small_operators.py STAGECRAFT_CLI ROUNDS [MODEL...]
`NAME/8` is a built-in network with an eighth of the channels, random weights (default: inception_v3/8 and squeezenet/8).
Searches once, then measures both schedules in turn, one process each, on an idle machine. Needs the Python package onnx.

`fused`: IOS-All against IOS-Both, `streams`: streams without barriers against IOS-Both, of the same rounds.
`bound`: of two schedules the one that takes less on one core, divided by the cores, against Sequential on all of them. No
schedule of the same kernels gets below it: it is what would be left if handing out and joining cost nothing.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import numpy_helper

from rounds import Ratio, geometric_mean, wait_until_idle


def answer(command, cores=None):
    keep = None if cores is None else lambda: os.sched_setaffinity(0, cores)
    return subprocess.run(command, capture_output=True, text=True, check=True, preexec_fn=keep).stdout


def narrow(path, divisor):
    """Divides the channels of every convolution but the image's own."""
    model = onnx.load(path)
    rng = numpy.random.default_rng(1)
    shapes = {weight.name: list(weight.dims) for weight in model.graph.initializer}
    new = {}
    for node in model.graph.node:
        if node.op_type != "Conv":
            assert not any(name in shapes for name in node.input), f"{node.name}: constants of {node.op_type}"
            continue
        out, into, *kernel = shapes[node.input[1]]
        into = into if into == 3 else into // divisor
        scale = 1 / numpy.sqrt(into * numpy.prod(kernel))
        new[node.input[1]] = rng.standard_normal([out // divisor, into, *kernel]) * scale
        if len(node.input) > 2:
            new[node.input[2]] = numpy.zeros([out // divisor])
    del model.graph.initializer[:]
    model.graph.initializer.extend(numpy_helper.from_array(v.astype(numpy.float32), k) for k, v in new.items())
    del model.graph.value_info[:]
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    onnx.save(model, path)


def main():
    cli, rounds, *models = sys.argv[1:]
    ratios = []
    others = {"all": [], "streams": []}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = folder
        for name in models or ["inception_v3/8", "squeezenet/8"]:
            base, _, divisor = name.partition("/")
            model = base
            if divisor:
                model = os.path.join(folder, f"{base}_{divisor}.onnx")
                answer([cli, "convert", base, "-o", model])
                narrow(model, int(divisor))
            schedule = os.path.join(folder, "ios.schedule.json")
            wait_until_idle()
            search = json.loads(answer([cli, "optimize", model, "--device", "cpu", "--json", "-o", schedule]))
            files = [os.path.join(folder, f"{strategy}.schedule.json") for strategy in others]
            for strategy, file in zip(others, files):
                answer([cli, "optimize", model, "--device", "cpu", "--strategy", strategy, "-o", file, "--force"])
            measure = lambda what, cores: json.loads(
                answer([cli, "measure", model, "--device", "cpu", "--schedule", what, "--json"], cores))["latency_us"]
            cores = sorted(os.sched_getaffinity(0))
            rows = [(what, on, []) for what in ("sequential", schedule) for on in (cores, cores[:1])]
            rows += [(file, cores, []) for file in files]
            for what, on, _ in rows:
                measure(what, on)  # fills the store with the stages, which are not what is compared
            disturbed = 0
            for _ in range(int(rounds)):
                for what, on, times in rows:
                    disturbed += not wait_until_idle()
                    times.append(measure(what, on))
            sequential, sequential_alone, ios, ios_alone, fused, streams = (times for _, _, times in rows)
            others["all"].append(Ratio(fused, ios))
            others["streams"].append(Ratio(streams, ios))
            ratios.append(Ratio(ios, sequential))
            work = [min(pair) / len(cores) for pair in zip(sequential_alone, ios_alone)]
            print(f"{name:20} sequential {statistics.median(sequential):9.1f} us  ios-both {statistics.median(ios):9.1f} us"
                  f"  ratio {ratios[-1]}"
                  f"  ios-all {statistics.median(fused):9.1f} us  fused {others['all'][-1]}"
                  f"  streams {statistics.median(streams):9.1f} us  streams {others['streams'][-1]}"
                  f"  against sequential {Ratio(streams, sequential)}"
                  f"  bound {Ratio(work, sequential)}"
                  f"  {search['stages']} stages, {search['search']['stage_measurements']} measurements"
                  + (f"  ({disturbed} timings on a busy machine)" if disturbed else ""), flush=True)
    print(f"geometric mean of the ratios: {geometric_mean(ratios)}, with fused stages: {geometric_mean(others['all'])}, "
          f"of streams: {geometric_mean(others['streams'])}")


if __name__ == "__main__":
    main()
