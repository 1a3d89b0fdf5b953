#!/usr/bin/env bash
# Installs the build into a scratch folder and builds and runs the consumer against it.
# usage: check.sh BUILD_FOLDER SOURCE_FOLDER
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$1" --prefix "$scratch/prefix" >/dev/null
cmake -S "$2" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$scratch/build"
"$scratch/build/consumer"
"$scratch/prefix/bin/lento" --version
