#!/usr/bin/env bash
# Everything about the GPU device that only a GPU can tell, in ten minutes, as one report. Run from an unpacked pack of
# tests/gpu/pack_for_device.sh on a machine with an NVIDIA GPU and Python with PyTorch; nothing is installed or changed.
#
#   on_device.sh [--out FOLDER] [--seconds TOTAL] [--gpu N] [--steps "STEP ..."]
#
# Steps: machine conformance numbers timeline search compare1 compare32 peers compile nasnet sanitizer record. `compile`
# (torch.compile) and `nasnet` (a whole search) take minutes and run only when they are named. Each step has a share of
# the time as its limit; one that fails, is refused or takes too long is reported and the next one goes on. FOLDER
# (default: here, report/) gets report.md, logs.tar.gz and recorded.tar.gz (rec: files). Exit status: 0 where no step
# failed and no number was missed.
set -uo pipefail
pack=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$PWD/report
seconds=570
gpu=0
steps="machine conformance numbers timeline search compare1 peers sanitizer compare32 record"
while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
    case $1 in
        --out) mkdir -p "$2" && out=$(cd "$2" && pwd) ;;
        --seconds) seconds=$2 ;;
        --gpu) gpu=$2 ;;
        --steps) steps=$2 ;;
        *) sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
    shift 2
done
mkdir -p "$out"
logs=$(mktemp -d)
work=$(mktemp -d)
trap 'rm -rf "$logs" "$work"' EXIT
device=gpu:$gpu
networks="sample squeezenet inception_v3 randwire nasnet"
export STAGECRAFT_GPU=$gpu XDG_DATA_HOME=$work/store PYTHONUNBUFFERED=1 QT_QPA_PLATFORM=offscreen
cli=$pack/bin/stagecraft-cli
began=$SECONDS

# What a step may take: its share of the whole time among the steps that were asked for, at most what is left.
declare -A share=([machine]=3 [conformance]=12 [numbers]=8 [timeline]=5 [search]=12 [compare1]=24 [peers]=18
                  [sanitizer]=8 [compare32]=14 [record]=1 [compile]=60 [nasnet]=60)
whole=0
for step in $steps; do
    [ -n "${share[$step]:-}" ] || { echo "on_device.sh: there is no step $step" >&2; exit 2; }
    whole=$((whole + share[$step]))
done

# Our programs find what was brought along, then the toolkit's libraries (CUPTI 13.2 of newer wheels runs without end
# where there is no driver, 13.0 does not), then those of PyTorch's wheels; nobody else is told.
libraries() {
    local found=$pack/lib folder
    for folder in /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64; do
        [ -d "$folder" ] && found=$found:$folder
    done
    while read -r folder; do found=$found:$folder; done < <(python3 - <<'PY'
import glob, site, sys
roots = set(site.getsitepackages() + [site.getusersitepackages()] + [p for p in sys.path if p.endswith("-packages")])
for root in sorted(roots):
    for folder in sorted(glob.glob(root + "/nvidia/*/lib")):
        print(folder)
PY
    )
    echo "$found"
}
library_path=$(libraries)
ours() { LD_LIBRARY_PATH=$library_path${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"; }
# gpu_peers.py calls the command line as one program.
cat > "$work/cli" <<SH
#!/bin/sh
LD_LIBRARY_PATH=$library_path\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH} exec "$cli" "\$@"
SH
chmod +x "$work/cli"

# within SECONDS COMMAND...: a part of a step, with a limit of its own.
within() { local limit=$1; shift; timeout --foreground -k 5 "$limit" "$@"; } # in the group that the step is stopped with

do_machine() {
    nvidia-smi || echo "nvidia-smi failed"
    uname -r; grep -m1 'model name' /proc/cpuinfo; nproc
    python3 -c 'import torch; print("torch", torch.__version__, "cuDNN", torch.backends.cudnn.version(), torch.cuda.is_available())'
    echo "libraries: $library_path"; echo "pack: $(cat "$pack/commit")"
    "$work/cli" devices
    "$work/cli" devices --json > "$logs/devices.json" || return
    python3 "$pack/device_report.py" available "$logs/devices.json" "$device"
}
do_conformance() {
    local failed=0
    ours "$pack/bin/tst_gpu_cupti" || failed=1
    ours "$pack/bin/tst_gpu_conformance" -o "$logs/conformance.txt,txt" -o -,txt || failed=1
    # A suite that skips itself has shown nothing.
    ! grep -q '^SKIP' "$logs/conformance.txt" || failed=1
    return $failed
}
# Outputs of every network, schedule and mode beside the CPU device's.
do_numbers() {
    local failed=0 network mode schedule
    for network in sample squeezenet inception_v3 randwire nasnet; do
        python3 "$pack/device_report.py" input "$work/cli" "$network" "$work/x.npy" || { failed=1; continue; }
        within 60 "$work/cli" run "$network" --device cpu --input "$work/x.npy" -o "$work/cpu.npy" || { failed=1; continue; }
        for mode in "" :streams :tf32 :fp16; do
            for schedule in sequential greedy; do
                within 40 "$work/cli" run "$network" --device "$device$mode" --schedule $schedule --input "$work/x.npy" \
                    -o "$work/gpu.npy" &&
                    python3 "$pack/device_report.py" difference "$network" "$device$mode" $schedule "$work/gpu.npy" \
                        "$work/cpu.npy" "$logs/numbers.jsonl" || failed=1
            done
        done
    done
    return $failed
}
do_timeline() {
    local failed=0 schedule
    within 40 "$work/cli" optimize sample --device "$device" --max-seconds 10 -o "$work/sample.schedule.json" || failed=1
    for schedule in sequential greedy "$work/sample.schedule.json"; do
        within 40 "$work/cli" timeline sample --device "$device" --schedule "$schedule" --json \
            > "$logs/timeline-$(basename "$schedule" .schedule.json).json" || failed=1
    done
    within 40 "$work/cli" timeline sample --device "$device:streams" --schedule "$work/sample.schedule.json" || failed=1
    python3 "$pack/device_report.py" timelines "$logs" || failed=1
    return $failed
}
# From an empty store: what the search costs.
search_of() {
    local limit=$1 network=$2
    XDG_DATA_HOME=$work/empty within "$limit" "$work/cli" optimize "$network" --device "$device" --r 3 --s 8 --json \
        -o "$work/$network.schedule.json" > "$logs/search-$network.json"
}
do_search() { search_of "$1" inception_v3; }
do_nasnet() { search_of "$1" nasnet; }
compare_all() {
    local limit=$1 batch=$2 failed=0 network each
    each=$((limit / 5))
    for network in $networks; do
        echo "== $network, batch $batch"
        within "$each" "$work/cli" compare "$network" --device "$device" --batch "$batch" \
            --max-seconds $(((each + 9) / 10)) --json > "$logs/compare-$network-$batch.json" || failed=1
    done
    return $failed
}
do_compare1() { compare_all "$1" 1; }
do_compare32() { compare_all "$1" 32; }
peers() {
    local limit=$1; shift
    python3 "$pack/gpu_peers/gpu_peers.py" "$work/cli" squeezenet inception_v3 randwire nasnet --device "$device" --rounds 2 \
        --search-seconds $((limit / 16 + 1)) --store "$XDG_DATA_HOME" "$@"
}
do_peers() { peers "$1" --modes eager graphs --json "$logs/peers.json"; }
do_compile() { peers "$1" --modes eager graphs compile --json "$logs/peers.json"; }
do_sanitizer() {
    command -v compute-sanitizer > /dev/null || { echo "compute-sanitizer is not installed"; return 1; }
    python3 "$pack/device_report.py" input "$work/cli" sample "$work/x.npy" || return
    compute-sanitizer --tool memcheck --target-processes all --error-exitcode 9 "$work/cli" run sample \
        --device "$device" --schedule greedy --input "$work/x.npy" -o "$work/y.npy" > "$logs/memcheck.txt" 2>&1
    local status=$?
    cat "$logs/memcheck.txt"
    # The GPU is the worker's, a child: what it did wrong is in the text alone.
    [ $status = 0 ] && grep -q 'ERROR SUMMARY: 0 errors' "$logs/memcheck.txt" &&
        ! grep -q 'ERROR SUMMARY: [1-9]' "$logs/memcheck.txt"
}
do_record() {
    local failed=0 network batch
    "$work/cli" latencies list
    for network in $networks; do
        for batch in 1 32; do
            "$work/cli" latencies export "$network" --device "$device" --batch $batch \
                -o "$work/recorded/$network-b$batch.latencies.jsonl" || [ $batch = 32 ] || failed=1
        done
    done
    return $failed
}

mkdir -p "$work/recorded" "$XDG_DATA_HOME"
: > "$logs/steps.tsv"
for step in $steps; do
    left=$((seconds - (SECONDS - began) - 5))
    limit=$((seconds * share[$step] / whole))
    [ "$limit" -le "$left" ] || limit=$left
    if [ "$limit" -lt 1 ]; then
        printf '%s\tskipped\t0\t0\n' "$step" >> "$logs/steps.tsv"
        continue
    fi
    start=$SECONDS
    echo "== $step (at most $limit s)"
    # A subshell of its own process group, so that a step's children go with it.
    export -f ours within do_$step compare_all peers search_of
    export pack logs work device networks cli library_path
    timeout -k 5 "$limit" bash -c "do_$step $limit" > "$logs/$step.log" 2>&1
    status=$?
    printf '%s\t%s\t%s\t%s\n' "$step" "$status" "$((SECONDS - start))" "$limit" >> "$logs/steps.tsv"
    tail -n 3 "$logs/$step.log" | sed 's/^/   /'
done

printf '%s\n' "$((SECONDS - began))" > "$logs/seconds"
if ! command -v python3 > /dev/null; then
    { echo "# No report: python3 is missing"; cat "$logs/steps.tsv"; } | tee "$out/report.md"
    exit 1
fi
python3 "$pack/device_report.py" report "$logs" "$device" > "$out/report.md"
missed=$?
tar -C "$logs" -czf "$out/logs.tar.gz" .
tar -C "$work/recorded" -czf "$out/recorded.tar.gz" .
cat "$out/report.md"
exit $missed
