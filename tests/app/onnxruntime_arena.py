"""What ONNX Runtime's arena holds after some runs of an exported folder, by its own profile, in bytes.

onnxruntime_arena.py FOLDER: prints a number, or "untold" where this ONNX Runtime does not say (before 1.28).
"""

import importlib.util
import json
import os
import sys
import tempfile

RUNS = 3


def exported(folder):
    spec = importlib.util.spec_from_file_location("run", os.path.join(folder, "run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def profiled_session(run, folder):
    config = run.streams_of_file()
    prefix = os.path.join(folder, "profile")
    if len(config["streams"]) > 1:
        return run.session_for(config, "extended", 0, profile=prefix)[0]
    options = run.options_for("extended", 0)
    options.enable_profiling = True
    options.profile_file_prefix = prefix
    return run.load(options)


def main():
    run = exported(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        session = profiled_session(run, folder)
        values = run.values_for(session, [])
        for _ in range(RUNS):
            session.run(None, values)
        with open(session.end_profiling(), encoding="utf-8") as file:
            events = json.load(file)
    held = [int(event["args"]["mem_arena_held"]) for event in events if "mem_arena_held" in event.get("args", {})]
    print(max(held) if held else "untold")


main()
