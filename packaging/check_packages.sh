#!/usr/bin/env bash
# Makes the packages and checks them by use, half an hour the first time: lintian and hardening flags; on a bare Debian 12
# (debootstrap, so as root and with Debian's mirror) they are installed with apt, the window opens, double-clicks find it, a
# server gets the command line without Qt, everything is removed again and leaves nothing; the archive runs from a folder
# with a space in it. FOLDER keeps the bare system for the next time.
#     packaging/check_packages.sh [FOLDER]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
packaging/install_dependencies.sh packages
packaging/package.sh
packages=$PWD/build/release/packages
work=${1:-$(mktemp -d)}
mkdir -p "$work"
work=$(cd "$work" && pwd)
bare=$work/bare
root=$work/root
cleanup() {
    umount "$root/proc" 2>/dev/null || true
    rm -rf "$root"
    [ -n "${1:-}" ] || rm -rf "$work"
}
trap 'cleanup "${1:-}"' EXIT

echo "== lintian"
lintian --allow-root --fail-on error --profile debian "$packages"/*.deb

echo "== hardening"
for package in "$packages"/*.deb; do
    rm -rf "$work/unpacked"
    dpkg-deb -x "$package" "$work/unpacked"
    find "$work/unpacked/usr" \( -path '*/bin/*' -o -name '*.so' \) -type f | while read -r file; do
        # Each prints what is missing.
        readelf -hW "$file" | grep -q 'Type: *DYN' || { echo "${file##*/}: not position-independent" >&2; exit 1; }
        readelf -lW "$file" | grep -q GNU_RELRO || { echo "${file##*/}: no RELRO" >&2; exit 1; }
        readelf -dW "$file" | grep -qE 'BIND_NOW|Flags:.* NOW' || { echo "${file##*/}: no BIND_NOW" >&2; exit 1; }
        readelf -lW "$file" | grep -q 'GNU_STACK.* RW ' || { echo "${file##*/}: executable stack" >&2; exit 1; }
        readelf -sW --dyn-syms "$file" | grep -q __stack_chk_fail || { echo "${file##*/}: no stack protector" >&2; exit 1; }
        readelf -sW --dyn-syms "$file" | grep -qE '__(mem|str|v?sn?printf|read|fdelt)[a-z]*_chk' ||
            { echo "${file##*/}: nothing is fortified" >&2; exit 1; }
        echo "${file##*/}: PIE, RELRO, BIND_NOW, stack protector, fortified"
    done
done

echo "== a bare Debian 12"
[ -d "$bare" ] || debootstrap --variant=minbase bookworm "$bare" > "$work/debootstrap.log"
# fresh: a new system with what a person's machine already has downloaded.
fresh() {
    umount "$root/proc" 2>/dev/null || true
    rm -rf "$root"
    cp -a --reflink=auto "$bare" "$root"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    mount -t proc proc "$root/proc"
    inside apt-get update -qq
    mkdir "$root/packages"
    cp "$packages"/*.deb "$root/packages"
    : > "$root/var/log/dpkg.log"
}
inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
files() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./packages -o -path ./tmp \) -prune -o -print | sort)
}
install() {
    local wanted=()
    for name in "$@"; do wanted+=("$(cd "$root" && ls packages/"$name"_*.deb)"); done
    inside apt-get install -y -qq --download-only "${wanted[@]/#/./}" > "$work/apt.log"
    local start=$SECONDS
    inside apt-get install -y -qq "${wanted[@]/#/./}" > "$work/apt.log" 2>&1 || { cat "$work/apt.log" >&2; exit 1; }
    echo "installed in $((SECONDS - start)) s: $*"
}

echo "== a server: the command line without Qt"
fresh
install stagecraft-cli stagecraft-worker
if inside dpkg -l | grep -iE 'ii +(libqt|qt|libx11|libwayland|libgtk)'; then
    echo "the command line brings these packages of a desktop" >&2
    exit 1
fi
inside stagecraft-cli compare sample --device sim:v100 > "$work/compare.txt"
inside stagecraft-cli measure sample --device cpu --json | grep -q '"measured"'
if [ -e "$packages"/stagecraft-gpu_*.deb ]; then
    install stagecraft-gpu
    inside stagecraft-cli devices | grep -A1 'gpu:0'
fi

echo "== a desktop"
fresh
files > "$work/before"
start=$SECONDS
install stagecraft stagecraft-cli stagecraft-worker
inside env QT_QPA_PLATFORM=offscreen stagecraft sample --device sim:v100 --screenshot /packages/window.png
test -s "$root/packages/window.png"
echo "the window is open $((SECONDS - start)) s after the command that downloads and installs"
inside sh -c 'printf x > /packages/a.onnx; printf x > /packages/a.stagecraft'
for file in a.onnx a.stagecraft; do
    kind=$(inside sh -c "grep ':\*\.${file#a.}\$' /usr/share/mime/globs2 | cut -d: -f2")
    grep -q "^$kind=.*stagecraft.desktop" "$root/usr/share/applications/mimeinfo.cache"
    echo ".${file#a.} is $kind and opens with stagecraft.desktop"
done
inside stagecraft-cli export sample ios-both --device sim:v100 --format svg -o /packages/schedule.svg > /dev/null
inside bash -c 'source /usr/share/bash-completion/completions/stagecraft-cli && complete -p stagecraft-cli'

echo "== removed"
inside apt-get purge -y -qq stagecraft stagecraft-cli stagecraft-worker > "$work/apt.log"
inside apt-get autoremove --purge -y -qq > "$work/apt.log"
files > "$work/after"
if diff "$work/before" "$work/after" | grep '^>' | grep -vE '/var/(lib/(dpkg|apt|systemd)|cache|log)/|/root/\.(local|config|cache)' |
        grep -i stagecraft; then
    echo "these files stay behind" >&2
    exit 1
fi
echo "left: $(cd "$root/root" && find . -iname '*stagecraft*' | tr '\n' ' ')"

echo "== the archive, on a system without any of our packages"
fresh
mkdir "$root/any folder"
tar -C "$root/any folder" --strip-components=1 -xf "$packages"/stagecraft-*.tar.zst
inside '/any folder/bin/stagecraft-cli' compare sample --device sim:v100 | cmp - "$work/compare.txt"
inside '/any folder/bin/stagecraft-cli' measure sample --device cpu --json | grep -q '"measured"'
inside env QT_QPA_PLATFORM=offscreen '/any folder/bin/stagecraft' sample --device sim:v100 --screenshot /packages/window.png
test -s "$root/packages/window.png"
echo "all packages are well"
