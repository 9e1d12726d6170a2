#!/usr/bin/env bash
# Tests of the GPU device that need a GPU, as one report. Run it from an unpacked pack of tests/gpu/pack_for_device.sh
# on a machine with an NVIDIA GPU and Python with PyTorch. Nothing is installed; only FOLDER and the pack's own folder
# are written to (what calls keep for later ones lies in its kept/).
#
#   on_device.sh [--out FOLDER] [--seconds TOTAL] [--gpu N] [--steps "STEP ..."] [--seed FOLDER]
#
# Half an hour of a GPU, including the machine's start, in four calls of under ten minutes, most important first. The
# first alone says what IOS gains over our sequential graph. Each goes on from what the one before brought back:
#
#   on_device.sh --out A --seconds 500                  (the steps without --steps)
#   on_device.sh --out B --seconds 450 --seed A --steps "searches peers"
#   on_device.sh --out C --seconds 240 --seed B --steps compile
#   on_device.sh --out D --seconds 330 --seed C --steps "peers_tf32 conformance_rest numbers exported layouts pytorch compare1 sanitizer compare32"
#
# Steps: machine timeline conformance search ours cost searches, which run without --steps; peers compile peers_tf32
# conformance_rest numbers exported layouts pytorch compare1 compare32 sanitizer record, and nasnet (its whole search). `record` always follows
# steps that measure stages. Each step gets a share of the remaining time (TOTAL: 570 s). A step that fails, is refused
# or takes too long is reported and keeps its output, and the next one runs. Without a GPU only `machine` runs. After
# every step FOLDER (default: here, report/) gets report.md, logs.tar.gz, recorded.tar.gz (rec: files) and kept.tar.gz:
# measured latencies, schedules, chosen engines and compiled kernels. `--seed FOLDER` takes kept.tar.gz and logs.tar.gz of
# an earlier call, so that nothing is searched or tuned twice and the report is one of all calls. Exit status: 0 if no
# step failed and no number was missed.
set -uo pipefail
pack=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$PWD/report
seconds=570
gpu=0
seed=
steps="machine timeline conformance search ours cost searches"
while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
    case $1 in
        --out) mkdir -p "$2" && out=$(cd "$2" && pwd) ;;
        --seconds) seconds=$2 ;;
        --gpu) gpu=$2 ;;
        --steps) steps=$2 ;;
        --seed) seed=$2 ;;
        *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
    shift 2
done
[ -z "$seed" ] || [ -d "$seed" ] || { echo "on_device.sh: there is no folder $seed to go on from" >&2; exit 2; }
mkdir -p "$out"
logs=$(mktemp -d)
work=$(mktemp -d)
kept=$pack/kept
if ! mkdir -p "$kept" 2> /dev/null || [ ! -w "$kept" ]; then # a pack that lies read-only: compiled kernels come along
    kept=$work/kept
    [ ! -d "$pack/kept" ] || cp -r "$pack/kept" "$kept"
fi
schedules=$kept/schedules # NETWORK.schedule.json of fp32, NETWORK-PRECISION.schedule.json
mkdir -p "$kept" "$schedules"
most_bytes=$((16 << 20)) # of a file that comes back from the machine
# What an earlier call brought back. A file that is missing or damaged is reported, and the call goes on without.
seeded=
for part in kept logs; do
    [ -n "$seed" ] || break
    target=$kept
    [ $part = kept ] || target=$logs
    if tar -C "$target" -xzf "$seed/$part.tar.gz" 2> /dev/null; then
        seeded="$seeded $part.tar.gz"
    else
        echo "on_device.sh: $seed/$part.tar.gz is missing or damaged: going on without" | tee "$logs/seed-$part.txt" >&2
    fi
done
keeper=
trap 'kill $keeper 2> /dev/null; rm -rf "$logs" "$work"' EXIT
device=gpu:$gpu
networks="sample squeezenet inception_v3 randwire nasnet"
export PATH=$PATH:/usr/local/cuda/bin # compute-sanitizer
export STAGECRAFT_GPU=$gpu XDG_DATA_HOME=$kept/store XDG_CACHE_HOME=$kept/cache PYTHONUNBUFFERED=1 QT_QPA_PLATFORM=offscreen
began=$SECONDS

# Shares of the time. The search gets more than the minute that it may take, because it could not be judged if cut off
# earlier.
declare -A share=([machine]=8 [timeline]=12 [conformance]=24 [search]=24 [ours]=10 [cost]=10 [searches]=24 [peers]=40
                  [compile]=60 [peers_tf32]=30 [conformance_rest]=18 [numbers]=22 [exported]=4 [layouts]=8 [pytorch]=14 [compare1]=20
                  [compare32]=18 [sanitizer]=16 [record]=2 [nasnet]=60)
case " $steps " in
    *" record "*) ;;
    *" compare"* | *" peers"* | *" search"* | *" nasnet "*) steps="$steps record" ;;
esac
whole=0 # shares of the steps that are still to come
for step in $steps; do
    [ -n "${share[$step]:-}" ] || { echo "on_device.sh: there is no step $step" >&2; exit 2; }
    whole=$((whole + share[$step]))
done

# Our programs find the packed libraries, then the toolkit's (CUPTI 13.2 of newer wheels never ends without a driver,
# 13.0 does), then those of PyTorch's wheels. Other programs do not get this path.
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
# The same as a single program, for gpu_peers.py and compute-sanitizer.
program() {
    cat > "$work/$1" <<SH
#!/bin/sh
LD_LIBRARY_PATH=$library_path\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH} exec "$pack/bin/$2" "\$@"
SH
    chmod +x "$work/$1"
}
program cli stagecraft-cli
program conformance tst_gpu_conformance

# Without persistence mode the driver unloads the GPU after its last program, and takes one to three seconds to load it
# for each of the hundred programs here; an idle program that stays prevents that.
nvidia-smi -l 60 > /dev/null 2>&1 &
keeper=$!

# On a machine that has just started, a gigabyte of libraries comes from a slow disk: read it here, where it counts
# towards no step and no worker's deadline. Reads the copy of each library that will be loaded.
read_ahead() {
    declare -A known=()
    local folder file
    while read -r folder; do
        for file in "$folder"/lib{cudnn,nvrtc,cupti,nvperf}*.so*; do
            [ -f "$file" ] && [ -z "${known[${file##*/}]:-}" ] || continue
            known[${file##*/}]=1
            cat "$file"
        done
    done < <(tr ':' '\n' <<< "$library_path") | wc -c
}
read_bytes=0
if [ -e /dev/nvidiactl ] || [ -e /proc/driver/nvidia/version ]; then # where there is a driver to load them for
    export -f read_ahead && export library_path
    read_bytes=$(timeout 60 bash -c read_ahead) || read_bytes=unknown
fi
read_seconds=$((SECONDS - began))

# within SECONDS COMMAND...: a part of a step, with its own limit.
within() { local limit=$1; shift; timeout --foreground -k 5 "$limit" "$@"; } # in the group that the step is stopped with

do_device() {
    "$work/cli" devices --json > "$logs/devices.json"
    python3 "$pack/device_report.py" available "$logs/devices.json" "$device"
}
do_machine() {
    "$work/cli" devices
    nvidia-smi || echo "nvidia-smi failed"
    nvidia-smi --query-gpu=name,driver_version,persistence_mode,mig.mode.current,clocks.max.sm --format=csv
    echo "libraries read ahead: $read_bytes bytes, $read_seconds s into the call"
    uname -r; grep -m1 'model name' /proc/cpuinfo; nproc
    echo "libraries: $library_path"; echo "pack: $(cat "$pack/commit")"; echo "from an earlier call:${seeded:- nothing}"
    # Last: loading may take a minute on a machine that has just started.
    python3 -c 'import torch; print("torch", torch.__version__, "cuDNN", torch.backends.cudnn.version(), torch.cuda.is_available())'
}
# conformance_of FILE FUNCTION...: those functions of the suite; without any, all of them.
conformance_of() {
    local file=$1
    shift
    ours "$pack/bin/tst_gpu_conformance" "$@" -o "$file,txt" -o -,txt && ! grep -q '^SKIP' "$file"
    # A suite that skips everything has tested nothing.
}
do_conformance() {
    local failed=0
    ours "$pack/bin/tst_gpu_cupti" || failed=1
    ours "$pack/bin/tst_gpu_counter_sampler" || failed=1
    STAGECRAFT_CONFORMANCE=fp32 conformance_of "$logs/conformance.txt" || failed=1
    return $failed
}
# The rows that `conformance` leaves out.
do_conformance_rest() {
    STAGECRAFT_CONFORMANCE=rest conformance_of "$logs/conformance-rest.txt" run_eachOperator_equalsTheReference \
        run_everySchedule_equalsTheReference
}
# Compares outputs of every network, schedule and mode with the CPU device; every network once before any is repeated.
# `ios` is a schedule of the search, or of a short one where there is none: it merges convolutions and has groups of
# several operators. Only values count here: except for the sample network, the few engines of `quick` are enough.
do_numbers() {
    local failed=0 network mode schedule file id quick
    for network in $networks; do
        mkdir -p "$work/$network"
        python3 "$pack/device_report.py" input "$work/cli" "$network" "$work/$network/x.npy" &&
            within 90 "$work/cli" run "$network" --device cpu --input "$work/$network/x.npy" -o "$work/$network/cpu.npy" ||
            failed=1
    done
    for schedule in greedy ios sequential; do
        for mode in "" :fp16 :streams :tf32; do
            for network in $networks; do
                [ -e "$work/$network/cpu.npy" ] || continue
                quick=:quick
                [ "$network" != sample ] || quick=
                id=$device$mode$quick
                file=$schedule
                if [ $schedule = ios ]; then
                    file=$schedules/$network.schedule.json
                    [ -s "$file" ] || file=$work/$network/ios.schedule.json
                    [ -s "$file" ] || within 90 "$work/cli" optimize "$network" --device "$device$quick" --max-seconds 4 \
                        -o "$file" > /dev/null || { failed=1; continue; }
                fi
                within 90 "$work/cli" run "$network" --device "$id" --schedule "$file" \
                    --input "$work/$network/x.npy" -o "$work/gpu.npy" &&
                    python3 "$pack/device_report.py" difference "$network" "$id" $schedule "$work/gpu.npy" \
                        "$work/$network/cpu.npy" "$logs/numbers.jsonl" || failed=1
            done
        done
    done
    return $failed
}
# A schedule that left as a C++ project for CUDA and was built before it came here: what it computes, and how long it
# takes, against the same schedule in our worker.
do_exported() {
    local folder=$pack/exported failed=0
    [ -x "$folder/squeezenet-run" ] || { echo "the pack has no exported project"; return 1; }
    ours "$folder/squeezenet-run" --weights "$folder/weights.bin" --input "$folder/x.npy" --output "$work/exported.npy" &&
        python3 "$pack/device_report.py" difference squeezenet "$device:exported" ios "$work/exported.npy" \
            "$folder/y.npy" "$logs/numbers.jsonl" || failed=1
    ours "$folder/squeezenet-run" --weights "$folder/weights.bin" --benchmark || failed=1
    within 90 "$work/cli" measure squeezenet --device "$device" --schedule "$folder/squeezenet.schedule.json" || failed=1
    return $failed
}
# One layout per tensor: profiled, chosen, executed beside the others, outputs compared; then the memory with workspace.
do_layouts() {
    local limit=$1 failed=0 precision answer
    for precision in fp16 tf32; do
        answer=$logs/layouts-$precision.json
        within $((limit * 2 / 5)) "$work/cli" layout squeezenet --device "$device:$precision" --rounds 8 --json > "$answer" || failed=1
        python3 - "$answer" "$precision" << 'PYTHON' || failed=1
import json, sys
answer = json.load(open(sys.argv[1]))
for name, timing in answer["in_turn"].items():
    print(sys.argv[2], name, timing)
bound = {"fp16": 1e-2, "tf32": 1e-2}[sys.argv[2]]
sys.exit(0 if answer["in_turn"]["found"]["largest_difference"] <= bound else "layouts change the outputs")
PYTHON
    done
    within 30 "$work/cli" memory squeezenet --device "$device" --schedule greedy || failed=1
    return $failed
}
# The same GPU through the machine's PyTorch. Opening compares its outputs with `cpu`.
do_pytorch() {
    local failed=0 torch=pytorch:cuda:$gpu
    within 120 "$work/cli" optimize sample --device "$torch" --json > "$logs/pytorch-search.json" || failed=1
    within 60 "$work/cli" timeline sample --device "$torch" --schedule greedy --json > "$logs/pytorch-timeline.json" || failed=1
    within 90 "$work/cli" compare squeezenet --device "$torch" --schedule sequential --schedule greedy --schedule nimble \
        --rounds 3 --json > "$logs/pytorch-compare.json" || failed=1
    within 60 "$work/cli" measure squeezenet --device "$torch:tf32:channels-last" --schedule greedy || failed=1
    return $failed
}
# timeline_of DEVICE SCHEDULE FILE. If it fails it runs again without sampling: a second failure is in the tracing.
timeline_of() {
    within 60 "$work/cli" timeline sample --device "$1" --schedule "$2" --json > "$3" && return
    echo "== again, without sampling: $1, $(basename "$2")"
    STAGECRAFT_NO_SAMPLING=1 within 60 "$work/cli" timeline sample --device "$1" --schedule "$2" --json > "$3" &&
        echo "== the kernels were traced: it is the sampling that fails"
    return 1
}
# IOS first: the others are compared with it.
do_timeline() {
    local failed=0 schedule ios=$schedules/sample.schedule.json
    [ -s "$ios" ] || within 90 "$work/cli" optimize sample --device "$device" --max-seconds 10 -o "$ios" || failed=1
    for schedule in "$ios" sequential greedy; do
        timeline_of "$device" "$schedule" "$logs/timeline-$(basename "$schedule" .schedule.json).json" || failed=1
    done
    timeline_of "$device:streams" "$ios" "$logs/timeline-streams.json" || failed=1
    python3 "$pack/device_report.py" timelines "$logs" || failed=1
    return $failed
}
# search_of SECONDS NETWORK [OPTION...]: a search from the latencies that are kept, none before its first one. A search
# that is cut off leaves its latencies: the next one goes on from there, and the report says so.
search_of() {
    local limit=$1 network=$2
    shift 2
    "$work/cli" latencies list --json > "$work/latencies.json"
    python3 "$pack/device_report.py" stored "$work/latencies.json" "$network" "$device" > "$work/stored"
    within "$limit" "$work/cli" optimize "$network" --device "$device" --r 3 --s 8 "$@" --json \
        -o "$work/$network.schedule.json" > "$work/search.json"
    local status=$?
    # When cut off, it reports its best schedule.
    [ ! -s "$work/$network.schedule.json" ] || mv "$work/$network.schedule.json" "$schedules/"
    [ ! -s "$work/search.json" ] ||
        { mv "$work/search.json" "$logs/search-$network.json"; mv "$work/stored" "$logs/search-$network.stored"; }
    return $status
}
do_search() { search_of "$1" inception_v3; }
do_nasnet() { search_of "$1" nasnet; }
# The others, as far as the time goes; those that are proved already are not searched again.
do_searches() {
    local end=$((SECONDS + $1 - 5)) failed=0 network each ahead=0 open=
    for network in inception_v3 squeezenet randwire nasnet; do
        python3 "$pack/device_report.py" proved "$logs/search-$network.json" ||
            { open="$open $network"; ahead=$((ahead + 1)); }
    done
    for network in $open; do
        each=$(((end - SECONDS) / ahead))
        ahead=$((ahead - 1))
        [ "$each" -gt 10 ] || { failed=1; break; }
        echo "== $network, at most $each s"
        search_of "$each" "$network" --max-seconds $((each - 8)) || failed=1 # opening and the last measurements take time
    done
    return $failed
}
# What the other numbers cost: readings of clocks, sampling, and engines that cuDNN compiles. The steps before told most.
do_cost() {
    local failed=0
    conformance_of "$logs/conformance-cost.txt" clocks_reading_isCheap \
        stopwatch_fewRepeatsAndMany_agree timeline_tracedSampledTraced_recordsBoth || failed=1
    within 60 "$work/cli" timeline sample --device "$device" --schedule sequential --json > "$work/with.json" &&
        STAGECRAFT_NO_SAMPLING=1 within 60 "$work/cli" timeline sample --device "$device" --schedule sequential --json \
            > "$work/without.json" || failed=1
    echo "== engines that cuDNN compiles, on the sample network"
    within 120 "$work/cli" measure sample --device "$device:compiled" || failed=1
    python3 "$pack/device_report.py" engines "$kept/cache/stagecraft/engines" || failed=1
    return $failed
}
# One file per network; each gets its share of the remaining time.
compare_all() {
    local end=$((SECONDS + $1 - 5)) batch=$2 failed=0 network each ahead
    ahead=$(wc -w <<< "$networks")
    for network in $networks; do
        each=$(((end - SECONDS) / ahead))
        ahead=$((ahead - 1))
        [ "$each" -gt 0 ] || { failed=1; break; }
        echo "== $network, batch $batch, at most $each s"
        within "$each" "$work/cli" compare "$network" --device "$device" --batch "$batch" \
            --max-seconds $(((each + 9) / 10)) --rounds 3 --json > "$work/compare.json" || failed=1
        # When cut off, it reports the finished schedules.
        [ ! -s "$work/compare.json" ] || mv "$work/compare.json" "$logs/compare-$network-$batch.json"
    done
    return $failed
}
do_compare1() { compare_all "$1" 1; }
do_compare32() { compare_all "$1" 32; }
# peers SECONDS "NETWORK ..." OPTION...: with the schedules of the searches; only those that are missing are searched.
peers() {
    local limit=$1 of=$2
    shift 2
    # shellcheck disable=SC2086 # the networks are words
    python3 "$pack/gpu_peers/gpu_peers.py" "$work/cli" $of --device "$device" --graph-only --relaxed --no-outputs \
        --search-seconds $((limit / 16 + 1)) --store "$XDG_DATA_HOME" --schedules "$schedules" --logs "$logs" "$@"
}
# Ours alone, where there is a schedule: what IOS gains, before anything of PyTorch is loaded.
do_ours() {
    local network of=
    for network in inception_v3 squeezenet nasnet randwire; do
        [ ! -s "$schedules/$network.schedule.json" ] || of="$of $network"
    done
    [ -n "$of" ] || { echo "there is no schedule of a search yet"; return 1; }
    peers "$1" "$of" --rounds 3 --modes --json "$logs/peers-ours.json"
}
do_peers() { peers "$1" "inception_v3 squeezenet nasnet randwire" --rounds 2 --modes eager graphs --json "$logs/peers.json"; }
do_peers_tf32() {
    peers "$1" "inception_v3 squeezenet nasnet randwire" --rounds 2 --precision tf32 --modes eager graphs \
        --json "$logs/peers-tf32.json"
}
# It compiles for minutes: the small two first.
do_compile() {
    peers "$1" "squeezenet inception_v3 randwire nasnet" --rounds 2 --modes eager graphs compile --json "$logs/peers-compile.json"
}
# memcheck NAME [OPTION...] PROGRAM...
memcheck() {
    local log=$logs/memcheck-$1.txt status
    shift
    # CUDA and cuDNN try features that an older driver lacks and work without: these refusals are not our errors.
    compute-sanitizer --tool memcheck --target-processes all --report-api-errors no --error-exitcode 9 "$@" > "$log" 2>&1
    status=$?
    cat "$log"
    # A child that is ended from outside writes no summary: its errors are in separate lines. The command line itself
    # uses no GPU; the sanitizer may report that, and returns an error status if required.
    [ $status = 0 ] && grep -q 'ERROR SUMMARY: 0 errors' "$log" && ! grep -q 'ERROR SUMMARY: [1-9]' "$log" &&
        ! grep -v 'before first instrumented API call' "$log" |
            grep -qE '^=+ +(Invalid|Misaligned|Out-of-range|Program hit|Error:)' && ! grep -q '^SKIP' "$log"
}
# The sample network as users run it, on the GPU of the worker, a child process; and kernels of every kind of schedule
# in the process that is watched, so that nothing is missed.
do_sanitizer() {
    command -v compute-sanitizer > /dev/null || { echo "compute-sanitizer is not installed"; return 1; }
    local failed=0
    memcheck conformance "$work/conformance" run_twice_givesTheSame \
        'run_everySchedule_equalsTheReference:width 16, batch 1' || failed=1
    python3 "$pack/device_report.py" input "$work/cli" sample "$work/x.npy" || return
    memcheck sample --require-cuda-init no "$work/cli" run sample --device "$device" --schedule greedy \
        --input "$work/x.npy" -o "$work/y.npy" || failed=1
    return $failed
}
# What this call measured; no measurement at all is a failure.
do_record() {
    local failed=1 network batch
    "$work/cli" latencies list
    for network in $networks; do
        for batch in 1 32; do
            "$work/cli" latencies export "$network" --device "$device" --batch $batch \
                -o "$work/recorded/$network-b$batch.latencies.jsonl" && failed=0
        done
    done
    return $failed
}

mkdir -p "$work/recorded" "$XDG_DATA_HOME" "$XDG_CACHE_HOME"
# However this script ends, the results so far are in FOLDER.
publish() {
    [ ! -d "$kept/cache/stagecraft/engines" ] || cp -r "$kept/cache/stagecraft/engines" "$logs/"
    tar -C "$logs" -czf "$work/logs.tar.gz" . && mv "$work/logs.tar.gz" "$out/"
    tar -C "$work/recorded" -czf "$work/recorded.tar.gz" . && mv "$work/recorded.tar.gz" "$out/"
    tar -C "$kept" -czf "$work/kept.tar.gz" . && mv "$work/kept.tar.gz" "$out/"
    if [ "$(stat -c %s "$out/kept.tar.gz")" -gt "$most_bytes" ]; then # kernels are compiled again in seconds
        tar -C "$kept" --exclude=./cache/stagecraft/kernels -czf "$work/kept.tar.gz" . && mv "$work/kept.tar.gz" "$out/"
        [ "$(stat -c %s "$out/kept.tar.gz")" -le "$most_bytes" ] ||
            echo "kept.tar.gz is too large to come back: $(stat -c %s "$out/kept.tar.gz") bytes" > "$logs/kept.txt"
    fi
    if command -v python3 > /dev/null; then
        python3 "$pack/device_report.py" report "$logs" "$device" > "$work/report.md"
    else
        { echo "# No report: python3 is missing"; grep . "$logs"/*.step; } > "$work/report.md"
        false
    fi
    local status=$?
    mv "$work/report.md" "$out/"
    return $status
}
trap 'kill $! 2> /dev/null; publish; exit 1' TERM INT HUP

export -f ours within do_device compare_all conformance_of peers search_of timeline_of memcheck
export pack logs work kept schedules seeded device gpu networks library_path read_bytes read_seconds
# take STEP SECONDS: its log, and a line with status, seconds and limit.
take() {
    local step=$1 limit=$2 start=$SECONDS status
    echo "== $step (at most $limit s)"
    # In its own process group, so that a step's children end with it; in the background, so that signals are handled.
    timeout -k 5 "$limit" bash -c "do_$step $limit" > "$logs/$step.log" 2>&1 &
    wait $!
    status=$?
    printf '%s\t%s\t%s\n' "$status" "$((SECONDS - start))" "$limit" > "$logs/$step.step"
    tail -n 3 "$logs/$step.log" | sed 's/^/   /'
    return $status
}

take device 90
there=$?
for step in $steps; do
    left=$((seconds - (SECONDS - began) - 8))
    limit=$((left * share[$step] / whole))
    whole=$((whole - share[$step]))
    if [ $there != 0 ] && [ "$step" != machine ]; then
        printf 'no device\t0\t0\n' > "$logs/$step.step"
    elif [ "$limit" -lt 1 ]; then
        printf 'skipped\t0\t0\n' > "$logs/$step.step"
    else
        export -f "do_$step"
        take "$step" "$limit"
        publish
    fi
done
publish
missed=$?
cat "$out/report.md"
exit $missed
