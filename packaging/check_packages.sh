#!/usr/bin/env bash
# The Debian packages as a user meets them: lintian, then each installed into a bare Debian root and used there.
# usage: check_packages.sh FOLDER (holds the .deb files) [ROOT.tar]; needs root, lintian and mmdebstrap. ROOT.tar: a bare root
# made before (mmdebstrap --variant=minbase bookworm ROOT.tar); without it one is made.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "$1" && pwd)
bare=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

most_packages=25 most_download_kb=25000 most_own_kb=20000 most_libraries=25 most_seconds=60
faults=0

within() {  # within NAME VALUE MOST
  local word=ok
  (($2 <= $3)) || { word='TOO MUCH'; faults=$((faults + 1)); }
  printf '%-34s %8d  (at most %d) %s\n' "$1" "$2" "$3" "$word"
}

# As somebody who has built nothing here: the compiler launcher of ./dev is not installed in a bare root.
inside() {
  (
    unset "${!CMAKE_@}" "${!CCACHE_@}" CC CXX CFLAGS CXXFLAGS LDFLAGS
    chroot "$root" sh -c "export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8; $1" </dev/null
  )
}

fresh_root() {  # fresh_root NAME: a bare root with the packages in /packages and its lists up to date
  root=$work/$1
  mkdir "$root"
  tar -C "$root" -xf "$bare"
  mkdir "$root/packages"
  cp "$folder"/*.deb "$root/packages/"
  inside 'apt-get -q update' >"$work/update.log"
}

lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs --allow-root "$folder"/*.deb
echo "lintian: no error, no warning"

if [[ -z $bare ]]; then
  bare=$work/bare.tar
  mmdebstrap --quiet --variant=minbase bookworm "$bare"
fi

# lento alone: as apt does it by default, with what is recommended.
fresh_root lento
begin=$SECONDS
inside 'apt-get -q install -y /packages/lento_*.deb' >"$work/install.log"
inside 'cd /tmp && cp -r /usr/share/doc/lento/examples . && lento predict examples/predict/gemm.yaml --system h100' >"$work/verdict.txt"
seconds=$((SECONDS - begin))
grep -q 'bound by  *compute' "$work/verdict.txt"
packages=$(sed -n 's/.* \([0-9]\+\) newly installed.*/\1/p' "$work/install.log")
download=$(sed -n 's/^Need to get .*[ /]\([0-9,.]\+\) \([kM]\)B of archives.*/\1 \2/p' "$work/install.log" | tr -d , |
  awk '{print int($1 * ($2 == "M" ? 1000 : 1) + 0.5)}')
within 'packages, lento among them' "$packages" $most_packages
within 'downloads, lento among them, kB' "$download" $most_download_kb
within 'own installed size, kB' "$(inside "dpkg-query -W -f '\${Installed-Size}' lento")" $most_own_kb
within 'lines of ldd lento' "$(inside 'ldd /usr/bin/lento' | wc -l)" $most_libraries
within 'seconds to install and judge' "$seconds" $most_seconds
inside 'cd /tmp && lento demo --html tour.html && test -s tour.html' >"$work/demo.txt" 2>"$work/demo.log"
tail -n 2 "$work/demo.txt"
inside 'test -s /usr/share/man/man1/lento.1.gz -o -s /usr/share/man/man1/lento-chip.1.gz'
inside 'lento fleet doctor http://127.0.0.1:9 2>&1 || true' | grep -q 'apt install libcurl4'
echo 'without libcurl, who asks a server is told what to install'

inside 'apt-get -q install -y --no-install-recommends /packages/lento-lab_*.deb' >>"$work/install.log"
inside 'lento-lab --version' >"$work/lab.txt"
echo 'lento-lab: installed and used'

inside 'apt-get -q install -y --no-install-recommends /packages/python3-lento_*.deb python3-pandas' >>"$work/install.log"
cp "$here/use_python.py" "$root/tmp/"
inside 'cd /tmp && python3 use_python.py'

inside 'apt-get -q install -y --no-install-recommends /packages/lento-mpi_*.deb openmpi-bin' >>"$work/install.log"
inside 'cd /tmp && mpirun --allow-run-as-root --oversubscribe -n 2 lento-mpi search examples/search/quick.yaml --starts 2 --steps 5' >"$work/mpi.txt"
test -s "$work/mpi.txt"
echo 'lento-mpi: installed and used by two ranks'
rm -rf "$root"

fresh_root dev
inside 'apt-get -q install -y --no-install-recommends /packages/liblento-dev_*.deb /packages/lento_*.deb g++ cmake make' >>"$work/install.log"
cp -r "$here/../tests/consumer" "$root/tmp/"
mkdir "$root/tmp/programs"
cp "$here/use_library.cc" "$root/tmp/programs/"
inside 'cd /tmp && cmake -S consumer -B built -DPROGRAMS=/tmp/programs && cmake --build built' >"$work/consumer.log"
inside 'cd /tmp && cp -r /usr/share/doc/lento/examples . && built/use_library'

du -h "$folder"/*.deb
exit $((faults > 0))
