#!/usr/bin/env bash
# Runs the search campaigns and keeps text and tables: bench/search_campaigns.sh LENTO OUT [NAME...]
set -euo pipefail
mkdir -p "$2"
lento=$(realpath "$1") out=$(realpath "$2")
shift 2
cd "$(dirname "$0")/.."
# Options of each campaign. Trials go to a table beside the text; it is named without its folder in the first line.
declare -A options=(
  [technology]="--starts 1" [technology_released]="--starts 1" [parallelism]="--starts 1 --steps 60" [packages]="--starts 1 --steps 60"
  [shapes]="--starts 1 --steps 60" [strategies]="--method soe" [gpt3]="--starts 1 --steps 60" [mixture]="--starts 1 --steps 60" [cost]="--starts 1 --steps 60"
  [methods]="--starts 3" [methods_exchange]="--method exchange --starts 3 --steps 200"
  [methods_gpt3]="--starts 3 --steps 200" [methods_mixture]="--starts 3 --steps 200"
)
declare -A files=([methods_exchange]=methods)  # where the name is not that of the file
names=("$@")
((${#names[@]})) || names=(technology technology_released parallelism packages shapes strategies gpt3 mixture cost methods methods_exchange methods_gpt3
  methods_mixture)
for name in "${names[@]}"; do
  [[ -v options[$name] ]] || { echo "no campaign is called $name" >&2; exit 2; }
  trials=()
  [[ $name == methods* ]] && trials=(--trials "search-$name-trials.csv")
  read -ra given <<<"${options[$name]}"
  command=(search "campaigns/search/${files[$name]:-$name}.yaml" "${given[@]}" "${trials[@]}")
  start=$(date +%s%N)
  "$lento" "${command[@]/#search-/$out/search-}" ${JOBS:+-j "$JOBS"} --figures "$out/$name" >"$out/$name.out"
  {
    echo "# lento ${command[*]} ($((($(date +%s%N) - start) / 1000000)) ms)"
    cat "$out/$name.out"
    for table in "$out/$name"/*all-designs*.csv "$out/$name"/*methods-compared*.csv "$out/$name"/*sensitivities*.csv; do
      if [[ -f $table ]]; then echo && cat "$table"; fi
    done
  } >"$out/search-$name.txt"
  rm -r "$out/$name" "$out/$name.out"
done
