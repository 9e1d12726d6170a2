#!/usr/bin/env python3
"""clang-tidy on the product's sources, as many at a time as there are processors.

    clang_tidy.py BUILD [--changed COMMITS] [--seconds SECONDS] [ARGUMENT OF CLANG-TIDY...]

BUILD is a configured build folder whose generated sources are built. With --changed only what the last COMMITS commits
changed, or includes a header that they changed: the nearest first, until the seconds are over; what is left is named.
Findings go to standard error, with exit status 1.
"""

import argparse
import collections
import json
import os
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


def includers():
    """For each file of the product those that include it."""
    files = output_of("git", "ls-files", *FOLDERS).split("\n")
    found = collections.defaultdict(set)
    for file in files:
        if file.endswith((".cpp", ".h", ".cu", ".cuh")):
            for included in INCLUDE.findall(read(file)):
                for root in ("core", "app", ".", os.path.dirname(file)):
                    path = os.path.normpath(os.path.join(root, included))
                    if os.path.exists(path):
                        found[path].add(file)
                        break
    return found


def steps_from_change(commits):
    """Files that the last commits changed, with 0, and those that include them, with the number of steps there."""
    last = int(output_of("git", "rev-list", "--count", "HEAD")) - 1
    changed = output_of("git", "diff", "--name-only", f"HEAD~{min(commits, last)}", "--", *FOLDERS).split()
    steps = {file: 0 for file in changed}
    users = includers()
    queue = collections.deque(changed)
    while queue:
        file = queue.popleft()
        for user in users[file]:
            if user not in steps:
                steps[user] = steps[file] + 1
                queue.append(user)
    return steps


def check(build, files, arguments, deadline):
    """What clang-tidy says about the files, and the files that there was no time for."""
    commands = json.load(open(build + "/compile_commands.json"))
    for command in commands:  # clang does not read the precompiled headers of GCC
        command["command"] = PRECOMPILED.sub("", command["command"])
    database = tempfile.TemporaryDirectory()
    with open(database.name + "/compile_commands.json", "w", encoding="utf-8") as file:
        json.dump(commands, file)
    waiting = collections.deque(files)
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
            if done.returncode != 0:
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
    reports, left = check(options.build, files, arguments, time.monotonic() + options.seconds)
    findings = sorted({line for report in reports for line in report.split("\n") if re.search("warning:|error:", line)})
    if reports:
        print("\n".join(findings) or "\n".join(reports), file=sys.stderr)
        return 1
    print(f"{sum(len(parts[file]) for file in files if file not in left)} files, no finding")
    if left:
        print("no time was left for " + " ".join(sorted(part for file in left for part in parts[file])))
    return 0


sys.exit(main())
