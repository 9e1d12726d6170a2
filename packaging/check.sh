#!/usr/bin/env bash
# Checks beyond the suite in the development build: packaging/check.sh STEP...; without a step, the first four, which CI
# runs.
#   format             clang-format on everything
#   tidy-core          clang-tidy on core
#   sanitizers         address and undefined-behaviour sanitizers: the suites of core, the command line and the worker, but
#                      for those that draw pictures
#   threads            ThreadSanitizer on code with several threads
# and by hand, another hour on two cores:
#   tidy               clang-tidy on every file
#   sanitizers-window  the sanitizers on the suites of the window and the GPU
#   sanitizers-peers   the sanitizers on ONNX's own tests and the networks that ONNX Runtime judges
#   without-cuda       build and tests without a CUDA toolkit
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
packaging/install_dependencies.sh check
mkdir -p build
steps=("$@")
[ "${#steps[@]}" -gt 0 ] || steps=(format tidy-core sanitizers threads)

# quietly LOG COMMAND...: prints the output of the command only if it fails.
quietly() {
    local log=$1
    shift
    "$@" > "$log" 2>&1 || { cat "$log" >&2; exit 1; }
}

# suites PRESET WITHOUT LABEL...: builds the test programs with these labels, and runs those without the label WITHOUT.
suites() {
    local preset=$1 without=$2
    shift 2
    quietly "build/$preset.log" packaging/build.sh "$preset" "${@/#/tests_}"
    local labels
    labels=$(IFS='|' && echo "$*")
    quietly "build/$preset.log" ctest --preset "$preset" -j "$(nproc)" -L "^($labels)$" -LE "$without"
    grep 'tests passed' "build/$preset.log"
}

# clang_tidy BUILD FOLDERS [ARGUMENT...]: checks what BUILD compiles in FOLDERS.
clang_tidy() {
    local build=$1 folders=$2
    shift 2
    python3 - "$build" "$folders" > "$build/tidy.files" << 'PYTHON'
import json, os, re, sys
build, folders = sys.argv[1:]
wanted = re.compile(f"{re.escape(os.getcwd())}/({re.escape(build)}/)?({folders})/")
files = {entry["file"] for entry in json.load(open(build + "/compile_commands.json"))}
print("\n".join(sorted(file for file in files if wanted.match(file) and not file.endswith(".pb.cc"))))
PYTHON
    xargs -a "$build/tidy.files" -n 4 -P "$(nproc)" clang-tidy -p "$build" --quiet --warnings-as-errors='*' \
        --extra-arg=-Wno-unknown-warning-option "$@" > "$build/tidy.report" 2> "$build/tidy.progress" || {
        grep -hE 'warning:|error:' "$build/tidy.report" "$build/tidy.progress" | sort -u >&2
        exit 1
    }
    echo "$(wc -l < "$build/tidy.files") files compiled, no finding"
}

# Several files at once, as they are compiled: a sixth of the time, and the same findings.
tidy_core() {
    quietly build/tidy.log packaging/build.sh dev stagecraft_export stagecraft_cpp_project stagecraft_simulate stagecraft_worker_messages # generated
    clang_tidy build/dev core --checks=-bugprone-suspicious-include
}

# Each file by itself, which shows that it includes what it uses.
tidy() {
    quietly build/tidy.log cmake --preset dev -B build/tidy -DSTAGECRAFT_UNITY=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
    quietly build/tidy.log cmake --build build/tidy
    clang_tidy build/tidy 'core|app|widgets|gpu'
}

for step in "${steps[@]}"; do
    echo "== $step ($(date +%T))"
    case "$step" in
    format) git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' | xargs clang-format --dry-run -Werror ;;
    tidy-core) tidy_core ;;
    tidy) tidy ;;
    sanitizers) suites dev-asan peers core programs ;;
    sanitizers-window) suites dev-asan none window gpu ;;
    sanitizers-peers) suites dev-asan none peers ;;
    threads) suites dev-tsan none threads ;;
    without-cuda)
        quietly build/without-cuda.log cmake --preset dev -B build/without-cuda \
            -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON
        quietly build/without-cuda.log cmake --build build/without-cuda
        ctest --test-dir build/without-cuda -j "$(nproc)" --output-on-failure
        ;;
    *)
        echo "$step is no step: format, tidy-core, sanitizers, threads, tidy, sanitizers-window, sanitizers-peers, without-cuda" >&2
        exit 2
        ;;
    esac
done
