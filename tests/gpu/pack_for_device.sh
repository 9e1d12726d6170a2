#!/usr/bin/env bash
# Packs what tests/gpu/on_device.sh needs on a GPU machine with a driver and Python with PyTorch (whose wheels have
# CUDA's run-time libraries and cuDNN), but nothing of ours: stripped binaries, their shared libraries, scripts.
#
#   tests/gpu/pack_for_device.sh BUILD_FOLDER PACK.tar.xz        there: python3 -m tarfile -e PACK.tar.xz DIR
#                                                                       bash DIR/on_device.sh --out FOLDER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -eq 2 ] || { sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
build=$(cd "$1" && pwd)
archive=$2
most_bytes=$((60 << 20)) # what may travel to the machine at once is 64 MiB, the archive not alone

programs=(bin/stagecraft-cli bin/stagecraft-worker bin/libstagecraft_gpu.so
          tests/tst_gpu_conformance tests/tst_gpu_cupti tests/tst_gpu_counter_sampler)
for program in "${programs[@]}"; do
    [ -e "$build/$program" ] || { echo "$build/$program is missing: build it first" >&2; exit 1; }
done

pack=$(mktemp -d)
trap 'rm -rf "$pack"' EXIT
mkdir -p "$pack/bin" "$pack/lib"
for program in "${programs[@]}"; do
    strip -o "$pack/bin/$(basename "$program")" "$build/$program"
done

# Everything they load, except the C and C++ run-time libraries (older than the machine's own, which must match its
# loader) and NVIDIA's, which the machine has.
ldd "${programs[@]/#/$build/}" | awk '$3 ~ /^\// {print $3}' | sort -u |
    grep -Ev '/(ld-linux|libc|libm|libdl|librt|libpthread|libresolv|libstdc\+\+|libgcc_s)[.-]' |
    grep -Ev '/lib(cuda|cudnn|cupti|nv)[^/]*\.so' |
    while read -r library; do cp -L "$library" "$pack/lib/"; done
chmod u+w "$pack"/lib/*
strip --strip-unneeded "$pack"/lib/* 2>/dev/null || true

cp "$here/on_device.sh" "$here/device_report.py" "$pack/"
cp -r "$here/../bench/gpu_peers" "$pack/gpu_peers"
rm -rf "$pack/gpu_peers/__pycache__"
# A schedule exported as a C++ project for CUDA, built, with an input and what the CPU computes from it.
cli=$build/bin/stagecraft-cli
exported=$pack/exported
if nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2> /dev/null); then
    mkdir "$exported"
    "$cli" optimize squeezenet --device sim:h200 -o "$exported/squeezenet.schedule.json" > /dev/null
    "$cli" export squeezenet "$exported/squeezenet.schedule.json" --format cpp --target cuda -o "$exported/net" > /dev/null
    cmake -S "$exported/net" -B "$exported/build" -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_ARCHITECTURES=90 > /dev/null
    cmake --build "$exported/build" -j "$(nproc)" > /dev/null
    strip -o "$exported/squeezenet-run" "$exported/build/squeezenet-run"
    cp "$exported/net/weights.bin" "$exported/"
    python3 "$here/device_report.py" input "$cli" squeezenet "$exported/x.npy"
    "$cli" run squeezenet --device cpu --input "$exported/x.npy" -o "$exported/y.npy" > /dev/null
    rm -rf "$exported/net" "$exported/build"
else
    echo "no exported project in the pack: there is no nvcc here" >&2
fi
# Compiled kernels for Hopper, where the worker of on_device.sh finds them; another version of NVRTC compiles again.
[ ! -x "$build/tests/keep_kernels" ] || "$build/tests/keep_kernels" "$pack/kept/cache/stagecraft/kernels" sm_90 ||
    echo "no compiled kernels in the pack: the worker will compile them" >&2
git -C "$here" rev-parse HEAD > "$pack/commit" 2>/dev/null || echo unknown > "$pack/commit"

tar -C "$pack" -cJf "$archive" .
bytes=$(stat -c %s "$archive")
echo "$archive: $((bytes >> 10)) KiB, $(find "$pack/lib" -type f | wc -l) libraries, commit $(cat "$pack/commit")"
[ "$bytes" -le "$most_bytes" ] || { echo "too big to travel: $bytes bytes, $most_bytes at most" >&2; exit 1; }
