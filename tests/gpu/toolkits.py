"""Compiles the GPU module against the toolkits that PyPI has, and its kernels for every compute capability with the
run-time compiler of each: no GPU and no installed toolkit is needed.

usage: toolkits.py FOLDER [TOOLKIT...]     (12.4 12.6 12.9 13.0 13.5; default: all; FOLDER keeps what was downloaded)
Before 12.6, CUPTI does not sample counters: the module has a source of its own for that.

Sources of the module: checked by the C++ compiler against the headers (no code is made, nothing is linked). Kernels: to
machine code in both precisions; newer architectures than a compiler knows are reported as such. Exit status 1 if anything
does not compile.
"""
import concurrent.futures
import ctypes
import glob
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCHITECTURES = [75, 80, 86, 87, 89, 90, 100, 120]

# Toolkit to wheels: runtime, run-time compiler, CUPTI, headers of the compiler, cuDNN.
TOOLKITS = {
    "12.4": ["nvidia-cuda-runtime-cu12==12.4.127", "nvidia-cuda-nvrtc-cu12==12.4.127", "nvidia-cuda-cupti-cu12==12.4.127",
             "nvidia-cuda-nvcc-cu12==12.4.131", "nvidia-cudnn-cu12==9.1.0.70"],
    "12.6": ["nvidia-cuda-runtime-cu12==12.6.77", "nvidia-cuda-nvrtc-cu12==12.6.85", "nvidia-cuda-cupti-cu12==12.6.80",
             "nvidia-cuda-nvcc-cu12==12.6.85", "nvidia-cudnn-cu12==9.1.0.70"],
    "12.9": ["nvidia-cuda-runtime-cu12==12.9.79", "nvidia-cuda-nvrtc-cu12==12.9.86", "nvidia-cuda-cupti-cu12==12.9.79",
             "nvidia-cuda-nvcc-cu12==12.9.86", "nvidia-cudnn-cu12==9.10.2.21"],
    "13.0": ["nvidia-cuda-runtime==13.0.96", "nvidia-cuda-nvrtc==13.0.88", "nvidia-cuda-cupti==13.0.85",
             "nvidia-cuda-crt==13.0.88", "nvidia-cudnn-cu13==9.13.1.26"],
    "13.5": ["nvidia-cuda-runtime==13.5.37", "nvidia-cuda-nvrtc==13.5.37", "nvidia-cuda-cupti==13.5.25",
             "nvidia-cuda-crt==13.5.37", "nvidia-cudnn-cu13==9.28.1.4"],
}


def fetched(folder, toolkit):
    """The wheels of a toolkit, unpacked: headers, and the library of the run-time compiler."""
    place = folder / toolkit
    done = place / "complete"
    if not done.exists():
        shutil.rmtree(place, ignore_errors=True)
        wheels = place / "wheels"
        wheels.mkdir(parents=True)
        for wheel in TOOLKITS[toolkit]:
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", wheels, wheel], check=True)
        for wheel in wheels.iterdir():
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(place, [name for name in archive.namelist() if "/include/" in name or "nvrtc" in name])
        shutil.rmtree(wheels)
        done.touch()
    return place


def headers(place):
    """Folders of headers; with the libraries' own, and that which holds crt/."""
    found = {str(path) for path in place.rglob("include") if path.is_dir()}
    return sorted(found)


def own_headers():
    """Where the C++ compiler looks, without what is installed by hand: a toolkit may be there."""
    asked = subprocess.run(["c++", "-x", "c++", "-E", "-v", "/dev/null"], capture_output=True, text=True).stderr
    listed = asked.split("search starts here:")[-1].split("End of search list")[0].split()
    return [folder for folder in listed if not folder.startswith("/usr/local")]


def sources(place):
    """As gpu/CMakeLists.txt chooses them."""
    samples = any(place.rglob("cupti_pmsampling.h"))
    left_out = ["no_counter_sampler.cpp"] if samples else ["counter_config.cpp", "counter_sampler.cpp"]
    found = [path for folder in ("cuda", "device", "profile", "session") for path in sorted((ROOT / "gpu" / folder).glob("*.cpp"))]
    return [path for path in found if path.name not in left_out]


def check_source(source, includes):
    command = ["c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-nostdinc", "-I", ROOT, "-I", ROOT / "core",
               '-DSTAGECRAFT_CUDA_LIBRARY_FOLDER="/"']
    for folder in [*includes, *own_headers()]:
        command += ["-isystem", folder]
    done = subprocess.run([*command, source], capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    return source.relative_to(ROOT), errors[:3] if done.returncode else []


class Compiler:
    """NVRTC, as gpu/device/kernel_library.cpp calls it."""

    def __init__(self, place):
        builtins = glob.glob(str(place / "**/libnvrtc-builtins.so.*"), recursive=True)
        for library in builtins:
            ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
        [library] = [path for path in glob.glob(str(place / "**/libnvrtc.so.*"), recursive=True) if ".alt." not in path]
        self.calls = ctypes.CDLL(library)

    def call(self, name, *arguments):
        return getattr(self.calls, name)(*arguments)

    def known(self):
        count = ctypes.c_int()
        self.call("nvrtcGetNumSupportedArchs", ctypes.byref(count))
        architectures = (ctypes.c_int * count.value)()
        self.call("nvrtcGetSupportedArchs", architectures)
        return list(architectures)

    def compiled(self, half, architecture):
        """Bytes of machine code, or what the compiler says."""
        files = sorted((ROOT / "gpu" / "kernels").glob("*.cu*")) + [ROOT / "gpu" / "kernels" / "parameters.h"]
        text = ('#include "common.cuh"\nnamespace stagecraft::gpu::kernels { using Element = '
                + ("Half" if half else "float") + "; }\nusing stagecraft::gpu::kernels::Element;\n")
        text += "".join(f'#include "{file.name}"\n' for file in files if file.suffix == ".cu")
        names = (ctypes.c_char_p * len(files))(*[file.name.encode() for file in files])
        texts = (ctypes.c_char_p * len(files))(*[file.read_bytes() for file in files])
        program = ctypes.c_void_p()
        self.call("nvrtcCreateProgram", ctypes.byref(program), text.encode(), b"kernels.cu", len(files), texts, names)
        options = (ctypes.c_char_p * 2)(f"--gpu-architecture=sm_{architecture}".encode(), b"--std=c++20")
        failed = self.call("nvrtcCompileProgram", program, 2, options)
        size = ctypes.c_size_t()
        if failed:
            self.call("nvrtcGetProgramLogSize", program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            self.call("nvrtcGetProgramLog", program, log)
            result = log.value.decode().splitlines()[:3]
        else:
            self.call("nvrtcGetCUBINSize", program, ctypes.byref(size))
            result = size.value
        self.call("nvrtcDestroyProgram", ctypes.byref(program))
        return result


def compile_kernels(place):
    """In a process of its own: one compiler per process."""
    compiler = Compiler(place)
    known, fine = compiler.known(), True
    for architecture in ARCHITECTURES:
        if architecture not in known:
            print(f"    sm_{architecture}: this compiler does not know it")
            continue
        for half in (False, True):
            result = compiler.compiled(half, architecture)
            fine = fine and isinstance(result, int) and result > 0
            said = f"{result} bytes" if isinstance(result, int) else "; ".join(result)
            print(f"    sm_{architecture} {'fp16' if half else 'fp32'}: {said}")
    return 0 if fine else 1


def main():
    if sys.argv[1:2] == ["--kernels"]:
        return compile_kernels(pathlib.Path(sys.argv[2]))
    folder, *names = sys.argv[1:]
    folder = pathlib.Path(folder).resolve()
    failed = False
    for name in names or TOOLKITS:
        place = fetched(folder, name)
        print(f"toolkit {name}: {', '.join(TOOLKITS[name])}", flush=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda source: check_source(source, headers(place)), sources(place)))
        wrong = [(source, errors) for source, errors in results if errors]
        print(f"    {len(results) - len(wrong)} of {len(results)} sources compile", flush=True)
        for source, errors in wrong:
            print(f"    {source}:", *errors, sep="\n        ")
        kernels = subprocess.run([sys.executable, __file__, "--kernels", place])
        failed = failed or bool(wrong) or kernels.returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
