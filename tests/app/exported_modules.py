"""Runs exported PyTorch modules and compares their outputs.

usage: exported_modules.py CASES.json
CASES: [{"module": FILE.py, "inputs": [X.npy...], "outputs": [Y.npy...]}], inputs and outputs in the order of the module.
Prints a line for each case; exit status 1 if an output differs by more than 1e-4 of the largest magnitude.
"""
import importlib.util
import json
import sys

import numpy
import torch

failed = 0
for case in json.load(open(sys.argv[1])):
    spec = importlib.util.spec_from_file_location("network", case["module"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    outputs = module.Network()(*[torch.from_numpy(numpy.load(file)) for file in case["inputs"]])
    outputs = [outputs] if isinstance(outputs, torch.Tensor) else outputs
    for output, file in zip(outputs, case["outputs"], strict=True):
        wanted = numpy.load(file)
        got = output.numpy()
        equal = got.shape == wanted.shape and numpy.allclose(
            got, wanted, rtol=0, atol=1e-4 * max(1e-6, float(numpy.nanmax(numpy.abs(wanted), initial=0))), equal_nan=True
        )
        print("ok" if equal else "DIFFERS", case["module"], got.shape)
        failed += not equal
sys.exit(failed > 0)
