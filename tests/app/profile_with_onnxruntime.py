"""Profiles a model with ONNX Runtime on the CPU: MODEL none|all RUNS PROFILE.json (none: without its optimiser)."""

import os
import sys

import numpy
import onnxruntime

model, optimiser, runs, output = sys.argv[1:]
levels = {
    "none": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
}
options = onnxruntime.SessionOptions()
options.graph_optimization_level = levels[optimiser]
options.enable_profiling = True
options.profile_file_prefix = output
session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
inputs = {
    value.name: numpy.zeros([size if isinstance(size, int) else 1 for size in value.shape],
                            numpy.int64 if value.type == "tensor(int64)" else numpy.float32)
    for value in session.get_inputs()
}
for _ in range(int(runs)):
    session.run(None, inputs)
os.replace(session.end_profiling(), output)
