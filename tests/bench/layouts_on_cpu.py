"""Layouts on cpu: the network in the library's own layouts, all NCHW, all NHWC, every operator as it is fastest alone,
and in those of `layout`, executed in turn.

usage: layouts_on_cpu.py STAGECRAFT_CLI ROUNDS [MODEL...]     (default: every built-in network)
Latencies of operators and conversions are profiled into a store of their own. Prints the speed-up of each against the
library's choice with its 95 % interval and the verdict, and the geometric mean over the models. Exit status 1 if what
`layout` found is slower than the library's choice beyond its interval on any model, or computes something else.
"""
import json
import math
import os
import subprocess
import sys
import tempfile
from types import SimpleNamespace

from rounds import geometric_mean, wait_until_idle

CHOICES = ["found", "per_operator_fastest", "all_nchw", "all_nhwc"]
EQUAL_OUTPUTS = 1e-4  # of the largest value: what another order of additions may change


def answer(command):
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def ratio(timing):
    low, high = timing["speedup_interval"]
    return SimpleNamespace(log=math.log(timing["speedup"]), half=math.log(high / low) / 2)


def cell(timing):
    if timing is None:
        return "not possible"
    low, high = timing["speedup_interval"]
    return f"{timing['speedup']:.3f} [{low:.3f}, {high:.3f}] {timing['verdict'] or ''}".strip()


def main():
    cli, rounds, *models = sys.argv[1:]
    models = models or [model["name"] for model in answer([cli, "models", "--json"])["models"]]
    speedups = {choice: [] for choice in CHOICES}
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = folder
        print("| model | library, ms | " + " | ".join(CHOICES) + " | conversions | states |")
        print("|---" * (len(CHOICES) + 4) + "|")
        for model in models:
            idle = wait_until_idle()
            found = answer([cli, "layout", model, "-d", "cpu", "--rounds", rounds, "--json"])
            timings = found["in_turn"]
            for choice in CHOICES:
                if choice in timings:
                    speedups[choice].append(ratio(timings[choice]))
            if timings["found"]["speedup_interval"][1] < 1:
                failed.append(f"{model}: slower than the library's choice")
            if timings["found"]["largest_difference"] > EQUAL_OUTPUTS:
                failed.append(f"{model}: other outputs")
            cells = [cell(timings.get(choice)) for choice in CHOICES]
            library = found["alternatives"]["library"] / 1000
            print(f"| {model}{'' if idle else ' (disturbed)'} | {library:.2f} | " + " | ".join(cells) +
                  f" | {len(found['conversions'])} | {found['states']} |", flush=True)
    means = [geometric_mean(values) if values else "" for values in speedups.values()]
    print("| geometric mean | | " + " | ".join(means) + " | | |")
    print("\n".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
