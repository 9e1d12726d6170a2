#!/usr/bin/env python3
"""A large trace of the PyTorch profiler, made of a small one: large_trace.py TRACE.json[.gz] MEGABYTES OUT.json

Its events are repeated one after another in time, with numbers of their own for launches, until the file is so large.
For bench_window MODEL profile OUT.json, and for stagecraft-cli profile MODEL OUT.json.
"""

import gzip
import json
import sys

path, megabytes, out = sys.argv[1], float(sys.argv[2]), sys.argv[3]
with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
    trace = json.load(file)
events = trace["traceEvents"]
timed = [event for event in events if event.get("ph") in ("X", "i", "s", "f") and "ts" in event]
others = [event for event in events if event.get("ph") == "M"]
begin = min(event["ts"] for event in timed)
length = max(event["ts"] + event.get("dur", 0) for event in timed) - begin + 10
most = 1 + max((event.get("args", {}).get("correlation", 0) for event in timed), default=0)


def repeated(event, times):
    made = dict(event, ts=event["ts"] + times * length)
    arguments = made.get("args", {})
    for key in ("correlation", "External id"):
        if isinstance(arguments.get(key), int):
            arguments = dict(arguments, **{key: arguments[key] + times * most})
    if isinstance(made.get("id"), int):
        made["id"] += times * most
    if arguments:
        made["args"] = arguments
    return made


head = {key: value for key, value in trace.items() if key != "traceEvents"}
with open(out, "w") as file:
    file.write(json.dumps(head)[:-1] + (", " if head else "") + '"traceEvents": [\n')
    file.write(",\n".join(json.dumps(event) for event in others))
    written = times = 0
    while written < megabytes * 1e6:
        text = "".join(",\n" + json.dumps(repeated(event, times)) for event in timed)
        file.write(text)
        written += len(text)
        times += 1
    file.write("\n]}\n")
print(f"{out}: the trace {times} times")
