"""Latency of an exported C++ project against the cpu device with the same schedule, interleaved.

usage: exported_against_cpu.py STAGECRAFT_CLI ROUNDS MODEL...     (built-in names or .onnx files)
Exports Greedy and, of the built-in networks, IOS-Both for sim:v100; builds; times both programs one after the other, round by
round, each when the machine is idle. Both time the stages alone, on pinned threads. Prints medians of the rounds' medians and
the ratio with its 95 % confidence interval: the exported project is as fast where the lower end is at most 1.05.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

from rounds import Ratio, geometric_mean, wait_until_idle


def answer(command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main():
    cli, rounds, *models = sys.argv[1:]
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = folder
        for model in models:
            for name in ["greedy"] + ([] if model.endswith(".onnx") else ["ios-both"]):
                schedule, project = os.path.join(folder, "schedule.json"), os.path.join(folder, "net")
                device = ["-d", "sim:v100"] if name == "ios-both" else []
                answer([cli, "export", model, name, *device, "--format", "json", "-o", schedule])
                answer([cli, "export", model, schedule, "--format", "cpp", "-o", project])
                answer(["cmake", "-S", project, "-B", project + "-build"])
                answer(["cmake", "--build", project + "-build", "-j2"])
                programs = [file for file in os.listdir(project + "-build") if file.endswith("-run")]
                exported = [os.path.join(project + "-build", programs[0]), "--benchmark", "--runs", "40"]
                measure = [cli, "measure", model, "--device", "cpu", "--schedule", schedule, "--json"]
                answer(measure)  # fills the store with the stages, which are not what is compared
                ours, theirs, disturbed = [], [], 0
                for _ in range(int(rounds)):
                    disturbed += not wait_until_idle()
                    theirs.append(json.loads(answer(measure))["latency_us"] / 1000)
                    disturbed += not wait_until_idle()
                    ours.append(float(re.search(r"median ([\d.]+) us", answer(exported))[1]) / 1000)
                ratios.append(Ratio(ours, theirs))
                show = lambda times: f"{statistics.median(times):8.3f} ms [{min(times):.3f}, {max(times):.3f}]"
                print(f"{os.path.basename(model):20} {name:9} exported {show(ours)}  cpu {show(theirs)}  ratio {ratios[-1]}"
                      + (f"  ({disturbed} timings on a busy machine)" if disturbed else ""), flush=True)
                subprocess.run(["rm", "-rf", project, project + "-build"], check=True)
    print(f"geometric mean of the ratios: {geometric_mean(ratios)}")


if __name__ == "__main__":
    main()
