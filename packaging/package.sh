#!/usr/bin/env bash
# Builds the programs with the release preset and makes the packages: for Debian that of the window, the command line, the
# worker and, where CUDA is, the GPU module; and an archive of everything that runs from any folder. They are in
# build/release/packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
packaging/install_dependencies.sh
packaging/build.sh release stagecraft stagecraft-cli stagecraft-pictures stagecraft-worker
rm -rf build/release/packages
cpack --config build/release/CPackConfig.cmake > build/release/cpack.log 2>&1 || { cat build/release/cpack.log >&2; exit 1; }
rm -rf build/release/packages/_CPack_Packages
ls -sh build/release/packages
