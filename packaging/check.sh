#!/usr/bin/env bash
# Checks beyond the suites in the development build: packaging/check.sh STEP...; without a step, the first six, which CI
# runs.
#   format             clang-format on everything; errors are passed on with TRY
#   spelling           words of documents, texts and comments
#   commits            subjects and bodies of commit messages, since the commit that brought this step
#   sanitizers         address and undefined-behaviour sanitizers: the suites of core, the command line and the worker, but
#                      for those that draw pictures, need speed or are judged by others for minutes
#   threads            ThreadSanitizer on code with several threads
#   tidy-changed       clang-tidy on what the last 20 commits changed and what includes it, for ten minutes
# and by hand, another hour on two cores:
#   tidy               clang-tidy on every file
#   sanitizers-window  the sanitizers on the suites that CI runs without
#   without-cuda       build and tests without a CUDA toolkit
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
packaging/install_dependencies.sh check
mkdir -p build
steps=("$@")
[ "${#steps[@]}" -gt 0 ] || steps=(format spelling commits sanitizers threads tidy-changed)

# quietly LOG COMMAND...: prints the output of the command only if it fails.
quietly() {
    local log=$1
    shift
    "$@" > "$log" 2>&1 || { cat "$log" >&2; exit 1; }
}

# suites PRESET LABEL: builds and runs the suites with this label.
suites() {
    quietly "build/$1.log" packaging/build.sh "$1" "tests_$2"
    STAGECRAFT_PYTHON=$(packaging/install_peers.sh) \
        quietly "build/$1.log" ctest --preset "$1" -j "$(nproc)" -L "^$2\$"
    grep 'tests passed' "build/$1.log"
}

format() {
    git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' | xargs clang-format --dry-run -Werror
    if git ls-files '*.cpp' '*.h' | xargs grep -lPzo 'if \(!(\w+)\)\s*\{?\s*return tl::unexpected\((std::move\()?\1\.error\(\)' >&2; then
        echo "These files pass errors on by hand: use TRY or TRY_AS (core/support/result.h)." >&2
        exit 1
    fi
}

# Not names of the code, words with a mnemonic, and words that tests misspell.
spelling() {
    git ls-files | grep -vE '\.(png|onnx|json|npy|svg|gz|npz|pftrace|ico|sqlite|bin|pb)$|^tests/data/|^tests/fuzz/seeds/' |
        xargs codespell --ignore-regex '\w*[a-z][A-Z]\w*|\w*&\w+|\\n\w+' --ignore-words-list paralel,parallell,strat,modle,comapre
}

# Several files at once, as they are compiled: a sixth of the time, and the same findings.
tidy_changed() {
    quietly build/tidy.log packaging/build.sh dev stagecraft stagecraft-cli stagecraft-pictures stagecraft-worker
    packaging/clang_tidy.py build/dev --changed 20 --seconds 570 --checks=-bugprone-suspicious-include
}

# Each file by itself, which shows that it includes what it uses.
tidy() {
    quietly build/tidy.log cmake --preset dev -B build/tidy -DSTAGECRAFT_UNITY=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
    quietly build/tidy.log cmake --build build/tidy
    packaging/clang_tidy.py build/tidy
}

for step in "${steps[@]}"; do
    echo "== $step ($(date +%T))"
    case "$step" in
    format) format ;;
    spelling) spelling ;;
    commits) packaging/check_commits.py ;;
    tidy-changed) tidy_changed ;;
    tidy) tidy ;;
    sanitizers) suites dev-asan sanitized ;;
    sanitizers-window) suites dev-asan plain ;;
    threads) suites dev-tsan threads ;;
    without-cuda)
        quietly build/without-cuda.log cmake --preset dev -B build/without-cuda \
            -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON
        quietly build/without-cuda.log cmake --build build/without-cuda
        ctest --test-dir build/without-cuda -j "$(nproc)" --output-on-failure
        ;;
    *)
        echo "$step is no step: format, spelling, commits, sanitizers, threads, tidy-changed, tidy, sanitizers-window, without-cuda" >&2
        exit 2
        ;;
    esac
done
