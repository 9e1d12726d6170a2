#!/usr/bin/env python3
"""clang-tidy on the product's sources, as many at a time as there are processors.

    clang_tidy.py BUILD [--changed COMMITS] [--seconds SECONDS] [ARGUMENT OF CLANG-TIDY...]

BUILD is a configured build folder whose generated sources are built. With --changed only what the last COMMITS commits
changed, or includes a header that they changed: the nearest first, until the seconds are over; what is left is named.
What had no finding with the same sources, options and clang-tidy is known in ~/.cache and not looked at again. Findings
go to standard error, with exit status 1.
"""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

FOLDERS = ("core", "app", "widgets", "gpu")
PRECOMPILED = re.compile(r" (-include \S+/cmake_pch\.hxx|-Winvalid-pch|-fpch-preprocess)")
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.M)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def sources_of_product(build):
    """The compiled files of the product, each with those it consists of: several in a unity build."""
    wanted = re.compile(rf"{re.escape(os.getcwd())}/({re.escape(build)}/)?({'|'.join(FOLDERS)})/")
    compiled = {entry["file"] for entry in json.load(open(build + "/compile_commands.json"))}
    parts = {}
    for file in sorted(compiled):
        if wanted.match(file) and not file.endswith((".pb.cc", "mocs_compilation.cpp")) and "/.rcc/" not in file:
            included = INCLUDE.findall(read(file)) if "/Unity/" in file else [file]
            parts[file] = [os.path.relpath(part) for part in included]
    return parts


def included_by(file):
    """The files of the product that this one includes."""
    for included in INCLUDE.findall(read(file)):
        for root in ("core", "app", ".", os.path.dirname(file)):
            path = os.path.normpath(os.path.join(root, included))
            if os.path.exists(path):
                yield path
                break


def includes():
    """For each file of the product those that it includes."""
    files = output_of("git", "ls-files", *FOLDERS).split("\n")
    return {file: list(included_by(file)) for file in files if file.endswith((".cpp", ".h", ".cu", ".cuh"))}


def reached(start, arrows):
    """The files that are reached along the arrows, with the number of steps."""
    steps = {file: 0 for file in start}
    queue = collections.deque(start)
    while queue:
        file = queue.popleft()
        for other in arrows.get(file, ()):
            if other not in steps:
                steps[other] = steps[file] + 1
                queue.append(other)
    return steps


def steps_from_change(commits):
    """Files that the last commits changed, with 0, and those that include them, with the number of steps there."""
    last = int(output_of("git", "rev-list", "--count", "HEAD")) - 1
    changed = output_of("git", "diff", "--name-only", f"HEAD~{min(commits, last)}", "--", *FOLDERS).split()
    users = collections.defaultdict(list)
    for file, others in includes().items():
        for other in others:
            users[other].append(file)
    return reached(changed, users)


class CleanFiles:
    """What had no finding, by the sum of all that decides it."""

    def __init__(self, arguments):
        self.folder = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache", "stagecraft-tidy")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.arrows = includes()
        messages = output_of("git", "ls-files", "*.proto", "*.h.in", "resources/help").split()
        self.common = [output_of("clang-tidy-16", "--version"), output_of("g++", "--version"), " ".join(arguments),
                       *map(read, [".clang-tidy", *messages])]

    def mark(self, command, parts):
        texts = [command.replace(os.getcwd(), "."), *parts, *self.common, *map(read, sorted(reached(parts, self.arrows)))]
        return self.folder / hashlib.sha256("\0".join(texts).encode()).hexdigest()


def check(build, files, parts, arguments, deadline):
    """What clang-tidy says about the files, and the files that there was no time for."""
    commands = json.load(open(build + "/compile_commands.json"))
    for command in commands:  # clang does not read the precompiled headers of GCC
        command["command"] = PRECOMPILED.sub("", command["command"])
    database = tempfile.TemporaryDirectory()
    with open(database.name + "/compile_commands.json", "w", encoding="utf-8") as file:
        json.dump(commands, file)
    clean = CleanFiles(arguments)
    marks = {command["file"]: clean.mark(command["command"], parts[command["file"]])
             for command in commands if command["file"] in parts}
    waiting = collections.deque(file for file in files if not marks[file].exists())
    reports = []
    lock = threading.Lock()

    def work():
        while True:
            with lock:
                if not waiting or time.monotonic() > deadline:
                    return
                file = waiting.popleft()
            done = subprocess.run(
                ["clang-tidy-16", "-p", database.name, "--quiet", "--warnings-as-errors=*",
                 "--extra-arg=-Wno-unknown-warning-option", *arguments, file], capture_output=True, text=True)
            if done.returncode == 0:
                marks[file].touch()
            else:
                with lock:
                    reports.append(done.stdout + done.stderr)

    threads = [threading.Thread(target=work) for _ in range(os.cpu_count() or 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return reports, list(waiting)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--changed", type=int)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options, arguments = parser.parse_known_args()
    parts = sources_of_product(options.build)
    files = list(parts)
    if options.changed is not None:
        steps = steps_from_change(options.changed)
        distance = {file: min((steps[part] for part in parts[file] if part in steps), default=None) for file in files}
        files = sorted((file for file in files if distance[file] is not None), key=lambda file: distance[file])
    reports, left = check(options.build, files, parts, arguments, time.monotonic() + options.seconds)
    findings = sorted({line for report in reports for line in report.split("\n") if re.search("warning:|error:", line)})
    if reports:
        print("\n".join(findings) or "\n".join(reports), file=sys.stderr)
        return 1
    print(f"{sum(len(parts[file]) for file in files if file not in left)} files, no finding")
    if left:
        print("no time was left for " + " ".join(sorted(part for file in left for part in parts[file])))
    return 0


sys.exit(main())
