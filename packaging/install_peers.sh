#!/usr/bin/env bash
# Installs peers from PyPI into build/peers, which check numbers independently: the tests that use them skip, with the
# reason, where they are missing. Prints the Python that has them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
peers=build/peers
if [ ! -x "$peers/bin/python" ]; then
    python3 -m venv "$peers" >&2 || true
fi
if ! { "$peers/bin/python" -m pip install -q onnx onnxruntime perfetto &&
       "$peers/bin/python" -m pip install -q --no-deps rapidocr-onnxruntime; } >&2; then
    echo "The peers could not be installed; the tests that use them will skip." >&2
fi
echo "$PWD/$peers/bin/python"
