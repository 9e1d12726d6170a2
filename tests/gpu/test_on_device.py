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
    calls.write(json.dumps(dict(name=name, words=words, pid=os.getpid(), sampling="STAGECRAFT_NO_SAMPLING" not in os.environ)) + "\\n")
if "-o" in words and not words[words.index("-o") + 1].endswith(",txt"):
    open(words[words.index("-o") + 1], "w").close()
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
        open(os.path.join(self.pack, "commit"), "w", encoding="utf-8").close()
        for program in ("stagecraft-cli", "tst_gpu_cupti", "tst_gpu_counter_sampler", "tst_gpu_conformance"):
            self.program(os.path.join(self.pack, "bin", program))
        for program in ("nvidia-smi", "compute-sanitizer"):
            self.program(os.path.join(self.machine, program))
        with open(os.path.join(self.machine, "numpy.py"), "w", encoding="utf-8") as file:
            file.write(NUMPY)
        self.play = {"stagecraft-cli devices": [{"says": json.dumps({"devices": [{"id": "gpu:0", "available": True}]})}],
                     "stagecraft-cli info": [{"says": json.dumps({"inputs": [{"shape": "1x3x8x8"}]})}],
                     "stagecraft-cli timeline": [{"says": json.dumps(TIMELINE)}],
                     "compute-sanitizer": [{"says": "========= ERROR SUMMARY: 0 errors"}]}

    def program(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROGRAM.format(python=sys.executable, calls=self.calls_path, play=self.play_path))
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def report(self, steps):
        """The report of a call with these steps; self.logs has their logs, self.calls what was called."""
        with open(self.play_path, "w", encoding="utf-8") as file:
            json.dump(self.play, file)
        out = os.path.join(self.folder, "out")
        environment = dict(os.environ, PATH=self.machine + ":" + os.environ["PATH"], TMPDIR=self.folder,
                           PYTHONPATH=self.machine, PYTHONDONTWRITEBYTECODE="1")
        subprocess.run(["bash", os.path.join(self.pack, "on_device.sh"), "--out", out, "--seconds", "100", "--steps", steps],
                       env=environment, capture_output=True, timeout=100, check=False)
        with tarfile.open(os.path.join(out, "logs.tar.gz")) as logs:
            self.logs = {os.path.basename(file.name): logs.extractfile(file).read().decode()
                         for file in logs.getmembers() if file.isfile()}
        with open(self.calls_path, encoding="utf-8") as calls:
            self.calls = [json.loads(line) for line in calls]
        with open(os.path.join(out, "report.md"), encoding="utf-8") as file:
            return file.read()

    def test_no_device_every_step_says_so(self):
        self.play["stagecraft-cli devices"] = [{"says": json.dumps(
            {"devices": [{"id": "gpu:0", "available": False, "reason": "no NVIDIA driver"}]})}]
        text = self.report("conformance timeline search compare1 numbers compare32 peers sanitizer")
        self.assertIn("gpu:0: no NVIDIA driver", text)
        for step in ("conformance", "timeline", "search", "compare1", "numbers", "compare32", "peers", "sanitizer", "record"):
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
