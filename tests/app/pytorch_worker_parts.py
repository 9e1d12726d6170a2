#!/usr/bin/env python3
"""Checks the parts of the worker for PyTorch that need no PyTorch, its messages, statistics and locks: python3 THIS WORKER.py."""
import errno
import hashlib
import io
import os
import random
import statistics
import sys
import tempfile
import threading
import time


def loaded(path):
    worker = {"__name__": "worker"}
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), worker)
    return worker


def refused(call, kind):
    try:
        call()
    except kind:
        return True
    return False


def check_messages_read_back(worker):
    Message, encode, decode = worker["Message"], worker["encode"], worker["decode"]
    stage = Message("Stage", block=1 << 40, merge=True, groups=[Message("Group", operators=[0, 1, 300])], launch_order=[2, 1])
    request = decode("Request", encode(Message("Request", version=7, id=9, measure_stage=stage)))
    assert (request.version, request.id, request.has("cancel")) == (7, 9, False)
    read = request.measure_stage
    assert (read.block, read.merge, read.groups[0].operators, read.launch_order) == (1 << 40, True, [0, 1, 300], [2, 1])
    assert read.python is None
    span = decode("KernelSpan", encode(Message("KernelSpan", start_ns=-3, grid=[1, -1, 5], name="ü")))
    assert (span.start_ns, span.grid, span.name, span.group) == (-3, [1, -1, 5], "ü".encode(), 0)
    sample = decode("Sample", encode(Message("Sample", mean_us=1.25, runs=-1)))
    assert (sample.mean_us, sample.runs, sample.slowed_by) == (1.25, -1, b"")
    assert decode("Request", encode(Message("Request", list_devices=Message("ListDevices")))).has("list_devices")


def check_unknown_fields_are_skipped(worker):
    varint, decode = worker["varint"], worker["decode"]
    unknown = varint(90 << 3) + varint(5) + varint(91 << 3 | 1) + bytes(8) + varint(92 << 3 | 2) + b"\x02ab" + varint(93 << 3 | 5)
    assert decode("Group", unknown + bytes(4) + b"\x08\x07").operators == [7]  # not packed


def check_damaged_messages_are_refused(worker):
    Message, encode, decode, NoMessage = (worker[name] for name in ("Message", "encode", "decode", "NoMessage"))
    whole = encode(Message("Request", version=7, id=1, describe=Message("Describe", device="pytorch:cpu")))
    assert refused(lambda: decode("Request", whole[:-1]), NoMessage)
    assert refused(lambda: decode("Request", b"\x1a\xff\xff\xff\xff\x0f"), NoMessage)  # longer than the message
    assert refused(lambda: decode("Request", b"\x0a\x00"), NoMessage)  # a number as text
    assert refused(lambda: decode("Request", b"\x0b"), NoMessage)  # of a form that there is not
    assert refused(lambda: decode("Request", b"\x80" * 12), NoMessage)
    draw = random.Random(1)
    for _ in range(20000):
        damaged = bytearray(whole)
        damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        try:
            decode("Request", damaged)
        except NoMessage:
            pass


def check_streams_are_split(worker):
    Message, framed, receive, NoMessage = (worker[name] for name in ("Message", "framed", "receive", "NoMessage"))
    stream = io.BytesIO(framed(Message("Request", id=5)) + framed(Message("Request", id=6)))
    assert [receive(stream, "Request").id for _ in range(2)] == [5, 6] and receive(stream, "Request") is None
    for garbage in (b"hello, this is no message", b"\xff" * 9, b"\x05ab"):
        assert refused(lambda: receive(io.BytesIO(garbage), "Request"), NoMessage)


def check_requests_without_a_graph(worker):
    Message, made = worker["Message"], worker["Worker"]()
    for request, says in [
        (Message("Request", version=7, measure_stage=Message("Stage")), b"no graph is open"),
        (Message("Request", version=6, list_devices=Message("ListDevices")), b"speaks version 7 of the protocol, the program 6"),
        (Message("Request", version=7, describe=Message("Describe", device="gpu:0")), b"no device gpu:0"),
        (Message("Request", version=7, describe=Message("Describe", device="pytorch:cpu:tf32")), b"unknown option tf32"),
        (Message("Request", version=7, describe=Message("Describe", device="pytorch:cuda")), b"has no number"),
    ]:
        request = worker["decode"]("Request", worker["encode"](request))
        reply = worker["decode"]("Reply", worker["encode"](made.handle(request)))
        assert reply.version == 7 and says in reply.failure.message, reply.failure.message


def check_timings_are_repeated(worker):
    draw, asked = random.Random(2), []

    def runs(number):
        asked.append(number)
        return number * (10.0 + draw.random() / 100) * (50 if len(asked) == 6 else 1)  # one is disturbed

    effort = worker["Effort"](warmup=2, least=7, sample_us=40.0, seconds=10.0)
    sample = worker["measure"](runs, effort, lambda: (1500, 0, "power limit"), lambda: None)
    assert asked[:2] == [1, 1] and set(asked[2:]) == {4}, asked
    assert sample.runs == 4 * 7 and abs(sample.median_us - 10.005) < 0.01 and sample.stddev_us < 0.01
    assert (sample.clock_mhz, sample.memory_clock_mhz, sample.slowed_by) == (1500, 0, "power limit")
    noisy = worker["measure"](lambda n: n * draw.uniform(1.0, 1e3), worker["Effort"](most=50), lambda: (0, 0, ""), lambda: None)
    assert noisy.runs >= 7 and noisy.clock_mhz == 0

    def stop():
        raise worker["Refused"](worker["CANCELLED"], "stopped")

    assert refused(lambda: worker["measure"](runs, effort, lambda: (0, 0, ""), stop), worker["Refused"])
    assert [round(worker["students_t"](n), 2) for n in (1, 20, 30, 1000)] == [12.71, 2.09, 2.04, 1.96]
    assert statistics.median(worker["undisturbed"]([1.0] * 5 + [9.0])) == 1.0


def check_turns_are_taken(worker):
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder
        first, second = (worker["DeviceLock"]("cpu") for _ in range(2))
        assert first.can_be_taken()
        order, holds = [], threading.Event()

        def other():
            holds.wait()
            with second.held(lambda: None):
                order.append("second")

        thread = threading.Thread(target=other)
        thread.start()
        with first.held(lambda: None):
            holds.set()
            assert f"(process {os.getpid()})" in second.holder(), second.holder()
            time.sleep(0.2)
            order.append("first")
        thread.join()
        assert order == ["first", "second"] and not second.holder()
        assert sorted(os.listdir(folder)) == ["stagecraft-cpu.lock", "stagecraft-cpu.queue"]
        os.mkfifo(os.path.join(folder, "stagecraft-gpu.queue"))
        strange = worker["DeviceLock"]("gpu")
        assert not strange.can_be_taken()
        with strange.held(lambda: None):
            pass  # nobody waits


def check_kernels_are_found_in_a_trace(worker):
    items = [worker["Item"](None, None, [place + 10], stage=place, group=0) for place in range(2)]

    def event(kind, name, ts, dur=10, tid=1, **args):
        return {"cat": kind, "name": name, "ts": ts, "dur": dur, "tid": tid, "args": args}

    events = [
        event("user_annotation", "stagecraft 0", 0),
        event("user_annotation", "stagecraft 1", 20),
        event("cuda_runtime", "cudaLaunchKernel", 25, 1, correlation=7),
        event("cuda_driver", "cuLaunchKernel", 5, 1, correlation=8),
        event("cuda_runtime", "cudaLaunchKernel", 25, 1, tid=2, correlation=9),  # of another thread
        event("kernel", "relu", 40, 2.5, correlation=7, stream=20, grid=[3, 2, 1], block=[32, 4, 1], **{"registers per thread": 40}),
        event("kernel", "gemm", 30, 4, correlation=8, stream=7),
        event("kernel", "other", 50, 4, correlation=9, stream=7),
        event("cpu_op", "aten::relu", 25, 1),
        {"ph": "M", "name": "process_name"},
    ]
    kernels, streams, unknown = worker["kernels_in"](events, items)
    assert (streams, unknown) == (2, 1)
    relu, gemm, other = kernels
    assert (relu.operators, relu.stage, relu.stream, relu.start_ns, relu.end_ns) == ([11], 1, 0, 40000, 42500)
    assert (relu.grid, relu.threads_per_block, relu.registers_per_thread) == ([3, 2, 1], 128, 40)
    assert (gemm.operators, gemm.stage, gemm.stream) == ([10], 0, 1)
    assert other.operators == [] and other.stage == 0xFFFFFFFF


def check_errors_become_answers(worker):
    refusal = worker["refusal_of"]
    space = refusal(OSError(errno.ENOSPC, "No space left on device", "/tmp/trace.json"))
    assert "no space is left" in space.message and "TMPDIR" in space.remedy
    assert "smaller batch" in refusal(MemoryError()).remedy
    assert "smaller batch" in refusal(RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")).remedy
    assert refusal(RuntimeError("CUDA error: an illegal memory access was encountered\nmore")).worker_ends
    plain = refusal(RuntimeError("no kernel\nfor this"))
    assert plain.message == "PyTorch: no kernel" and not plain.worker_ends
    assert worker["within"]("operator a", plain).context == ["operator a"]


def check_weights_are_kept(worker):
    Refused, cache_of = worker["Refused"], worker["WeightCache"]
    values = [bytes([number]) * 1000 for number in range(4)]
    names = [hashlib.sha256(each).hexdigest() for each in values]
    with tempfile.TemporaryDirectory() as folder:
        kept = os.path.join(folder, "a", "weights")
        cache = cache_of(kept, 2500)
        assert os.stat(kept).st_mode & 0o777 == 0o700 and cache.lacking(names[:2]) == sorted(names[:2])
        assert refused(lambda: cache.keep(names[0], values[1]), Refused)
        for name, each in zip(names[:2], values):
            cache.keep(name, each)
        assert sorted(os.listdir(kept)) == sorted(names[:2]) and cache.lacking(names[:2]) == []
        other = cache_of(kept, 2500)  # of another program
        assert other.lacking(names[:3]) == [names[2]] and other.values(names[0]) == values[0]
        os.utime(os.path.join(kept, names[1]), (1, 1))
        other.lacking([names[2]])
        other.keep(names[2], values[2])  # the one that was not used for longest goes
        assert sorted(os.listdir(kept)) == sorted([names[0], names[2]])
        with open(os.path.join(kept, names[0]), "r+b") as file:
            file.write(b"spoilt")
        assert other.values(names[0]) is None and os.listdir(kept) == [names[2]]
        small = cache_of(kept, 500)
        small.lacking([names[2], names[3]])
        small.keep(names[3], values[3])  # in memory: there is no room
        assert small.values(names[3]) == values[3] and os.listdir(kept) == [names[2]]
        assert small.values("../" + names[2]) is None and small.lacking(["../x"]) == ["../x"]
        assert small.lacking([names[3]]) == [names[3]]  # it was not wanted before
    for folder, limit in ((None, 100), ("/proc/none", 100), ("/tmp", 0)):
        cache = cache_of(folder, limit)
        cache.lacking(names[:1])
        cache.keep(names[0], values[0])
        assert cache.folder is None and cache.values(names[0]) == values[0] and cache.lacking(names[:1]) == []


def check_values_are_filled_in(worker):
    Message, encode, decode = worker["Message"], worker["encode"], worker["decode"]
    made, values = worker["Worker"](), bytes(range(256)) * 16
    name = hashlib.sha256(values).hexdigest()
    made.kept = worker["WeightCache"](None, 0)

    def asked(**request):
        reply = made.handle(decode("Request", encode(Message("Request", version=7, **request))))
        return decode("Reply", encode(reply))

    assert asked(weights=Message("Weights", sha256=[name])).lacking.sha256 == [name.encode()]
    graph = Message("Graph", operators=[Message("Operator", parameters=[Message("Parameter", sha256=name)])])
    open_it = Message("Open", device="pytorch:cpu", graph=graph)
    assert asked(open=open_it).lacking.sha256 == [name.encode()]
    assert asked(keep_values=Message("KeptValues", sha256=name, values=values)).lacking.sha256 == []
    assert asked(weights=Message("Weights", sha256=[name])).lacking.sha256 == []
    graph = decode("Graph", encode(graph))
    assert made.fill_in(graph) == [] and graph.operators[0].parameters[0].values == values


def check_processors_are_shared(worker):
    assert [worker["shares_of"](*each) for each in ((8, 3), (2, 2), (1, 3))] == [[3, 3, 2], [1, 1], [1, 1, 1]]


def main():
    worker = loaded(sys.argv[1])
    for name, check in list(globals().items()):
        if name.startswith("check_"):
            check(worker)
            print(name)


main()
