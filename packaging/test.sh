#!/usr/bin/env bash
# From a bare Debian 12 to all tests passed: installs what is missing, builds everything, runs every test. Arguments go to
# ctest. With --label LABEL as the first it builds and runs only the suites with that label, as .ci/run does.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
packaging/install_dependencies.sh
targets=()
if [ "${1:-}" = --label ]; then
    targets=("tests_${2:?a label}")
    set -- -L "^$2\$" "${@:3}"
fi
packaging/build.sh dev "${targets[@]}"
STAGECRAFT_PYTHON=$(packaging/install_peers.sh)
export STAGECRAFT_PYTHON
ctest --preset dev -j "$(nproc)" "$@"
