#!/usr/bin/env python3
"""Checks the messages of the commits that came after this file: `area: imperative`, at most 60 characters, and a body that
says why."""

import re
import subprocess
import sys


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def faults(message):
    subject, _, body = message.strip().partition("\n")
    if len(subject) > 60:
        yield f"the subject has {len(subject)} characters, of 60"
    if not re.match(r"[a-z][a-z, _-]*: \S", subject):
        yield "the subject names no area: it reads `area: what the commit does`"
    elif subject.endswith("."):
        yield "the subject ends in a full stop"
    if body and not body.startswith("\n"):
        yield "no empty line is between subject and body"
    if not body.strip():
        yield "there is no body: why, and what was measured or run"


def main():
    added = output_of("git", "log", "--diff-filter=A", "--format=%H", "--", "packaging/check_commits.py").split()
    if not added:
        print("the commit that brought this check is not in this clone: nothing was checked")
        return 0
    commits = output_of("git", "rev-list", "--no-merges", f"{added[-1]}..HEAD").split()
    wrong = False
    for commit in commits:
        message = output_of("git", "log", "-1", "--format=%B", commit)
        for fault in faults(message):
            wrong = True
            print(f"{commit[:9]} {message.splitlines()[0]}: {fault}", file=sys.stderr)
    print(f"{len(commits)} commit messages checked")
    return 1 if wrong else 0


sys.exit(main())
