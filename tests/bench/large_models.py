"""Large model files: until `info` ends, until the window has drawn the graph, and the memory that both take.

usage: large_models.py STAGECRAFT_CLI BENCH_WINDOW [FOLDER]     (needs the PyPI package onnx; files that are in FOLDER are used again)
Files: 1,000 convolutions with 100 MB of weights; the same graph with 2 GB of weights beside it; a chain of a million
operators, for `info` alone. One core (taskset). Memory: the most that was resident; for the window, above that of the empty one.
"""
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

NODES = 1000
ROUNDS = 5


def convolutions(path, bytes_of_weights, external):
    """Modules of eight convolutions of one tensor and their sum."""
    import numpy
    import onnx
    from onnx import helper, numpy_helper
    modules = NODES // 9
    channels = int((bytes_of_weights / (8 * modules) / 4) ** 0.5)
    random = numpy.random.default_rng(1)
    nodes, weights, source = [], [], "x"
    for module in range(modules):
        for branch in range(8):
            name = f"conv{module}_{branch}"
            values = random.standard_normal((channels, channels, 1, 1), dtype=numpy.float32) / channels
            weights.append(numpy_helper.from_array(values, name + "_w"))
            nodes.append(helper.make_node("Conv", [source, name + "_w"], [name], name=name))
        nodes.append(helper.make_node("Sum", [f"conv{module}_{branch}" for branch in range(8)], [f"sum{module}"], name=f"sum{module}"))
        source = f"sum{module}"
    value = lambda name: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, channels, 7, 7])
    graph = helper.make_graph(nodes, "large", [value("x")], [value(source)], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path, save_as_external_data=external, location=os.path.basename(path) + ".data")


def chain(path, length):
    import onnx
    from onnx import helper
    nodes = [helper.make_node("Relu", [f"t{i}"], [f"t{i + 1}"], name=f"n{i}") for i in range(length)]
    value = lambda name: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 4, 8, 8])
    graph = helper.make_graph(nodes, "chain", [value("t0")], [value(f"t{length}")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def timed(command):
    """Seconds, peak of resident memory in MB, output."""
    begin = time.perf_counter()
    process = subprocess.Popen(["taskset", "-c", "0"] + command, stdout=subprocess.PIPE, text=True,
                               env=dict(os.environ, QT_QPA_PLATFORM="offscreen"))
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} ended with {status}")
    return time.perf_counter() - begin, usage.ru_maxrss / 1000, output


def main():
    cli, window, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        folder = rest[0] if rest else temporary
        files = {"100 MB, 1,000 convolutions": ("weights.onnx", lambda p: convolutions(p, 100e6, False)),
                 "2 GB beside the file": ("external.onnx", lambda p: convolutions(p, 2e9, True)),
                 "a million operators": ("chain.onnx", lambda p: chain(p, 1_000_000))}
        for title, (name, make) in files.items():
            path = os.path.join(folder, name)
            if not os.path.exists(path):
                maker = multiprocessing.get_context("fork").Process(target=make, args=(path,))  # a large parent counts as memory of its children
                maker.start()
                maker.join()
            size = os.path.getsize(path) / 1e6
            infos = sorted(timed([cli, "info", path, "--json"])[:2] for _ in range(ROUNDS))
            print(f"{title}: file {size:.0f} MB, info {infos[ROUNDS // 2][0]:.2f} s, {infos[ROUNDS // 2][1]:.0f} MB", flush=True)
            if name == "chain.onnx":
                continue
            opened = timed([window, path, "open"])[2]
            print("    " + opened.strip().replace("\n", "\n    "), flush=True)


if __name__ == "__main__":
    main()
