#!/usr/bin/env bash
# What the test suite cannot see: format, clang-tidy and sanitizers.
#   packaging/check.sh ci    what CI runs, beside the tests: format on everything, clang-tidy on core, address and
#                            undefined-behaviour sanitizers on core, command line and worker, ThreadSanitizer where
#                            several threads meet
#   packaging/check.sh       that, and clang-tidy on all, every suite under the sanitizers, a build of every file by
#                            itself and one without CUDA; about an hour
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
packaging/install_dependencies.sh check
which=${1:-all}
case "$which" in ci | all) ;; *) echo "packaging/check.sh [ci]" >&2; exit 2 ;; esac

step() { echo "== $1 ($(date +%T))"; }

step "format"
git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' | xargs clang-format --dry-run -Werror

# Files are checked one by one, so each has to include what it uses.
step "clang-tidy"
cmake --preset dev -B build/tidy -DSTAGECRAFT_UNITY=OFF > build/tidy.log 2>&1 || { cat build/tidy.log >&2; exit 1; }
cmake --build build/tidy --target stagecraft_worker_messages > build/tidy.log 2>&1 || { cat build/tidy.log >&2; exit 1; }
folders='core'
if [ "$which" = all ]; then
    folders='core|app|widgets|gpu'
    cmake --build build/tidy # moc's files, and every file by itself
fi
python3 - "$folders" > build/tidy/files <<'PYTHON'
import json, os, re, sys
root = os.getcwd()
files = {entry["file"] for entry in json.load(open("build/tidy/compile_commands.json"))}
wanted = re.compile(re.escape(root) + rf"/({sys.argv[1]})/")
print("\n".join(sorted(file for file in files if wanted.match(file))))
PYTHON
xargs -a build/tidy/files -n 4 -P "$(nproc)" clang-tidy -p build/tidy --quiet --warnings-as-errors='*' \
    --extra-arg=-Wno-unknown-warning-option > build/tidy/report 2> build/tidy/progress || {
    grep -E 'warning:|error:' build/tidy/report build/tidy/progress >&2
    exit 1
}

# suites PRESET LABELS: builds the test programs with these labels, and runs them.
suites() {
    local targets=()
    for label in ${2//|/ }; do targets+=("tests_$label"); done
    packaging/build.sh "$1" "${targets[@]}" > "build/$1.log" 2>&1 || { cat "build/$1.log" >&2; exit 1; }
    ctest --preset "$1" -j "$(nproc)" -L "^($2)$" > "build/$1.log" 2>&1 || { cat "build/$1.log" >&2; exit 1; }
    grep 'tests passed' "build/$1.log"
}

step "address and undefined-behaviour sanitizers"
if [ "$which" = all ]; then suites dev-asan 'core|programs|window|gpu'; else suites dev-asan 'core|programs'; fi
step "ThreadSanitizer"
suites dev-tsan threads

if [ "$which" = all ]; then
    step "without CUDA"
    cmake --preset dev -B build/without-cuda -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON > build/without-cuda.log 2>&1
    cmake --build build/without-cuda
    ctest --test-dir build/without-cuda -j "$(nproc)" --output-on-failure
fi
step "done"
