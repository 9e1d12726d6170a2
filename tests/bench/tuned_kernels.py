"""What tune finds on this machine, and what the networks gain by it.

usage: tuned_kernels.py STAGECRAFT_CLI TRIALS ROUNDS MODEL...

Tunes the kernels of each model in a store of its own: the speed-up of each kernel is a ratio of rounds in which it and oneDNN's
took turns, in one process. Prints it for depthwise and dense convolutions on one thread and on all, with the geometric mean over all,
1 where oneDNN's kernel stays, and the speed of oneDNN's fastest kernel of the run: what is near it has nothing to gain. Then measures
the whole model with oneDNN's kernels and with the tuned ones, in turns, a process each.
"""
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

from rounds import Ratio, geometric_mean, wait_until_idle


def answer(command):
    return json.loads(subprocess.run(command + ["--json"], capture_output=True, text=True, check=True).stdout)


def flops(key):
    words = key.split()
    batch, channels, *_ = (int(size) for size in words[1].split("x"))
    out, height, width = (int(size) for size in words[3].split("x"))
    kernel = math.prod(int(size) for size in words[5].split("x"))
    return 2 * batch * out * height * width * kernel * (1 if words[0] == "depthwise" else channels)


def mean(kernels):
    return math.exp(statistics.fmean(math.log(kernel["speedup"] if kernel["parameters"] else 1) for kernel in kernels))


def main():
    cli, trials, rounds, *models = sys.argv[1:]
    wholes = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = folder
        kernels = {}
        for model in models:
            wait_until_idle()
            for kernel in answer([cli, "tune", model, "-d", "cpu", "--trials", trials])["kernels"]:
                kernels.setdefault(kernel["kernel"], kernel)
        for kind in ("depthwise", "dense"):
            for threads in sorted({key.rsplit(" on ", 1)[1] for key in kernels}):
                some = [kernel for key, kernel in kernels.items() if key.startswith(kind) and key.endswith(" on " + threads)]
                if not some:
                    continue
                rates = [flops(kernel["kernel"]) / kernel["library_us"] / 1e3 for kernel in some]
                faster = sum(1 for kernel in some if kernel["parameters"])
                print(f"{kind:9} on {threads:9}: {len(some):3} kernels, {faster:3} faster than oneDNN's, geometric mean "
                      f"{mean(some):.3f}; oneDNN at {statistics.median(rates):.0f} GFLOP/s [{min(rates):.0f}, {max(rates):.0f}]")
        print(f"geometric mean over all {len(kernels)} kernels: {mean(list(kernels.values())):.3f}")
        for model in models:
            measure = lambda device: answer([cli, "measure", model, "-d", device])["latency_us"] / 1000
            measure("cpu"), measure("cpu:library")  # fill the store with the stages, which are not what is compared
            tuned, library = [], []
            for _ in range(int(rounds)):
                wait_until_idle()
                library.append(measure("cpu:library"))
                tuned.append(measure("cpu"))
            wholes.append(Ratio(tuned, library))
            print(f"{model}: tuned {statistics.median(tuned):.3f} ms, oneDNN {statistics.median(library):.3f} ms, ratio "
                  f"{wholes[-1]}")
    print(f"geometric mean of the ratios: {geometric_mean(wholes)}")


if __name__ == "__main__":
    main()
