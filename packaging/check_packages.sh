#!/usr/bin/env bash
# The Debian packages as a user meets them: lintian, then installed into a bare Debian root and asked for a verdict.
# usage: check_packages.sh FOLDER (holds the .deb files); needs root, lintian and mmdebstrap.
set -euo pipefail
folder=$(cd "$1" && pwd)
lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$folder"/*.deb
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mmdebstrap --variant=minbase --include=ca-certificates bookworm "$root/debian" "$(sed -n 's/^deb /deb /p;q' /etc/apt/sources.list 2>/dev/null || true)"
before=$(chroot "$root/debian" dpkg-query -W | wc -l)
mkdir -p "$root/debian/packages"
cp "$folder"/lento_*.deb "$root/debian/packages/"
chroot "$root/debian" sh -c 'apt-get -q update && apt-get -q install -y --no-install-recommends /packages/lento_*.deb' >"$root/install.log"
after=$(chroot "$root/debian" dpkg-query -W | wc -l)
echo "packages installed with lento: $((after - before))"
chroot "$root/debian" sh -c 'cd /tmp && lento --version && lento demo --html tour.html && test -s tour.html'
du -h "$folder"/*.deb
