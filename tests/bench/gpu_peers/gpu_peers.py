"""Our schedules beside PyTorch's modes on one GPU: same ONNX files, inputs and precision, alternating, medians and ratios.

Ours: Sequential, Greedy and IOS, each as one CUDA graph and on streams. Theirs: eager, CUDA graphs, torch.compile (max-autotune),
or none (--modes alone). IOS is the schedule in --schedules FOLDER, where a search left one, else that of a search, which goes there:
NETWORK.schedule.json, or NETWORK-PRECISION.schedule.json for another precision than fp32.
Every round measures every row once, one after the other, so that what drifts (clocks, temperature) drifts for all; a row's number
is the median of its rounds. PyTorch's processes load once and wait while others are measured. Outputs are compared with
PyTorch eager's unless told otherwise. Needs Python with torch, onnx and numpy; ends with status 4 and the reason where the device is not there.

Dry run of the machinery on a machine without a GPU: --device cpu --modes eager, where ours has one mode.
"""
import argparse
import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEDULES = ["sequential", "greedy", "ios"]
RELAXED = "ios-relaxed"


class Failed(Exception):
    pass


class Ours:
    """stagecraft-cli. What it says of a whole schedule is measured every time; stages alone come from its latency store."""

    def __init__(self, cli, store):
        self.cli = cli
        self.environment = dict(os.environ, XDG_DATA_HOME=store)

    def call(self, *arguments):
        done = subprocess.run([self.cli, *arguments], capture_output=True, text=True, env=self.environment)
        if done.returncode != 0:
            raise Failed((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1])
        return json.loads(done.stdout) if "--json" in arguments else done.stdout

    def devices(self):
        return {device["id"]: device for device in self.call("devices", "--json")["devices"]}


class Peer:
    """A torch_peer.py child. What it writes to standard error is kept in `log`."""

    def __init__(self, log, *arguments):
        self.log = log
        with open(log, "w", encoding="utf-8") as errors:
            self.child = subprocess.Popen([sys.executable, os.path.join(HERE, "torch_peer.py"), *arguments],
                                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
        self.answer()

    def ended(self):
        self.close()
        with open(self.log, encoding="utf-8", errors="replace") as errors:
            words = [line.strip() for line in errors if line.strip()]
        return Failed(f"the process ended with status {self.child.returncode}" + (f": {words[-1]}" if words else ""))

    def answer(self):
        line = self.child.stdout.readline()
        if not line:
            raise self.ended()
        answer = json.loads(line)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer

    def ask(self, words):
        try:
            self.child.stdin.write(words + "\n")
            self.child.stdin.flush()
        except OSError:
            raise self.ended() from None
        return self.answer()

    def close(self):
        with contextlib.suppress(OSError):
            self.child.stdin.close()
        self.child.wait()
        self.child.stdout.close()


def our_devices(options):
    """Device ids of our modes, by what the table calls them."""
    if options.device == "cpu":
        return {"cpu": "cpu"}
    base = options.device if options.precision == "fp32" else f"{options.device}:{options.precision}"
    modes = ["graph"] + ["streams"] * (not options.graph_only)
    return {mode: base if mode == "graph" else f"{base}:{mode}" for mode in modes}


def difference(path, reference):
    """Largest difference over the largest magnitude."""
    ours, theirs = numpy.load(path).astype(numpy.float64), numpy.load(reference).astype(numpy.float64)
    return float(numpy.abs(ours.reshape(-1) - theirs.reshape(-1)).max() / max(numpy.abs(theirs).max(), 1e-30))


class Row:
    def __init__(self, name, measure, write_output):
        self.name = name
        self.measure = measure
        self.write_output = write_output
        self.times = []
        self.difference = None

    @property
    def median(self):
        return statistics.median(self.times)


def kept_schedule(options, network, mode, strategy, folder):
    """Where the schedule of a search lies, or will. Schedules of CUDA graphs are kept: streams want others."""
    suffix = "" if strategy == "ios" else "-" + strategy
    if not options.schedules or mode == "streams":
        return os.path.join(folder, f"{mode}{suffix}.schedule.json")
    name = os.path.splitext(os.path.basename(network))[0] + suffix
    return os.path.join(options.schedules, name + ("" if options.precision == "fp32" else "-" + options.precision) + ".schedule.json")


def our_rows(ours, options, network, input_path, folder):
    rows = []
    model = network  # a schedule goes with the model that it was searched for: the one of the person, not its ONNX
    for mode, device in our_devices(options).items():
        for kind in SCHEDULES + [RELAXED] * (options.relaxed and mode == "graph"):
            schedule = kind
            if kind in ("ios", RELAXED):
                schedule = kept_schedule(options, network, mode, kind, folder)
                if not os.path.exists(schedule):
                    bound = ["--max-seconds", str(options.search_seconds)] if options.search_seconds else []
                    ours.call("optimize", model, "--device", device, *["--strategy", kind] * (kind == RELAXED),
                              "--epsilon", str(options.epsilon), *bound,
                              "-o", schedule)
            arguments = [model, "--device", device, "--schedule", schedule]
            rows.append(Row(f"{kind} ({mode})",
                            lambda a=arguments: ours.call("measure", *a, "--json")["latency_us"],
                            lambda path, a=arguments: ours.call("run", *a, "--input", input_path, "-o", path)))
    return rows


def torch_rows(options, model, input_path, peers, failures):
    torch_device = "cpu" if options.device == "cpu" else "cuda:" + options.device.split(":")[1]
    rows = []
    for mode in options.modes:
        try:
            log = os.path.join(options.logs or os.path.dirname(input_path),
                               f"torch-{os.path.splitext(os.path.basename(model))[0]}-{mode}.txt")
            peer = Peer(log, mode, model, input_path, options.precision, torch_device)
        except Failed as reason:
            failures.append(f"torch {mode}: {reason}")
            continue
        peers.append(peer)
        rows.append(Row(f"torch {mode}", lambda p=peer: p.ask("measure")["median_us"],
                        lambda path, p=peer: p.ask("output " + path)))
    return rows


def compare(ours, options, network, folder):
    """Rows of one network with their times and output differences, and what failed."""
    model = network
    input_path = os.path.join(folder, "input.npy")
    if options.modes or options.outputs:
        if not network.endswith(".onnx"):
            model = os.path.join(folder, network + ".onnx")
            ours.call("convert", network, "-o", model)
        shape = ours.call("info", model, "--json")["inputs"][0]["shape"]
        numpy.save(input_path, numpy.random.default_rng(1).standard_normal([int(d) for d in shape.split("x")],
                                                                          dtype=numpy.float32))
    peers, failures = [], []
    try:
        rows = torch_rows(options, model, input_path, peers, failures)
        rows += our_rows(ours, options, network, input_path, folder)
        for _ in range(options.rounds):
            for row in rows:
                row.times.append(row.measure())
        reference = None
        for row in rows if options.outputs else []:
            path = os.path.join(folder, "output.npy") if reference else os.path.join(folder, "reference.npy")
            row.write_output(path)
            reference = reference or path
            row.difference = difference(path, reference)
    finally:
        for peer in peers:
            peer.close()
    return rows, failures


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def best(rows, start):
    times = [row.median for row in rows if row.name.startswith(start + " ")]
    return min(times) if times else None


def ratios(rows):
    """What scheduling gains, and what was there before it: fused kernels, chosen engines. Of the best row of each kind."""
    ios, sequential, torch = (best(rows, kind) for kind in ("ios", "sequential", "torch"))
    found = {"IOS over our sequential": sequential / ios}
    if torch is not None:
        found.update({"our sequential over PyTorch": torch / sequential, "IOS over PyTorch": torch / ios})
    return found


def show(network, rows, failures):
    print(f"\n{network}")
    sequential = next(row for row in rows if row.name.startswith("sequential")).median
    for row in rows:
        print(f"  {row.name:22} {row.median / 1000:9.3f} ms  [{min(row.times) / 1000:.3f}, {max(row.times) / 1000:.3f}]"
              f"  {sequential / row.median:5.2f}x of our sequential"
              + ("" if row.difference is None else f"  output differs by {row.difference:.1e}"))
    print("  " + ", ".join(f"{what} {ratio:.2f}x" for what, ratio in ratios(rows).items()))
    for failure in failures:
        print(f"  not measured: {failure}")
    sys.stdout.flush()


def keep(path, results):
    """After every network: whoever ends us finds the networks before. Never half a file."""
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
    os.replace(path + ".part", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli", help="the stagecraft-cli to run")
    parser.add_argument("networks", nargs="*", default=["inception_v3", "randwire", "nasnet", "squeezenet"])
    parser.add_argument("--device", default="gpu:0", help="gpu:<n>, or cpu for a dry run")
    parser.add_argument("--precision", default="fp32", choices=["fp32", "tf32", "fp16"])
    parser.add_argument("--modes", nargs="*", default=["eager", "graphs", "compile"], help="PyTorch's modes; none: ours alone")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--epsilon", type=float, default=0.02, help="of our search")
    parser.add_argument("--search-seconds", type=float, help="of our search at most; without: until it is done")
    parser.add_argument("--store", help="a data folder with kept latencies of stages for our search (whole schedules are never kept)")
    parser.add_argument("--schedules", help="a folder with schedules of our search; those that it lacks are searched")
    parser.add_argument("--graph-only", action="store_true", help="our CUDA graphs alone, not our streams")
    parser.add_argument("--relaxed", action="store_true", help="the IOS schedules of our CUDA graphs without their barriers, too")
    parser.add_argument("--no-outputs", dest="outputs", action="store_false", help="measure only: compare no outputs")
    parser.add_argument("--logs", help="a folder for what PyTorch's processes write to standard error")
    parser.add_argument("--json", help="write the numbers to this file, after every network")
    options = parser.parse_args()

    results, found = {}, []
    with tempfile.TemporaryDirectory() as folder:
        ours = Ours(os.path.abspath(options.cli), os.path.abspath(options.store or os.path.join(folder, "store")))
        known = ours.devices().get(options.device)
        if not known or not known["available"]:
            print(f"gpu_peers: {options.device}: {known['reason'] if known else 'no such device'}",
                  file=sys.stderr)
            return 4
        print(f"{known['title']}, {options.precision}, batch 1, {options.rounds} rounds; median [least, most]")
        for network in options.networks:
            with tempfile.TemporaryDirectory(dir=folder) as own:
                try:
                    rows, failures = compare(ours, options, network, own)
                except Failed as reason:
                    print(f"\n{network}: not compared: {reason}", flush=True)
                    continue
            show(network, rows, failures)
            results[network] = {row.name: {"median_us": row.median, "rounds_us": row.times,
                                           "difference": row.difference} for row in rows}
            if options.json:
                keep(options.json, results)
            found.append(ratios(rows))
    if not found:
        return 4
    means = {what: geometric_mean([ratio[what] for ratio in found if what in ratio])
             for what in dict.fromkeys(what for ratio in found for what in ratio)}
    print("\ngeometric means: " + ", ".join(f"{what} {mean:.2f}x" for what, mean in means.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
