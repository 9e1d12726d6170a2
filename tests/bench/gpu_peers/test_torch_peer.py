"""How torch_peer.py times, on a GPU that is played, and what gpu_peers.py says of a child that fails: PyTorch need not be
installed."""
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


class PlayedGpu:
    """A queue: the host hands a run over in `launch_us`, the GPU takes `run_us` for it, after what is before it."""

    def __init__(self, launch_us, run_us):
        self.launch_us, self.run_us = launch_us, run_us
        self.host_us = self.gpu_us = 0.0
        self.runs = 0

    def run(self):
        self.host_us += self.launch_us
        self.gpu_us = max(self.gpu_us, self.host_us) + self.run_us
        self.runs += 1

    def event(self, enable_timing):
        gpu = self

        class Event:
            def record(self):
                self.at_us = gpu.gpu_us = max(gpu.gpu_us, gpu.host_us)

            def synchronize(self):
                gpu.host_us = max(gpu.host_us, self.at_us)

            def elapsed_time(self, end):
                return (end.at_us - self.at_us) / 1e3

        assert enable_timing
        return Event()


def peer_on(gpu, cuda=True):
    torch = types.ModuleType("torch")
    torch.inference_mode = contextlib.nullcontext
    torch.cuda = types.SimpleNamespace(Event=gpu.event)
    sys.modules.update(torch=torch, numpy=types.ModuleType("numpy"), onnx_to_torch=types.ModuleType("onnx_to_torch"))
    import torch_peer
    torch_peer.torch = torch
    torch_peer.SECONDS = 0
    peer = torch_peer.Peer.__new__(torch_peer.Peer)
    peer.cuda, peer.run = cuda, gpu.run
    return peer


class Measure(unittest.TestCase):
    def test_launches_overlap_with_runs_before_them(self):
        peer = peer_on(PlayedGpu(launch_us=8.0, run_us=20.0))
        self.assertAlmostEqual(peer.sample_us(1), 28.0)  # with a launch that nothing hides
        answer = peer.measure()
        self.assertAlmostEqual(answer["median_us"], 20.0, delta=0.2)
        self.assertEqual(answer["runs"], 20 * 72)  # 72 runs of 28 us: two milliseconds

    def test_host_that_is_slower_counts(self):
        answer = peer_on(PlayedGpu(launch_us=100.0, run_us=20.0)).measure()
        self.assertAlmostEqual(answer["median_us"], 100.0, delta=2)

    def test_long_run_is_a_sample_of_its_own(self):
        answer = peer_on(PlayedGpu(launch_us=10.0, run_us=5000.0)).measure()
        self.assertEqual(answer["runs"], 20)

    def test_cpu_runs_are_timed_one_by_one(self):
        gpu = PlayedGpu(launch_us=0.0, run_us=0.0)
        answer = peer_on(gpu, cuda=False).measure()
        self.assertEqual(answer["runs"], 20)
        self.assertEqual(gpu.runs, 30)  # ten to warm up


class Failure(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.log = os.path.join(self.folder, "log")
        sys.modules.setdefault("numpy", types.ModuleType("numpy"))
        import gpu_peers
        self.gpu_peers, here = gpu_peers, gpu_peers.HERE
        self.addCleanup(setattr, gpu_peers, "HERE", here)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def child(self, text):
        self.write("torch_peer.py", text)
        self.gpu_peers.HERE = self.folder
        peer = self.gpu_peers.Peer(self.log, "eager")
        self.addCleanup(peer.child.stdout.close)
        return peer

    def test_missing_module_is_named(self):
        self.write("numpy.py", "raise ImportError('no numpy here')")
        done = subprocess.run([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_peer.py"), "eager"],
                              env=dict(os.environ, PYTHONPATH=self.folder, PYTHONDONTWRITEBYTECODE="1"),
                              capture_output=True, text=True, check=False)
        self.assertEqual(json.loads(done.stdout), {"error": "ImportError: no numpy here"})
        self.assertEqual(done.returncode, 1)

    def test_child_that_ends_at_once_is_quoted(self):
        with self.assertRaisesRegex(self.gpu_peers.Failed, "ended with status 3: out of luck"):
            self.child("import sys; print('out of luck', file=sys.stderr); sys.exit(3)")

    def test_child_that_ends_before_it_is_asked_is_quoted(self):
        peer = self.child("import os; print('{}', flush=True); os.write(2, b'killed\\n'); os._exit(9)")
        peer.child.wait()
        with self.assertRaisesRegex(self.gpu_peers.Failed, "ended with status 9: killed"):
            peer.ask("measure")


class Schedules(unittest.TestCase):
    """What our command line is asked for; it is played."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        sys.modules.setdefault("numpy", types.ModuleType("numpy"))
        import gpu_peers
        self.gpu_peers = gpu_peers

    def asked(self, precision, schedules, graph_only=True, relaxed=False):
        options = types.SimpleNamespace(device="gpu:0", precision=precision, graph_only=graph_only, schedules=schedules,
                                        search_seconds=7, epsilon=0.02, relaxed=relaxed)
        calls = []

        def call(*words):
            calls.append(words)
            if "-o" in words and os.path.isdir(os.path.dirname(words[-1])):
                open(words[-1], "w", encoding="utf-8").close()
            return {"latency_us": 1.0}

        ours = types.SimpleNamespace(call=call)
        for row in self.gpu_peers.our_rows(ours, options, "nasnet", "x.npy", "own"):
            row.measure()
        return calls

    def test_kept_schedule_is_measured_not_searched(self):
        kept = os.path.join(self.folder, "nasnet.schedule.json")
        open(kept, "w", encoding="utf-8").close()
        calls = self.asked("fp32", self.folder)
        self.assertEqual([words[0] for words in calls], ["measure"] * 3)
        self.assertEqual(calls[-1], ("measure", "nasnet", "--device", "gpu:0", "--schedule", kept, "--json"))

    def test_missing_schedule_is_searched_into_the_folder(self):
        kept = os.path.join(self.folder, "nasnet-tf32.schedule.json")
        open(os.path.join(self.folder, "nasnet.schedule.json"), "w", encoding="utf-8").close()  # of another precision
        search, *measured = self.asked("tf32", self.folder)
        self.assertEqual(search, ("optimize", "nasnet", "--device", "gpu:0:tf32", "--epsilon", "0.02", "--max-seconds", "7", "-o", kept))
        self.assertEqual(measured[-1][5], kept)

    def test_streams_have_schedules_of_their_own(self):
        open(os.path.join(self.folder, "nasnet.schedule.json"), "w", encoding="utf-8").close()
        searches = [words for words in self.asked("fp32", self.folder, False) if words[0] == "optimize"]
        self.assertEqual([(words[3], words[-1]) for words in searches],
                         [("gpu:0:streams", os.path.join("own", "streams.schedule.json"))])

    def test_relaxed_has_a_schedule_of_its_own_for_graphs(self):
        open(os.path.join(self.folder, "nasnet-tf32.schedule.json"), "w", encoding="utf-8").close()
        calls = self.asked("tf32", self.folder, graph_only=False, relaxed=True)
        kept = os.path.join(self.folder, "nasnet-ios-relaxed-tf32.schedule.json")
        self.assertEqual([words for words in calls if words[0] == "optimize"][0],
                         ("optimize", "nasnet", "--device", "gpu:0:tf32", "--strategy", "ios-relaxed", "--epsilon", "0.02",
                          "--max-seconds", "7", "-o", kept))
        self.assertEqual([words[3] for words in calls if words[0] == "measure"], ["gpu:0:tf32"] * 4 + ["gpu:0:tf32:streams"] * 3)

    def test_gain_of_scheduling_is_told_apart_from_what_was_there_before(self):
        rows = [self.gpu_peers.Row(name, None, None) for name in ("sequential (graph)", "ios (graph)", "torch eager", "torch graphs",
                                                                        "ios-relaxed (graph)")]
        for row, time in zip(rows, (12.0, 10.0, 30.0, 15.0, 8.0)):
            row.times = [time]
        self.assertEqual({what: round(ratio, 3) for what, ratio in self.gpu_peers.ratios(rows).items()},
                         {"IOS over our sequential": 1.2, "our sequential over PyTorch": 1.25, "IOS over PyTorch": 1.5})
        self.assertEqual(list(self.gpu_peers.ratios(rows[:2])), ["IOS over our sequential"])


if __name__ == "__main__":
    unittest.main()
