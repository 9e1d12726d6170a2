"""on_device.sh from its first line to its report, on a machine that is played: a pack whose programs note how they were called
and answer as a case wants it."""
import json
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))

# All programs of the pack and of the machine. `play` is the behaviour in a case, by program and first word.
PROGRAM = """#!{python} -IS
import json, os, sys, time
name, words = os.path.basename(sys.argv[0]), sys.argv[1:]
with open({calls!r}, "a") as calls:
    calls.write(json.dumps(dict(name=name, words=words, pid=os.getpid(), suite=os.environ.get("STAGECRAFT_CONFORMANCE"), sampling="STAGECRAFT_NO_SAMPLING" not in os.environ)) + "\\n")
if "-o" in words and not words[words.index("-o") + 1].endswith(",txt"):
    with open(words[words.index("-o") + 1], "w") as file:
        file.write("made by " + " ".join(words))
with open({play!r}) as file:
    play = json.load(file)
for part in play.get(name + " " + " ".join(words[:1]), []) + play.get(name, []):
    if part.get("unless_without_sampling") and "STAGECRAFT_NO_SAMPLING" in os.environ:
        continue
    time.sleep(part.get("sleeps", 0))
    print(part.get("says", ""))
    sys.exit(part.get("status", 0))
"""
NUMPY = """
import types
float32 = None
random = types.SimpleNamespace(default_rng=lambda seed: types.SimpleNamespace(standard_normal=lambda shape, dtype: shape))
def save(path, values):
    open(path, "w").close()
"""
SEARCH = {"search_seconds": 1, "measure_seconds": 20, "stage_measurements": 7, "termination": "proved under an assumption"}
TIMELINE = {"kernels": [{"operators": [1]}], "duration_us": 10.0, "counters": [], "notes": []}


class OnDevice(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.pack = os.path.join(self.folder, "pack")
        self.machine = os.path.join(self.folder, "machine")
        self.calls_path, self.play_path = os.path.join(self.folder, "calls"), os.path.join(self.folder, "play.json")
        for folder in (self.machine, os.path.join(self.pack, "bin"), os.path.join(self.pack, "lib")):
            os.makedirs(folder)
        for script in ("on_device.sh", "device_report.py"):
            shutil.copy(os.path.join(HERE, script), self.pack)
        shutil.copytree(os.path.join(HERE, "..", "bench", "gpu_peers"), os.path.join(self.pack, "gpu_peers"))
        open(os.path.join(self.pack, "commit"), "w", encoding="utf-8").close()
        for program in ("stagecraft-cli", "tst_gpu_cupti", "tst_gpu_counter_sampler", "tst_gpu_conformance"):
            self.program(os.path.join(self.pack, "bin", program))
        for program in ("nvidia-smi", "compute-sanitizer"):
            self.program(os.path.join(self.machine, program))
        with open(os.path.join(self.machine, "numpy.py"), "w", encoding="utf-8") as file:
            file.write(NUMPY)
        self.play = {"stagecraft-cli devices": [{"says": json.dumps({"devices": [{"id": "gpu:0", "title": "a GPU", "available": True}]})}],
                     "stagecraft-cli info": [{"says": json.dumps({"inputs": [{"shape": "1x3x8x8"}]})}],
                     "stagecraft-cli latencies": [{"says": json.dumps({"sets": []})}],
                     "stagecraft-cli optimize": [{"says": json.dumps({"search": SEARCH})}],
                     "stagecraft-cli measure": [{"says": json.dumps({"latency_us": 10.0})}],
                     "stagecraft-cli timeline": [{"says": json.dumps(TIMELINE)}],
                     "compute-sanitizer": [{"says": "========= ERROR SUMMARY: 0 errors"}]}

    def program(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROGRAM.format(python=sys.executable, calls=self.calls_path, play=self.play_path))
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def report(self, steps, seed=None, out="out"):
        """The report of a call with these steps; self.logs has their logs, self.kept what comes back for later calls, self.calls
        what was called."""
        with open(self.play_path, "w", encoding="utf-8") as file:
            json.dump(self.play, file)
        if os.path.exists(self.calls_path):
            os.remove(self.calls_path)
        out = os.path.join(self.folder, out)
        environment = dict(os.environ, PATH=self.machine + ":" + os.environ["PATH"], TMPDIR=self.folder,
                           PYTHONPATH=self.machine, PYTHONDONTWRITEBYTECODE="1")
        words = ["bash", os.path.join(self.pack, "on_device.sh"), "--out", out, "--seconds", "100"]
        words += ["--steps", steps] if steps else []
        words += ["--seed", os.path.join(self.folder, seed)] if seed else []
        self.done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=100, check=False)
        self.logs, self.kept = (self.unpacked(os.path.join(out, part + ".tar.gz")) for part in ("logs", "kept"))
        self.logs = {os.path.basename(name): text for name, text in self.logs.items()}
        with open(self.calls_path, encoding="utf-8") as calls:
            self.calls = [json.loads(line) for line in calls]
        with open(os.path.join(out, "report.md"), encoding="utf-8") as file:
            return file.read()

    @staticmethod
    def unpacked(path):
        with tarfile.open(path) as archive:
            return {os.path.normpath(file.name): archive.extractfile(file).read().decode(errors="replace")
                    for file in archive.getmembers() if file.isfile()}

    def asked(self, command):
        return [call["words"] for call in self.calls if call["name"] == "stagecraft-cli" and call["words"][0] == command]

    def another_machine(self):
        """Calls may find a fresh machine: nothing in the pack is left of the one before."""
        shutil.rmtree(os.path.join(self.pack, "kept"))

    def test_first_call_alone_says_what_ios_gains(self):
        text = self.report(None)
        self.assertEqual([step for step in ("machine", "timeline", "conformance", "search", "ours", "cost", "searches")
                          if f"- {step}: pass" not in text], ["machine", "cost"])  # no PyTorch and no engines here
        order = [text.index(f"- {step}: ") for step in ("machine", "timeline", "conformance", "search", "ours", "cost", "searches", "record")]
        self.assertEqual(order, sorted(order))
        self.assertIn("IOS against our sequential graph, strict fp32 (in turns) | at least 1.3x | 1.00x (inception_v3 1.00x)", text)
        self.assertEqual(sorted(name for name in self.kept if name.startswith("schedules/")),
                         [f"schedules/{name}.schedule.json" for name in ("inception_v3-ios-relaxed", "inception_v3", "nasnet", "randwire",
                                                                         "sample", "squeezenet")])
        suites = {call["suite"] for call in self.calls if call["name"] == "tst_gpu_conformance"}
        self.assertEqual(suites, {"fp32", None})
        self.assertTrue(all("tf32" not in " ".join(words) for words in self.asked("run")))

    def test_later_calls_search_nothing_twice(self):
        self.report("search searches", out="a")
        searched = {words[1] for words in self.asked("optimize")}
        self.assertEqual(searched, {"inception_v3", "squeezenet", "randwire", "nasnet"})
        self.another_machine()
        self.report("searches ours numbers", seed="a", out="b")
        searched = [words[1] + (" relaxed" if "ios-relaxed" in words else "") for words in self.asked("optimize")]
        self.assertEqual(searched, ["inception_v3 relaxed", "squeezenet relaxed", "nasnet relaxed", "randwire relaxed",
                                    "sample"])  # what has no schedule yet
        good = [words for words in self.asked("run") + self.asked("measure")
                if any(word.endswith("schedules/nasnet.schedule.json") for word in words)]
        self.assertEqual(len(good), 7)  # four modes of numbers, three rounds of ours
        self.assertEqual(self.kept["schedules/nasnet.schedule.json"][:23], "made by optimize nasnet")

    def test_report_of_a_later_call_has_the_earlier_ones(self):
        self.report("timeline", out="a")
        self.another_machine()
        text = self.report("search", seed="a", out="b")
        self.assertIn("- timeline: pass", text)
        self.assertIn("timeline-sequential.json", self.logs)
        self.assertIn("Inception V3 search", text)

    def test_stores_and_engines_come_back(self):
        engines = os.path.join(self.pack, "kept", "cache", "stagecraft", "engines")
        os.makedirs(engines)
        line = {"conv": "x", "choices": [], "tried": 9, "seconds": 2.0, "compiled_offered": 1, "compiled_tried": 0, "compile_seconds": 0}
        with open(os.path.join(engines, "fp32-1.jsonl"), "w", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        os.makedirs(os.path.join(self.pack, "kept", "store", "stagecraft"))
        with open(os.path.join(self.pack, "kept", "store", "stagecraft", "latencies.sqlite"), "w", encoding="utf-8") as file:
            file.write("latencies")
        self.report("search", out="a")
        self.another_machine()
        text = self.report("machine", seed="a", out="b")
        self.assertIn("from an earlier call: kept.tar.gz logs.tar.gz", self.logs["machine.log"])
        self.assertEqual(self.kept["store/stagecraft/latencies.sqlite"], "latencies")
        self.assertIn("cache/stagecraft/engines/fp32-1.jsonl", self.kept)
        self.assertIn("fp32: 1 convolutions, 9 ways tried in 2.0 s; fastest alone: kernels of ours 0, of them in parts (split-K) 0; "
                      "cuDNN offered 1 that it compiles", text)

    def test_damaged_seed_is_told_and_left_out(self):
        os.makedirs(os.path.join(self.folder, "a"))
        with open(os.path.join(self.folder, "a", "kept.tar.gz"), "w", encoding="utf-8") as file:
            file.write("no archive")
        text = self.report("search", seed="a")
        self.assertIn("- search: pass", text)
        for part in ("kept", "logs"):
            self.assertIn(f"/a/{part}.tar.gz is missing or damaged: going on without", text)

    def test_seed_that_does_not_exist_is_wrong_use(self):
        done = subprocess.run(["bash", os.path.join(self.pack, "on_device.sh"), "--seed", "/nowhere"], capture_output=True, text=True,
                              timeout=20, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no folder /nowhere", done.stderr)

    def test_search_with_stored_latencies_says_so(self):
        self.play["stagecraft-cli latencies"] = [{"says": json.dumps(
            {"sets": [{"model": "inception_v3", "engine": "gpu:0", "batch": 1, "stages": 80}]})}]
        self.assertIn("went on from 80 stored latencies | not measured in full", self.report("search"))

    def test_search_that_is_cut_off_is_searched_on(self):
        self.play["stagecraft-cli optimize"] = [{"says": json.dumps({"search": {**SEARCH, "termination": "budget"}})}]
        self.report("search", out="a")
        self.another_machine()
        self.report("searches", seed="a", out="b")
        self.assertIn("inception_v3", [words[1] for words in self.asked("optimize")])

    def test_peers_in_tf32_have_schedules_of_their_own(self):
        self.report("search peers_tf32")
        searched = [(words[1], words[3]) for words in self.asked("optimize") if "ios-relaxed" not in words]
        self.assertEqual(searched[0], ("inception_v3", "gpu:0"))
        self.assertEqual(searched[1:], [(network, "gpu:0:tf32") for network in ("inception_v3", "squeezenet", "nasnet", "randwire")])
        self.assertIn("schedules/nasnet-tf32.schedule.json", self.kept)

    def test_rest_of_the_conformance_is_a_step_of_its_own(self):
        text = self.report("conformance_rest")
        self.assertIn("- conformance_rest: pass", text)
        suite, = [call for call in self.calls if call["name"] == "tst_gpu_conformance"]
        self.assertEqual(suite["suite"], "rest")
        self.assertEqual(suite["words"][:2], ["run_eachOperator_equalsTheReference", "run_everySchedule_equalsTheReference"])

    def test_no_device_every_step_says_so(self):
        self.play["stagecraft-cli devices"] = [{"says": json.dumps(
            {"devices": [{"id": "gpu:0", "available": False, "reason": "no NVIDIA driver"}]})}]
        steps = ("conformance timeline search ours cost searches peers compile peers_tf32 conformance_rest numbers compare1 compare32 "
                 "sanitizer nasnet")
        text = self.report(steps)
        self.assertIn("gpu:0: no NVIDIA driver", text)
        for step in (steps + " record").split():
            self.assertIn(f"- {step}: no device", text)
        self.assertEqual([call["words"] for call in self.calls if call["name"] == "stagecraft-cli"], [["devices", "--json"]])

    def test_gpu_is_kept_awake_until_the_end(self):
        self.play["nvidia-smi -l"] = [{"sleeps": 60}]
        self.report("machine")
        keeper, = [call["pid"] for call in self.calls if call["name"] == "nvidia-smi" and call["words"] == ["-l", "60"]]
        for _ in range(50):
            if not os.path.exists(f"/proc/{keeper}"):
                return
            time.sleep(0.1)
        self.fail("nvidia-smi runs on")

    def test_timeline_traces_three_schedules_and_streams(self):
        text = self.report("timeline")
        self.assertIn("- timeline: pass", text)
        self.assertEqual(sorted(name for name in self.logs if name.startswith("timeline-")),
                         ["timeline-greedy.json", "timeline-sample.json", "timeline-sequential.json", "timeline-streams.json"])
        self.assertTrue(all(call["sampling"] for call in self.calls))

    def test_timeline_that_sampling_ends_is_traced_without(self):
        self.play["stagecraft-cli timeline"].insert(0, {"unless_without_sampling": True, "status": 134})
        text = self.report("timeline")
        self.assertIn("- timeline: FAIL", text)
        self.assertIn("it is the sampling that fails", self.logs["timeline.log"])
        self.assertEqual(json.loads(self.logs["timeline-sequential.json"]), TIMELINE)

    def test_timeline_that_fails_anyway_does_not_blame_sampling(self):
        self.play["stagecraft-cli timeline"] = [{"status": 134}]
        self.report("timeline")
        self.assertNotIn("it is the sampling that fails", self.logs["timeline.log"])

    def test_numbers_run_every_network_schedule_and_mode(self):
        self.report("numbers")
        runs = [call["words"] for call in self.calls if call["name"] == "stagecraft-cli" and call["words"][0] == "run"]
        asked = {(words[1], words[3], os.path.basename(words[5])) for words in runs if words[3] != "cpu"}
        modes = ("", ":fp16", ":streams", ":tf32")
        self.assertEqual({(device, schedule) for network, device, schedule in asked if network == "sample"},
                         {("gpu:0" + mode, schedule) for mode in modes for schedule in
                          ("greedy", "sequential", "ios.schedule.json")})
        for network in ("squeezenet", "inception_v3", "randwire", "nasnet"):  # values, not speed: few engines are tried
            self.assertEqual({device for name, device, _ in asked if name == network},
                             {f"gpu:0{mode}:quick" for mode in modes})

    def test_exported_project_runs_and_is_judged(self):
        os.makedirs(os.path.join(self.pack, "exported"))
        self.program(os.path.join(self.pack, "exported", "squeezenet-run"))
        self.report("exported")
        ran = [call["words"] for call in self.calls if call["name"] == "squeezenet-run"]
        self.assertEqual([words[-1] if "--benchmark" in words else words[-2] for words in ran], ["--output", "--benchmark"])
        self.assertIn("squeezenet.schedule.json", " ".join(call["words"][-1] for call in self.calls if call["words"][:1] == ["measure"]))

    def test_exported_project_that_the_pack_lacks_is_a_failure(self):
        self.report("exported")
        self.assertIn("the pack has no exported project", self.logs["exported.log"])

    def test_pytorch_searches_traces_and_compares_on_the_same_gpu(self):
        text = self.report("pytorch")
        self.assertIn("- pytorch: pass", text)
        asked = [(call["words"][0], call["words"][3]) for call in self.calls
                 if call["name"] == "stagecraft-cli" and "pytorch:" in " ".join(call["words"])]
        gpu = "pytorch:cuda:0"
        self.assertEqual(asked, [("optimize", gpu), ("timeline", gpu), ("compare", gpu),
                                 ("measure", gpu + ":tf32:channels-last")])
        self.assertIn("pytorch-compare.json", self.logs)

    def test_layouts_are_executed_and_judged(self):
        answer = lambda difference: {"says": json.dumps({"in_turn": {"found": {"speedup": 1, "largest_difference": difference}}})}
        self.play["stagecraft-cli layout"] = [answer(1e-3)]
        self.assertIn("- layouts: pass", self.report("layouts"))
        called = [call["words"] for call in self.calls if call["words"][:1] in (["layout"], ["memory"])]
        self.assertEqual([words[words.index("--device") + 1] for words in called], ["gpu:0:fp16", "gpu:0:tf32", "gpu:0"])
        self.play["stagecraft-cli layout"] = [answer(0.5)]
        self.report("layouts", out="wrong")
        self.assertIn("layouts change the outputs", self.logs["layouts.log"])

    def test_sanitizer_watches_the_sample_and_kernels_in_its_own_process(self):
        text = self.report("sanitizer")
        self.assertIn("- sanitizer: pass", text)
        watched = [call["words"] for call in self.calls if call["name"] == "compute-sanitizer"]
        self.assertEqual(len(watched), 2)
        self.assertIn("run_twice_givesTheSame", watched[0])
        self.assertNotIn("--require-cuda-init", watched[0])  # that it uses no GPU is an error
        self.assertIn("sample", watched[1])
        self.play["compute-sanitizer"][0]["says"] += (
            "\n========= Error: Target application terminated before first instrumented API call")
        self.assertIn("- sanitizer: pass", self.report("sanitizer"))

    def test_sanitizer_error_of_a_child_without_a_summary_is_a_failure(self):
        for line in ("Invalid __global__ write of size 4 bytes", "Error: process didn't terminate successfully"):
            self.play["compute-sanitizer"][0]["says"] = f"========= {line}\n========= ERROR SUMMARY: 0 errors"
            self.assertIn("- sanitizer: FAIL", self.report("sanitizer"), line)

    def test_sanitizer_that_checked_nothing_is_a_failure(self):
        for says, status in (("SKIP   : initTestCase() no GPU\n========= ERROR SUMMARY: 0 errors", 0), ("", 0),
                             ("========= ERROR SUMMARY: 0 errors", 1),
                             ("========= ERROR SUMMARY: 0 errors\n========= ERROR SUMMARY: 3 errors", 0)):
            self.play["compute-sanitizer"][0].update(says=says, status=status)
            self.assertIn("- sanitizer: FAIL", self.report("sanitizer"), says)


if __name__ == "__main__":
    unittest.main()
