"""Checks an ONNX file with stages.

usage: staged_onnx.py PLAIN.onnx STAGED.onnx SCHEDULE.json
PLAIN: the same model without stages. STAGED has to be valid, to compute the same in ONNX Runtime (to 1e-4 of the
largest magnitude), to have a convolution less for each merged operator, and nodes that state the stage and group of the
schedule. Exit status 1 with the reason otherwise.
"""
import json
import sys

import numpy as np
import onnx
import onnxruntime

plain, staged, schedule = sys.argv[1:]
onnx.checker.check_model(staged, full_check=True)
models = [onnx.load(path) for path in (plain, staged)]
stages = json.load(open(schedule))["stages"]

less = sum(len(stage["groups"]) - 1 for stage in stages if stage["strategy"] == "merge")
convolutions = [sum(node.op_type == "Conv" for node in model.graph.node) for model in models]
if convolutions[0] - convolutions[1] != less:
    sys.exit(f"{convolutions} convolutions, {less} less were expected")

expected = {}
for number, stage in enumerate(stages, 1):
    if stage["strategy"] == "merge":
        expected[(str(number), "1")] = {"+".join(group[0] for group in stage["groups"])}
        continue
    for group, operators in enumerate(stage["groups"], 1):
        expected[(str(number), str(group))] = set(operators)
stated = {}
for node in models[1].graph.node:
    entries = {entry.key: entry.value for entry in node.metadata_props}
    place = (entries["stagecraft.stage"], entries["stagecraft.group"])
    stated.setdefault(place, set()).add(entries["stagecraft.operator"])
if stated != expected:
    sys.exit("the nodes state other stages and groups than the schedule")

random = np.random.default_rng(1)
sessions = [onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]) for path in (plain, staged)]
feed = {one.name: random.standard_normal(one.shape, dtype=np.float32) for one in sessions[0].get_inputs()}
for output, left, right in zip(sessions[0].get_outputs(), *(session.run(None, feed) for session in sessions)):
    if np.abs(left - right).max() > 1e-4 * np.abs(left).max():
        sys.exit(f"output {output.name} differs by {np.abs(left - right).max()}")
