#!/usr/bin/env bash
# Checksums of a release and their signature, which `minisign -V -m SHA256SUMS -p lento.pub` verifies.
# usage: sign.sh FOLDER [KEY]: KEY is a secret key of minisign or of `lento tile keygen`, made without a password for a
# machine that releases alone. Without one the checksums stay unsigned, and that is said.
set -euo pipefail
cd "$1"
find . -type f ! -name 'SHA256SUMS*' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum >SHA256SUMS
rm -f SHA256SUMS.minisig
if [[ -z ${2:-} ]]; then
  echo 'SHA256SUMS is not signed: set LENTO_RELEASE_KEY to a secret key of minisign' >&2
  exit 0
fi
minisign -S -s "$2" -m SHA256SUMS -t "lento $(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%F)" </dev/null
