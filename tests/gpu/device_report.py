"""Reads what the steps of on_device.sh left and says what it means. Standard library alone, but for the values of tensors
(numpy, with PyTorch).

usage: device_report.py available DEVICES.json DEVICE
       device_report.py input CLI MODEL OUT.npy                              random values for the model's input
       device_report.py difference MODEL DEVICE SCHEDULE OURS.npy CPU.npy LINES.jsonl
       device_report.py timelines FOLDER
       device_report.py stored LATENCIES.json MODEL DEVICE                   the number of stages that `latencies list` has
       device_report.py proved SEARCH.json                                   a search that nobody cut off
       device_report.py engines FOLDER                                       what choosing engines took; files of the GPU device
       device_report.py report FOLDER DEVICE                                 the whole report, on standard output; FOLDER
                                                                             may hold the logs of several calls
Exit status 1: not available, not within the bound, a number missed or not measured.
"""
import glob
import json
import math
import os
import subprocess
import sys

NETWORKS = ["inception_v3", "randwire", "nasnet", "squeezenet"]  # of the geometric means
BOUNDS = {"tf32": 1e-2, "fp16": 1e-2}
STRICT = 1e-4
STEPS = ["device", "machine", "timeline", "conformance", "search", "ours", "cost", "searches", "peers", "compile", "peers_tf32",
         "conformance_rest", "numbers", "exported", "layouts", "pytorch", "compare1", "compare32", "sanitizer", "record", "nasnet"]
RUNS_OF_NUMBERS = 60  # five networks, four modes, three schedules
SCHEDULES = {"sequential", "greedy", "ios-merge", "ios-parallel", "ios-both"}  # of compare
ENDED = ("optimal", "proved", "bounds broken", "searched in part", "baseline kept")  # how a search ends that nobody cut off


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def read_lines(path):
    try:
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.strip()]
    except (OSError, ValueError):
        return []


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def mean_text(values):
    return (f"{geometric_mean(values.values()):.2f}x (" +
            ", ".join(f"{name} {value:.2f}x" for name, value in values.items()) + ")")


def available(devices, device):
    for known in (read(devices) or {}).get("devices", []):
        if known["id"] == device:
            if known["available"]:
                return 0
            print(f"{device}: {known.get('reason')}")
            return 1
    print(f"{device}: not listed")
    return 1


def make_input(cli, model, path):
    import numpy
    info = subprocess.run([cli, "info", model, "--json"], capture_output=True, text=True, check=False)
    if info.returncode != 0:
        print(info.stderr.strip())
        return 1
    shape = [int(size) for size in json.loads(info.stdout)["inputs"][0]["shape"].split("x")]
    numpy.save(path, numpy.random.default_rng(1).standard_normal(shape, dtype=numpy.float32))
    return 0


def difference(model, device, schedule, ours, theirs, lines):
    import numpy
    value, expected = (numpy.load(path).astype(numpy.float64).reshape(-1) for path in (ours, theirs))
    bound = next((BOUNDS[word] for word in device.split(":") if word in BOUNDS), STRICT)
    worst = float(numpy.abs(value - expected).max() / max(numpy.abs(expected).max(), 1e-30))
    good = bool(numpy.isfinite(value).all()) and worst <= bound
    row = {"model": model, "device": device, "schedule": schedule, "difference": worst, "bound": bound, "good": good}
    with open(lines, "a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    print(f"{model}, {device}, {schedule}: differs by {worst:.1e}, bound {bound:.0e}: {'good' if good else 'WRONG'}")
    return 0 if good else 1


def warps_of(folder, schedule):
    """Mean active warps by how they were got, of a timeline's JSON."""
    timeline = read(os.path.join(folder, f"timeline-{schedule}.json"))
    counters = timeline["counters"] if timeline else []
    return {counter["kind"]: counter["mean"] for counter in counters
            if counter["name"] == "active warps" and counter["mean"] is not None}


def timelines(folder):
    missing = 0
    for path in sorted(glob.glob(os.path.join(folder, "timeline-*.json"))):
        timeline = read(path)
        if not timeline:
            print(f"{os.path.basename(path)}: no timeline")
            missing = 1
            continue
        unmapped = sum(not kernel["operators"] for kernel in timeline["kernels"])
        print(f"{os.path.basename(path)}: {len(timeline['kernels'])} kernels, {unmapped} without an operator, "
              f"{timeline['duration_us']:.1f} us")
        for counter in timeline["counters"]:
            mean = "no number" if counter["mean"] is None else f"{counter['mean']:.4g} {counter['unit']}"
            print(f"  {counter['name']} ({counter['kind']}): mean {mean}")
        for note in timeline["notes"]:
            print(f"  note: {note}")
        missing = missing or int(unmapped > 0 or not timeline["kernels"])
    return missing


def stored(path, model, device):
    print(sum(each["stages"] for each in (read(path) or {}).get("sets", [])
              if each["model"] == model and each["engine"] == device and each["batch"] == 1))
    return 0


def proved(path):
    search = (read(path) or {}).get("search")
    return 0 if search and search["termination"].startswith(ENDED) else 1


def engines_of(folder):
    """Sums over the files of chosen engines (gpu/plan/tuned_conv_file.h), by file."""
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
        lines = [line for line in read_lines(path) if "conv" in line]
        if lines:
            kernels = [line["choices"][0].get("kernel", "") for line in lines if line["choices"]]  # "": cuDNN's
            yield os.path.basename(path), {"convolutions": len(lines), "ours": sum(kernel != "" for kernel in kernels),
                                           "in parts": sum(kernel.startswith("convParts") for kernel in kernels), **{
                key: sum(line[key] for line in lines)
                for key in ("tried", "seconds", "compiled_offered", "compiled_tried", "compile_seconds")}}


def engines_text(sums):
    text = (f"{sums['convolutions']} convolutions, {sums['tried']} ways tried in {sums['seconds']:.1f} s; fastest alone: kernels of ours "
            f"{sums['ours']}, of them in parts (split-K) {sums['in parts']}; cuDNN offered "
            f"{sums['compiled_offered']} that it compiles")
    if sums["compiled_tried"]:
        each = sums["compile_seconds"] / sums["compiled_tried"]
        text += f", {sums['compiled_tried']} were, in {sums['compile_seconds']:.1f} s, {each:.2f} s each"
    return text


def engines(folder):
    found = list(engines_of(folder))
    for name, sums in found:
        print(f"{name}: {engines_text(sums)}")
    if not found:
        print("no engine was chosen")
    return 0 if found else 1


class SpeedupEstimate:
    def __init__(self):
        self.rows = []

    def add(self, what, target, measured, verdict):
        self.rows.append((what, target, measured, verdict))

    def compared(self, what, target, values, passes):
        """`values`: by network; `passes`: of their geometric mean."""
        missing = [network for network in NETWORKS if network not in values]
        if not values:
            self.add(what, target, "", "not measured")
            return
        mean = geometric_mean(values.values())
        text = mean_text(values)
        verdict = "pass" if passes(mean) else "FAIL"
        if missing:
            text += ", without " + ", ".join(missing)
            verdict = "not measured in full" if verdict == "pass" else verdict
        self.add(what, target, text, verdict)

    @property
    def is_clean(self):
        return all(verdict in ("pass", "told") for *_, verdict in self.rows)


def peers_rows(folder, precision="fp32"):
    """Rows of gpu_peers.py by network. A run with more modes has all rows of one with fewer, measured in turns with it."""
    names = {"fp32": ["peers-ours", "peers", "peers-compile"], "tf32": ["peers-tf32"]}[precision]
    rows = {}
    for name in names:
        rows.update(read(os.path.join(folder, name + ".json")) or {})
    return rows


def peers_best(folder, precision="fp32"):
    """Times by network and kind of row, in microseconds: schedules of our graphs, torch of every mode."""
    best = {}
    for network, rows in peers_rows(folder, precision).items():
        times = {"sequential": [], "ios": [], "ios-relaxed": [], "torch": [], "modes": []}
        for name, row in rows.items():
            if name.startswith("torch"):
                times["torch"].append(row["median_us"])
                times["modes"].append(name)
            elif name.endswith("(graph)") and name.split()[0] in times:
                times[name.split()[0]].append(row["median_us"])
        best[network] = times
    return best


def ratios(best, slower, faster):
    return {network: min(best[network][slower]) / min(best[network][faster]) for network in NETWORKS
            if best.get(network, {}).get(slower) and best[network].get(faster)}


def compared_of(folder):
    """IOS against our sequential graph from `compare`, where no peers were measured."""
    found = {}
    for network in NETWORKS:
        schedules = (read(os.path.join(folder, f"compare-{network}-1.json")) or {}).get("schedules", {})
        ios = [row["latency_us"] for name, row in schedules.items() if name.startswith("ios") and row.get("latency_us")]
        if ios and schedules.get("sequential", {}).get("latency_us"):
            found[network] = schedules["sequential"]["latency_us"] / min(ios)
    return found


def judge_peers(folder, judgement, precision):
    """What scheduling gains (IOS over sequential) beside what fused kernels and chosen engines gain (sequential over PyTorch)."""
    title = {"fp32": "strict fp32", "tf32": "TF32"}[precision]
    best = peers_best(folder, precision)
    ours, source = ratios(best, "sequential", "ios"), "in turns"
    if not ours and precision == "fp32":
        ours, source = compared_of(folder), "compare"
    judgement.compared(f"IOS against our sequential graph, {title} ({source})", "at least 1.3x", ours, lambda mean: mean >= 1.3)
    theirs = ratios(best, "torch", "ios")
    modes = sorted({mode for times in best.values() for mode in times["modes"]})
    beside = ", ".join(modes) or "PyTorch's modes"
    before = ratios(best, "torch", "sequential")
    judgement.add(f"our sequential graph against the best of {beside}, {title}: not scheduling", "reported",
                  mean_text(before) if before else "", "told" if before else "not measured")
    judgement.compared(f"IOS against the best of {beside}, {title}", "at least 1.2x", theirs, lambda mean: mean >= 1.2)
    free = ratios(best, "ios", "ios-relaxed")
    judgement.add(f"IOS without barriers between stages against IOS, {title}", "reported", mean_text(free) if free else "",
                  "told" if free else "not measured")
    if theirs and precision == "fp32":
        lacking = [f"{mode} on {network}" for mode in sorted({*modes, "torch compile"}) for network in theirs
                   if mode not in best[network]["modes"]]
        judgement.add("eager, CUDA graphs and torch.compile (max-autotune) among them", "on every network",
                      "without " + ", ".join(lacking) + " (--steps compile)" if lacking else "all",
                      "not measured in full" if lacking else "pass")
    slower = [network for network in NETWORKS
              if min(ours.get(network, math.inf), theirs.get(network, math.inf)) < 1]
    unknown = [network for network in NETWORKS if network not in ours or network not in theirs]
    text = ", ".join(slower) or "none"
    judgement.add(f"never slower than the better of the two, {title}", "no network",
                  text + ("; not both measured: " + ", ".join(unknown) if unknown else ""),
                  "FAIL" if slower else "not measured" if len(unknown) == len(NETWORKS) else
                  "not measured in full" if unknown else "pass")


def judge_cost(folder, judgement):
    what = "clocks read, traced and sampled in one process"
    try:
        with open(os.path.join(folder, "conformance-cost.txt"), encoding="utf-8", errors="replace") as file:
            lines = [line.split("QINFO  : ", 1)[-1].strip() for line in file]
    except OSError:
        judgement.add(what, "reported", "", "not measured")
    else:
        told = [line.split(") ", 1)[-1] for line in lines if "cost: " in line]
        judgement.add(what, "reported", "; ".join(line.split("cost: ", 1)[-1] for line in told), "told" if told else "not measured")
    found = list(engines_of(os.path.join(folder, "engines")))
    text = "; ".join(f"{name.split('-')[0]}: {engines_text(sums)}" for name, sums in found)
    judgement.add("engines of convolutions", "reported", text, "told" if found else "not measured")


def judge_warps(folder, judgement):
    sequential, ios = warps_of(folder, "sequential"), warps_of(folder, "sample")
    for kind in ("sampled", "modelled"):
        if kind in sequential and kind in ios and sequential[kind] > 0:
            judgement.add(f"active warps of IOS over Sequential, sample network, {kind}", "reported",
                          f"{ios[kind]:.0f} for {sequential[kind]:.0f}: {100 * (ios[kind] / sequential[kind] - 1):+.0f} %",
                          "told")
        else:
            judgement.add(f"active warps of IOS over Sequential, sample network, {kind}", "reported", "", "not measured")
    for name, warps in (("Sequential", sequential), ("IOS", ios)):
        what = f"sampled and modelled warps, {name}"
        if "sampled" in warps and warps.get("modelled"):
            off = warps["sampled"] / warps["modelled"] - 1
            judgement.add(what, "within 25 %", f"{100 * off:+.0f} %", "pass" if abs(off) <= 0.25 else "FAIL")
        else:
            judgement.add(what, "within 25 %", "", "not measured")


def judge_search(folder, judgement):
    for network, title, most in (("inception_v3", "Inception V3", 60), ("nasnet", "NASNet", 300)):
        # Our kernels are compiled once per machine, or come with the pack: not part of a search's cost.
        what, target = f"{title} search, r = 3, s = 8, empty store (our kernels compiled before)", f"under {most} s"
        search = read(os.path.join(folder, f"search-{network}.json"))
        if not search:
            judgement.add(what, target, "", "not measured")
            continue
        found = search["search"]
        taken = found["search_seconds"] + found["measure_seconds"]
        ended = found["termination"].startswith(ENDED)
        text = f"{taken:.0f} s, {found['stage_measurements']} measurements, {found['termination']}"
        assumed = found.get("assumption")
        if assumed:
            text += (f" ({assumed['text']}: broken by {assumed['stages_broken']} of {assumed['stages_checked']} stages, by up to "
                     f"{100 * assumed['worst']:.1f} %)")
        before = tail(os.path.join(folder, f"search-{network}.stored"))
        if before != "0":
            text += f"; went on from {before} stored latencies"
        judgement.add(what, target, text, "FAIL" if taken >= most else "pass" if ended and before == "0" else "not measured in full")


def judge_numbers(folder, judgement):
    lines = read_lines(os.path.join(folder, "numbers.jsonl"))
    wrong = [line for line in lines if not line["good"]]
    models = {line["model"] for line in lines}
    if not lines:
        judgement.add("outputs equal the CPU device's", "within the bounds", "", "not measured")
        return
    strict = max((line["difference"] for line in lines if line["bound"] == STRICT), default=float("nan"))
    text = f"{len(lines) - len(wrong)} of {RUNS_OF_NUMBERS} on {len(models)} networks, {len(wrong)} wrong, fp32 off by {strict:.1e} at most"
    judgement.add("outputs equal the CPU device's", "within the bounds", text, "FAIL" if wrong else
                  "pass" if len(lines) >= RUNS_OF_NUMBERS else "not measured in full")


def judge_compare(folder, judgement):
    found = {(network, batch) for network, batch, schedules in latency_rows(folder)
             if SCHEDULES <= {name for name, row in schedules.items() if row.get("latency_us")}}
    for batch in (1, 32):
        lacking = [network for network in ["sample"] + NETWORKS if (network, batch) not in found]
        judgement.add(f"compare, batch {batch}", "all schedules of five networks", "not all of " + ", ".join(lacking) if lacking else "all",
                      "pass" if not lacking else "not measured in full" if len(lacking) < 5 else "not measured")


def judge_steps(folder, judgement):
    steps = {}
    for name in STEPS:
        try:
            with open(os.path.join(folder, name + ".step"), encoding="utf-8") as file:
                status, took, limit = file.read().rstrip("\n").split("\t")
        except OSError:
            continue
        word = {"0": "pass", "124": "out of time", "137": "out of time", "skipped": "no time left",
                "no device": "no device"}.get(status, "FAIL")
        steps[name] = (word, f"{took} of {limit} s, status {status}")
    for name, words in (("device", "the device is there"), ("conformance", "conformance suite, fp32"),
                        ("conformance_rest", "conformance suite, tf32 and fp16"),
                        ("sanitizer", "compute-sanitizer on the sample network and kernels of every schedule")):
        verdict, text = steps.get(name, ("not measured", f"run --steps {name}"))
        judgement.add(words, "no failure", text, verdict)
    return steps


def latency_rows(folder):
    for batch in (1, 32):
        for network in ["sample"] + NETWORKS:
            schedules = (read(os.path.join(folder, f"compare-{network}-{batch}.json")) or {}).get("schedules")
            if schedules:
                yield network, batch, schedules


def tail(path, lines=25):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-lines:]).rstrip()
    except OSError:
        return "(no log)"


def report(folder, device):
    judgement = SpeedupEstimate()
    steps = judge_steps(folder, judgement)
    judge_numbers(folder, judgement)
    for precision in ("fp32", "tf32"):
        judge_peers(folder, judgement, precision)
    judge_cost(folder, judgement)
    judge_warps(folder, judgement)
    judge_search(folder, judgement)
    judge_compare(folder, judgement)
    print(f"# The GPU device on {device}\n\n## Steps\n")
    for name, (word, text) in steps.items():
        print(f"- {name}: {word} ({text})")
    print("\n## Latencies (compare)\n")
    for network, batch, schedules in latency_rows(folder):
        row = ", ".join(f"{name} {values['latency_us']:.1f} us" if values.get("latency_us") else f"{name} none"
                        for name, values in schedules.items())
        print(f"- {network}, batch {batch}: {row}")
    for precision in ("fp32", "tf32"):
        print(f"\n## Peers, {precision}, in turns, batch 1: median of the rounds [least, most]\n")
        for network, rows in peers_rows(folder, precision).items():
            print(f"- {network}: " + ", ".join(f"{name} {row['median_us']:.1f} us [{min(row['rounds_us']):.1f}, "
                                               f"{max(row['rounds_us']):.1f}]" for name, row in rows.items()))
    for note in ("seed-kept.txt", "seed-logs.txt", "kept.txt"):
        if os.path.exists(os.path.join(folder, note)):
            print(f"\n{tail(os.path.join(folder, note))}")
    for name in steps:
        print(f"\n## {name}: the end of its log\n\n```\n{tail(os.path.join(folder, name + '.log'))}\n```")
    print("\n## Summary\n\n| number | target | measured | verdict |\n|---|---|---|---|")
    for row in judgement.rows:
        print("| " + " | ".join(row) + " |")
    return 0 if judgement.is_clean and all(word == "pass" for word, _ in steps.values()) else 1


def main():
    commands = {"available": (available, 2), "input": (make_input, 3), "difference": (difference, 6),
                "timelines": (timelines, 1), "stored": (stored, 3), "proved": (proved, 1), "engines": (engines, 1), "report": (report, 2)}
    name, arguments = (sys.argv[1:2] or [""])[0], sys.argv[2:]
    if name not in commands or len(arguments) != commands[name][1]:
        print(__doc__, file=sys.stderr)
        return 2
    return commands[name][0](*arguments)


if __name__ == "__main__":
    sys.exit(main())
