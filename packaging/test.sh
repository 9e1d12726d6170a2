#!/usr/bin/env bash
# From a bare Debian 12 to all tests passed: installs what is missing, builds everything, runs every test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
packaging/install_dependencies.sh
packaging/build.sh dev
# Peers from PyPI check numbers independently; the tests that use them skip, with the reason, if they are missing.
peers=build/peers
if [ ! -x "$peers/bin/python" ]; then
    python3 -m venv "$peers" || true
fi
if ! { "$peers/bin/python" -m pip install -q onnx onnxruntime perfetto &&
       "$peers/bin/python" -m pip install -q --no-deps rapidocr-onnxruntime; }; then
    echo "The peers could not be installed; the tests that use them will skip." >&2
fi
STAGECRAFT_PYTHON="$PWD/$peers/bin/python" ctest --preset dev -j "$(nproc)" "$@"
