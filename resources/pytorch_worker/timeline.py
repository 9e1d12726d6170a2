# When each operator ran. On a GPU all is PyTorch's profiler's; on a CPU that follows one thread alone, so operators are
# timed in the threads that run them, and it names what PyTorch called for each.

MARK = "stagecraft "  # begins the name of an item's range; its place among the items follows


def stage_spans(program, kernels):
    spans = []
    for number in range(len(program.stages)):
        own = [kernel for kernel in kernels if kernel.stage == number]
        if own:
            spans.append(
                Message(
                    "StageSpan",
                    stage=number,
                    start_ns=min(kernel.start_ns for kernel in own),
                    end_ns=max(kernel.end_ns for kernel in own),
                )
            )
    return spans


def timeline_of(session, program, kernels, streams, notes):
    kernels.sort(key=lambda kernel: kernel.start_ns)
    first = kernels[0].start_ns if kernels else 0
    for kernel in kernels:
        kernel.start_ns -= first
        kernel.end_ns -= first
    return Message(
        "Timeline",
        provenance=0,
        device=session.options.id,
        duration_ns=max((kernel.end_ns for kernel in kernels), default=0),
        streams=streams,
        stages=stage_spans(program, kernels),
        kernels=kernels,
        notes=notes,
    )


def kernel_of(name, item, stream, start_ns, end_ns, **more):
    place = {"operators": item.operators, "stage": item.stage, "group": item.group} if item else {"stage": 0xFFFFFFFF}
    return Message("KernelSpan", name=name, stream=stream, start_ns=start_ns, end_ns=end_ns, **place, **more)


def timeline(session, program):
    with session.settings():
        session.runner.run(program, session.fresh())  # what runs once only is not shown
        session.runner.finish()
        if session.options.kind == "cuda":
            return gpu_timeline(session, program)
        return cpu_timeline(session, program)


def called_by_operators(session, program):
    """By item: what PyTorch spent most time in."""
    items = program.items()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        t = session.fresh()
        for place, item in enumerate(items):
            with torch.profiler.record_function(f"{MARK}{place}"):
                item(t)
    names = {}
    for event in profiler.events():
        if event.name.startswith(MARK):
            inner = list(event.cpu_children)
            for each in inner:  # grows
                inner += each.cpu_children
            longest = max(inner, key=lambda each: each.self_cpu_time_total, default=None)
            names[id(items[int(event.name[len(MARK) :])])] = longest.name if longest else ""
    return names


def cpu_timeline(session, program):
    names = called_by_operators(session, program)
    spans = []

    def around(item, t):
        start = time.perf_counter_ns()
        item(t)
        lane = threading.current_thread()
        first, width = (lane.first, lane.threads) if isinstance(lane, Lane) else (0, session.options.threads)
        spans.append((item, first, width, start, time.perf_counter_ns()))

    session.runner.run(program, session.fresh(), around)
    kernels = []
    for item, first, width, start, end in spans:
        name = "{} ({})".format(" + ".join(map(session.name, item.operators)), names.get(id(item)) or "PyTorch")
        kernels.append(kernel_of(name, item, first, start, end, grid=[width, 1, 1]))
    streams = max([session.options.threads] + [kernel.stream + kernel.grid[0] for kernel in kernels])
    return timeline_of(session, program, kernels, streams, ["operators are timed in the threads that run them"])


def gpu_timeline(session, program):
    items = program.items()
    places = {id(item): place for place, item in enumerate(items)}

    def around(item, t):
        with torch.profiler.record_function(f"{MARK}{places[id(item)]}"):
            item(t)

    kinds = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=kinds) as profiler:
        session.runner.run(program, session.fresh(), around)
        session.runner.finish()
    with tempfile.TemporaryDirectory(prefix="stagecraft-") as folder:
        path = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(path)
        with open(path, encoding="utf-8", errors="replace") as file:
            events = json.load(file)["traceEvents"]
    kernels, streams, unknown = kernels_in(events, items)
    notes = ["launched one after another from Python under PyTorch's profiler, not from a CUDA graph"]
    if unknown:
        notes.append(f"{unknown} kernels belong to no operator")
    if not kernels:
        raise Refused(DEVICE_FAILED, "PyTorch's profiler recorded no kernels", "allow profiling of the GPU (CUPTI)")
    return timeline_of(session, program, kernels, streams, notes)


def kernels_in(events, items):
    """Of a Chrome trace of PyTorch: a kernel belongs to the call that launched it, by its correlation, and the call to
    the range around it on its thread."""
    ranges = [
        event
        for event in events
        if event.get("cat") in ("user_annotation", "cpu_op") and event.get("name", "").startswith(MARK)
    ]
    calls = {
        event["args"]["correlation"]: event
        for event in events
        if event.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in event.get("args", {})
    }
    kernels, rows, unknown = [], {}, 0
    for event in events:
        if event.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset"):
            continue
        args = event.get("args", {})
        call, item = calls.get(args.get("correlation")), None
        for each in ranges if call else ():
            if each["tid"] == call["tid"] and each["ts"] <= call["ts"] <= each["ts"] + each["dur"]:
                item = items[int(each["name"][len(MARK) :])]
        unknown += item is None
        row = rows.setdefault(args.get("stream", 0), len(rows))
        start, grid, block = round(event["ts"] * 1e3), list(args.get("grid", [1, 1, 1])), args.get("block", [0])
        kernels.append(
            kernel_of(
                event["name"],
                item,
                row,
                start,
                start + round(event["dur"] * 1e3),
                grid=grid,
                threads_per_block=math.prod(block),
                registers_per_thread=int(args.get("registers per thread", 0)),
                shared_bytes_per_block=int(args.get("shared memory", 0)),
            )
        )
    return kernels, max(len(rows), 1), unknown
