#!/usr/bin/env bash
# Runs the search campaigns and keeps text and tables: bench/search_campaigns.sh LENTO OUT [NAME...]
set -euo pipefail
lento=$1 out=$2
shift 2
cd "$(dirname "$0")/.."
mkdir -p "$out"
declare -A options=(
  [technology]="--starts 1" [technology_released]="--starts 1" [parallelism]="--starts 1 --steps 60" [packages]="--starts 1 --steps 60"
  [shapes]="--starts 1 --steps 60" [strategies]="--method soe" [gpt3]="--starts 1 --steps 60" [mixture]="--starts 1 --steps 60" [cost]="--starts 1 --steps 60"
  [methods]="--starts 3 --steps 200 --trials $out/search-methods-trials.csv"
  [methods_gpt3]="--starts 3 --steps 200 --trials $out/search-methods_gpt3-trials.csv"
  [methods_mixture]="--starts 3 --steps 200 --trials $out/search-methods_mixture-trials.csv"
)
names=("$@")
((${#names[@]})) || names=(technology technology_released parallelism packages shapes strategies gpt3 mixture cost methods methods_gpt3 methods_mixture)
for name in "${names[@]}"; do
  command="lento search campaigns/search/$name.yaml ${options[$name]}"
  start=$(date +%s%N)
  # shellcheck disable=SC2086
  "$lento" search "campaigns/search/$name.yaml" ${options[$name]} ${JOBS:+-j "$JOBS"} --figures "$out/$name" >"$out/$name.out"
  {
    echo "# $command ($((($(date +%s%N) - start) / 1000000)) ms)"
    cat "$out/$name.out"
    for table in "$out/$name"/*all-designs*.csv "$out/$name"/*methods-compared*.csv "$out/$name"/*sensitivities*.csv; do
      [[ -f $table ]] && echo && cat "$table"
    done
  } >"$out/search-$name.txt" || true
  rm -r "$out/$name" "$out/$name.out"
done
