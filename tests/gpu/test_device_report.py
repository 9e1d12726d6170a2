"""What device_report.py makes of the files that the steps of on_device.sh leave: no number passes that was not measured."""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import device_report

NETWORKS = device_report.NETWORKS


def peers(modes, torch_us=1300.0):
    times = {"sequential (graph)": 1500.0, "ios (graph)": 1000.0, "ios-relaxed (graph)": 800.0, **{f"torch {mode}": torch_us for mode in modes}}
    return {name: {"median_us": time, "rounds_us": [time, time + 1]} for name, time in times.items()}


def timeline(sampled, modelled):
    counters = [{"name": "active warps", "kind": kind, "mean": mean} for kind, mean in
                (("sampled", sampled), ("modelled", modelled))]
    return {"counters": counters}


def search(seconds, termination):
    return {"search": {"search_seconds": 1, "measure_seconds": seconds - 1, "stage_measurements": 7,
                       "termination": termination}}


class Report(unittest.TestCase):
    """A folder where everything was measured and met; each case changes one thing."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        for step in device_report.STEPS:
            self.step(step, "0")
        self.write("peers.json", {network: peers(["eager", "graphs"]) for network in NETWORKS})
        self.write("peers-compile.json", {network: peers(["eager", "graphs", "compile"]) for network in NETWORKS})
        self.write("peers-tf32.json", {network: peers(["eager", "graphs"], 1250.0) for network in NETWORKS})
        with open(os.path.join(self.folder, "conformance-cost.txt"), "w", encoding="utf-8") as file:
            file.write("QINFO  : TestGpuConformance::clocks_reading_isCheap() cost: clocks read in 12 us\n")
        os.mkdir(os.path.join(self.folder, "engines"))
        self.engines(("a", 4, 0, 0.0), ("b", 6, 2, 2.6))
        self.write("timeline-sequential.json", timeline(1000, 1100))
        self.write("timeline-sample.json", timeline(1600, 1500))
        self.write("search-inception_v3.json", search(43, "proved under an assumption"))
        self.write("search-nasnet.json", search(200, "proved within epsilon"))
        self.stored("inception_v3", 0)
        self.stored("nasnet", 0)
        for network in ["sample"] + NETWORKS:
            for batch in (1, 32):
                self.compared(network, batch, *device_report.SCHEDULES)
        row = {"model": "sample", "difference": 1e-6, "bound": 1e-4, "good": True}
        with open(os.path.join(self.folder, "numbers.jsonl"), "w", encoding="utf-8") as file:
            file.write((json.dumps(row) + "\n") * device_report.RUNS_OF_NUMBERS)

    def tearDown(self):
        self.temporary.cleanup()

    def write(self, name, content):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            json.dump(content, file)

    def compared(self, network, batch, *schedules):
        self.write(f"compare-{network}-{batch}.json", {"schedules": {name: {"latency_us": 1500.0} for name in schedules}})

    def stored(self, network, stages):
        with open(os.path.join(self.folder, f"search-{network}.stored"), "w", encoding="utf-8") as file:
            file.write(f"{stages}\n")

    def engines(self, *convolutions):
        with open(os.path.join(self.folder, "engines", "fp32-0.jsonl"), "w", encoding="utf-8") as file:
            file.write(json.dumps({"format": "stagecraft-engines", "version": 1, "fingerprint": "x"}) + "\n")
            for name, offered, compiled, seconds in convolutions:
                choices = [{"kernel": f"convParts_32_32/{offered}", "alone_us": 7.5}, {"engine": 3, "alone_us": 8.5}]
                file.write(json.dumps({"conv": name, "choices": choices[offered % 4 // 2:], "tried": 20, "seconds": 1.5 + seconds, "compiled_offered": offered,
                                       "compiled_tried": compiled, "compile_seconds": seconds}) + "\n")

    def step(self, name, status):
        with open(os.path.join(self.folder, name + ".step"), "w", encoding="utf-8") as file:
            file.write(f"{status}\t1\t9\n")

    def judged(self, clean, *rows):
        """The report, whose summary has a row with each of the given beginnings and verdicts."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = device_report.report(self.folder, "gpu:0")
        text = out.getvalue()
        self.assertEqual(status, 0 if clean else 1, text)
        for start, verdict in rows:
            self.assertTrue(any(line.startswith("| " + start) and line.endswith(f"| {verdict} |")
                                for line in text.splitlines()), f"{start}: {verdict} in\n{text}")
        return text

    def test_all_met_is_clean(self):
        text = self.judged(True, ("IOS against our sequential", "pass"), ("IOS against the best", "pass"),
                           ("never slower", "pass"), ("Inception V3 search", "pass"), ("compare, batch 32", "pass"))
        self.assertIn("torch compile 1300.0 us [1300.0, 1301.0]", text)

    def test_gain_of_scheduling_stands_beside_what_was_there_before(self):
        text = self.judged(True, ("our sequential graph against the best of torch compile, torch eager, torch graphs, strict fp32", "told"),
                           ("our sequential graph against the best of torch eager, torch graphs, TF32", "told"),
                           ("IOS against our sequential graph, TF32", "pass"), ("never slower than the better of the two, TF32", "pass"))
        self.assertIn("| IOS without barriers between stages against IOS, TF32 | reported | 1.25x (", text)
        self.assertIn("not scheduling | reported | 0.87x (", text)  # 1300 of 1500 us
        self.assertIn("not scheduling | reported | 0.83x (", text)  # 1250 of 1500 us

    def test_first_call_alone_has_the_gain_of_scheduling(self):
        for name in ("peers.json", "peers-compile.json", "peers-tf32.json"):
            os.remove(os.path.join(self.folder, name))
        self.write("peers-ours.json", {"inception_v3": peers([])})
        text = self.judged(False, ("IOS against our sequential graph, strict fp32 (in turns)", "not measured in full"),
                           ("our sequential graph against", "not measured"))
        self.assertIn("1.50x (inception_v3 1.50x)", text)

    def test_torch_in_tf32_that_wins_fails(self):
        self.write("peers-tf32.json", {network: peers(["graphs"], 990.0) for network in NETWORKS})
        self.judged(False, ("IOS against the best of torch graphs, TF32", "FAIL"), ("never slower than the better of the two, TF32", "FAIL"),
                    ("never slower than the better of the two, strict fp32", "pass"))

    def test_engines_are_counted_and_timed(self):
        text = self.judged(True, ("engines of convolutions", "told"), ("clocks read", "told"))
        self.assertIn("fp32: 2 convolutions, 40 ways tried in 5.6 s; fastest alone: kernels of ours 1, of them in parts (split-K) 1; cuDNN offered 10 that it compiles, 2 were, in 2.6 s, 1.30 s each",
                      text)
        self.assertIn("| clocks read in 12 us | told |", text)
        self.engines(("a", 4, 0, 0.0))
        self.assertIn("cuDNN offered 4 that it compiles | told |", self.judged(True))

    def test_search_that_went_on_is_no_number_of_an_empty_store(self):
        self.stored("inception_v3", 80)
        text = self.judged(False, ("Inception V3 search", "not measured in full"))
        self.assertIn("went on from 80 stored latencies", text)

    def test_bounds_of_a_search_are_told_with_their_check(self):
        checked = search(43, "bounds broken")
        checked["search"]["assumption"] = {"text": "no group is faster", "stages_broken": 3, "stages_checked": 120, "worst": 0.0213}
        self.write("search-inception_v3.json", checked)
        self.assertIn("bounds broken (no group is faster: broken by 3 of 120 stages, by up to 2.1 %)", self.judged(True))

    def test_stored_latencies_are_counted_for_the_model_and_device(self):
        row = {"model": "nasnet", "device": "NVIDIA H200", "engine": "gpu:0", "batch": 1, "stages": 7}
        self.write("list.json", {"sets": [row, {**row, "engine": "gpu:0:tf32"}, {**row, "batch": 32}, {**row, "model": "sample"}]})
        for path, expected in ((os.path.join(self.folder, "list.json"), "7\n"), ("nowhere", "0\n")):
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                device_report.stored(path, "nasnet", "gpu:0")
            self.assertEqual(out.getvalue(), expected)

    def test_proved_search_is_not_searched_again(self):
        self.assertEqual(device_report.proved(os.path.join(self.folder, "search-nasnet.json")), 0)
        self.write("search-nasnet.json", search(43, "budget"))
        self.assertEqual(device_report.proved(os.path.join(self.folder, "search-nasnet.json")), 1)
        self.assertEqual(device_report.proved(os.path.join(self.folder, "search-randwire.json")), 1)

    def test_file_that_could_not_be_used_is_told(self):
        with open(os.path.join(self.folder, "seed-kept.txt"), "w", encoding="utf-8") as file:
            file.write("kept.tar.gz is damaged\n")
        self.assertIn("kept.tar.gz is damaged", self.judged(True))

    def test_search_cut_off_before_its_minute_is_no_pass(self):
        for termination in ("cancelled", "budget"):
            self.write("search-inception_v3.json", search(43, termination))
            self.judged(False, ("Inception V3 search", "not measured in full"))

    def test_step_that_no_call_ran_is_said(self):
        for name, what in (("sanitizer", "compute-sanitizer"), ("conformance", "conformance suite, fp32"),
                           ("conformance_rest", "conformance suite, tf32"), ("device", "the device")):
            os.remove(os.path.join(self.folder, name + ".step"))
            self.judged(False, (what, "not measured"))

    def test_search_says_what_was_compiled_before(self):
        self.judged(True, ("Inception V3 search, r = 3, s = 8, empty store (our kernels compiled before)", "pass"))

    def test_mean_of_no_number_is_not_measured(self):
        counters = [{"name": "active warps", "kind": kind, "unit": "warps", "mean": mean}
                    for kind, mean in (("sampled", None), ("modelled", 900.0))]
        self.write("timeline-sample.json", {"counters": counters, "kernels": [{"operators": [1]}], "duration_us": 9.0,
                                            "notes": []})
        self.judged(False, ("sampled and modelled warps, IOS", "not measured"))
        os.remove(os.path.join(self.folder, "timeline-sequential.json"))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(device_report.timelines(self.folder), 0)
        self.assertIn("active warps (sampled): mean no number", out.getvalue())

    def test_search_that_takes_longer_fails(self):
        self.write("search-inception_v3.json", search(61, "proved within epsilon"))
        self.judged(False, ("Inception V3 search", "FAIL"))

    def test_torch_without_compile_is_not_in_full(self):
        os.remove(os.path.join(self.folder, "peers-compile.json"))
        self.judged(False, ("IOS against the best", "pass"), ("eager, CUDA graphs", "not measured in full"))

    def test_compile_cut_off_keeps_the_other_networks(self):
        self.write("peers-compile.json", {"inception_v3": peers(["eager", "graphs", "compile"])})
        self.judged(False, ("IOS against the best", "pass"), ("eager, CUDA graphs", "not measured in full"),
                    ("never slower", "pass"))

    def test_network_without_torch_is_not_never_slower(self):
        self.write("peers-compile.json", {"nasnet": peers([])})
        self.judged(False, ("never slower", "not measured in full"), ("IOS against the best", "not measured in full"))

    def test_network_slower_than_torch_fails(self):
        self.write("peers-compile.json", {"nasnet": peers(["eager", "graphs", "compile"], 990.0)})
        self.judged(False, ("never slower", "FAIL"))

    def test_nothing_measured_is_said(self):
        for name in ("peers.json", "peers-compile.json", "peers-tf32.json"):
            os.remove(os.path.join(self.folder, name))
        self.judged(False, ("never slower", "not measured"), ("IOS against the best", "not measured"))

    def test_failed_step_is_not_clean(self):
        self.step("compare32", "1")
        self.judged(False)

    def test_network_missing_in_compare_is_said(self):
        os.remove(os.path.join(self.folder, "compare-nasnet-32.json"))
        self.judged(False, ("compare, batch 32", "not measured in full"))

    def test_compare_cut_off_is_not_in_full(self):
        self.compared("nasnet", 32, "sequential", "greedy")
        text = self.judged(False, ("compare, batch 32", "not measured in full"), ("compare, batch 1", "pass"))
        self.assertIn("not all of nasnet |", text)

    def test_warps_further_apart_fail(self):
        self.write("timeline-sample.json", timeline(1600, 1200))
        self.judged(False, ("sampled and modelled warps, IOS", "FAIL"))


if __name__ == "__main__":
    unittest.main()
