#!/usr/bin/env bash
# Installs what packaging/dependencies.txt lists and the machine does not have. What only
# packaging/check.sh, check_packages.sh or fuzz.sh need is installed on request: install_dependencies.sh check|packages|fuzz. Needs
# root, or sudo, only if something is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

missing=()
while read -r package purpose _; do
    case "$package" in ""|"#"*) continue ;; esac
    case "$purpose" in "[check]"|"[packages]"|"[fuzz]") [ "$purpose" = "[${1:-}]" ] || continue ;; esac
    if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed'; then
        missing+=("$package")
    fi
done < "$here/dependencies.txt"

if [ "${#missing[@]}" -eq 0 ]; then
    exit 0
fi
echo "Installing: ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "These packages are missing and this is neither root nor is there sudo. As root, run:" >&2
        echo "    apt-get install --no-install-recommends ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
