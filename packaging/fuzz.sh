#!/usr/bin/env bash
# Fuzzes readers with libFuzzer, address and undefined-behaviour sanitizers: packaging/fuzz.sh SECONDS [TARGET...]; each
# target (default: all, see tests/fuzz) as long. Inputs that reach something new stay in build/fuzz/corpus for the next time; what
# crashes, takes longer than 20 seconds or more than 2 GiB is in build/fuzz/found. Prints inputs and coverage of each.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:?seconds for each target}
shift
packaging/install_dependencies.sh fuzz
targets=("$@")
if [ "${#targets[@]}" -eq 0 ]; then
    read -ra targets <<< "$(sed -n '/^set(targets/,/)/p' tests/fuzz/CMakeLists.txt | tr -d '()' | sed 's/^set targets\|^settargets//' | tr '\n' ' ')"
fi
packaging/build.sh fuzz fuzz_replay "${targets[@]/#/fuzz_}" > build/fuzz.log 2>&1 || { cat build/fuzz.log >&2; exit 1; }
mkdir -p build/fuzz/found
export STAGECRAFT_SOURCE_DIR=$PWD
failed=()
for target in "${targets[@]}"; do
    corpus=build/fuzz/corpus/$target
    mkdir -p "$corpus"
    build/fuzz/tests/fuzz_replay seeds "$target" "build/fuzz/seeds/$target"
    log=build/fuzz/$target.log
    "build/fuzz/tests/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 \
        -print_final_stats=1 -artifact_prefix="build/fuzz/found/$target-" "$corpus" "build/fuzz/seeds/$target" > "$log" 2>&1 ||
        failed+=("$target")
    reached=$(grep -oE 'cov: [0-9]+ ft: [0-9]+ corp: [0-9]+' "$log" | tail -1)
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, $reached"
done
if [ "${#failed[@]}" -gt 0 ]; then
    echo "found something: ${failed[*]} (build/fuzz/TARGET.log, build/fuzz/found)" >&2
    exit 1
fi
