#!/usr/bin/env bash
# From a bare Debian 12 to the running program: installs what is missing, builds, and opens MODEL (default: the sample
# network). Without a display it compares the schedules of Inception V3 on a simulated V100 and saves a picture of the
# window instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
packaging/install_dependencies.sh
packaging/build.sh release stagecraft stagecraft-cli stagecraft-pictures stagecraft-worker
bin=build/release/bin
model=${1:-sample}

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    exec "$bin/stagecraft" "$model" "${@:2}"
fi
echo
echo "There is no display here, so no window opens. Comparing the schedules of Inception V3 instead:"
echo
"$bin/stagecraft-cli" compare inception_v3 --device sim:v100
picture=stagecraft-window.png
QT_QPA_PLATFORM=offscreen "$bin/stagecraft" "$model" --search --screenshot "$picture"
echo
echo "A picture of the main window is in $PWD/$picture"
