#!/usr/bin/env bash
# What the test suite cannot see. packaging/check.sh STEP...; without a step all of them, more than an hour on two cores.
#   format         clang-format on everything; CI runs it beside the tests
#   tidy           clang-tidy on every file by itself, so that each has to include what it uses
#   sanitizers     address and undefined-behaviour sanitizers on every suite
#   threads        ThreadSanitizer where several threads meet
#   without-cuda   build and tests where there is no CUDA toolkit
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
packaging/install_dependencies.sh check
mkdir -p build
steps=("$@")
[ "${#steps[@]}" -gt 0 ] || steps=(format tidy sanitizers threads without-cuda)

# quietly LOG COMMAND...: prints what the command printed only if it fails.
quietly() {
    local log=$1
    shift
    "$@" > "$log" 2>&1 || { cat "$log" >&2; exit 1; }
}

# suites PRESET LABEL...: builds the test programs with these labels, and runs them.
suites() {
    local preset=$1
    shift
    quietly "build/$preset.log" packaging/build.sh "$preset" "${@/#/tests_}"
    local labels
    labels=$(IFS='|' && echo "$*")
    quietly "build/$preset.log" ctest --preset "$preset" -j "$(nproc)" -L "^($labels)$"
    grep 'tests passed' "build/$preset.log"
}

tidy() {
    quietly build/tidy.log cmake --preset dev -B build/tidy -DSTAGECRAFT_UNITY=OFF
    quietly build/tidy.log cmake --build build/tidy # generated files, and each file by itself
    python3 - > build/tidy/files << 'PYTHON'
import json, os, re
wanted = re.compile(re.escape(os.getcwd()) + "/(core|app|widgets|gpu)/")
files = {entry["file"] for entry in json.load(open("build/tidy/compile_commands.json"))}
print("\n".join(sorted(file for file in files if wanted.match(file))))
PYTHON
    xargs -a build/tidy/files -n 4 -P "$(nproc)" clang-tidy -p build/tidy --quiet --warnings-as-errors='*' \
        --extra-arg=-Wno-unknown-warning-option > build/tidy/report 2> build/tidy/progress || {
        grep -E 'warning:|error:' build/tidy/report build/tidy/progress >&2
        exit 1
    }
}

for step in "${steps[@]}"; do
    echo "== $step ($(date +%T))"
    case "$step" in
    format) git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' | xargs clang-format --dry-run -Werror ;;
    tidy) tidy ;;
    sanitizers) suites dev-asan core programs window gpu ;;
    threads) suites dev-tsan threads ;;
    without-cuda)
        quietly build/without-cuda.log cmake --preset dev -B build/without-cuda \
            -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON
        quietly build/without-cuda.log cmake --build build/without-cuda
        ctest --test-dir build/without-cuda -j "$(nproc)" --output-on-failure
        ;;
    *)
        echo "$step is no step: format, tidy, sanitizers, threads, without-cuda" >&2
        exit 2
        ;;
    esac
done
