#!/bin/sh
# What the packages of some groups bring to a bare Debian: their number with dependencies, and the downloads.
#
# usage: packaging/count_packages.sh build [test ...]
# Nothing is installed. Bare is what debootstrap's minbase holds: essential and required packages, and apt.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: > "$work/status"

resolved() {  # the packages that apt would put into an empty system for these
  apt-get -o Dir::State::status="$work/status" -s --no-install-recommends install "$@" 2>/dev/null | awk '/^Inst/ {print $2}' | sort
}

bare=$(dpkg-query -W -f '${Package} ${Essential} ${Priority}\n' | awk '$2 == "yes" || $3 == "required" {print $1}')
wanted=$(awk -v groups=" $* " '!/^#/ && index(groups, " " $2 " ") {print $1}' packages.txt)
# shellcheck disable=SC2086  # lists of names
resolved $bare apt > "$work/bare"
# shellcheck disable=SC2086
resolved $bare apt $wanted > "$work/all"
comm -13 "$work/bare" "$work/all" > "$work/extra"
xargs apt-cache show --no-all-versions < "$work/extra" | awk -v groups="$*" -v count="$(wc -l < "$work/extra")" '
  /^Size:/ {bytes += $2} END {printf "%s: %d packages with their dependencies, %.1f MB of downloads\n", groups, count, bytes / 1e6}'
