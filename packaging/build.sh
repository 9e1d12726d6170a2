#!/usr/bin/env bash
# Configures and builds with a preset: packaging/build.sh [PRESET [TARGET...]]. The result is in build/PRESET.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=${1:-release}
shift || true
cmake --preset "$preset" > "build-$preset.log" 2>&1 || { cat "build-$preset.log" >&2; exit 1; }
mkdir -p "build/$preset" && mv "build-$preset.log" "build/$preset/configure.log"
cmake --build --preset "$preset" ${1:+--target "$@"}
