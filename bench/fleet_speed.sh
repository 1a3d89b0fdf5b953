#!/usr/bin/env bash
# The faithful mode beside a numpy and torch script on the same samples, then with the pull from a real Prometheus:
# 1,500 machines, seven metrics, 900 s, no fault. CPU seconds of both sides and both verdicts are printed.
# usage: bench/fleet_speed.sh LENTO FOLDER > bench/results/DAY/fleet_speed.txt
# Needs python3-torch, prometheus and ../shared/peers (or LENTO_SHARED); FOLDER takes about 1 GB.
set -euo pipefail
lento=$(realpath "$1") folder=$2 peers=${LENTO_SHARED:-../shared}/peers
mkdir -p "$folder"
metrics=(m0 m1 m2 m3 m4 m5 m6)
port=19555
TIMEFORMAT="%R s wall, %U s user, %S s system"

echo "# bench/fleet_speed.sh LENTO FOLDER"
[[ -f $folder/ref.txt ]] || /usr/bin/python3 "$peers/ref_minder.py" --no-fault --dist torch --write "$folder/csv" >"$folder/ref.txt"
echo "== ref_minder.py --no-fault --dist torch" && cat "$folder/ref.txt"

awk -F, 'FNR == 1 { k = FILENAME; gsub(/.*metric|\.csv/, "", k); before = after = ""
                    for (i = 0; i < k; i++) before = before ","
                    for (i = k + 1; i < 7; i++) after = after ","
                    if (!started++) print "time,machine,m0,m1,m2,m3,m4,m5,m6"; next }
         { print $2 "," $1 "," before $3 after }' "$folder"/csv/metric[0-6].csv >"$folder/all.csv"
csv=(--csv "$folder/all.csv" --machine-column machine --time-column time --time-unit s --metric "${metrics[@]}" --step 1)
"$lento" fleet train "${csv[@]}" --out "$folder/model.json" --windows 20000 --epochs 20 -j 1
echo "== lento fleet diagnose --csv --faithful -j 1, reading of the text included"
time "$lento" fleet diagnose "${csv[@]}" --faithful --model "$folder/model.json" -j 1

begin=$(($(date +%s) - 3600))
awk -F, -v begin=$begin 'FNR == 1 { k = FILENAME; gsub(/.*metric|\.csv/, "", k); print "# TYPE m" k " gauge"; next }
     { printf "m%s{machine=\"m%s\",job=\"train\"} %s %.3f\n", k, $1, $3, begin + $2 } END { print "# EOF" }' \
  "$folder"/csv/metric[0-6].csv >"$folder/metrics.txt"
rm -rf "$folder/tsdb"
promtool tsdb create-blocks-from openmetrics -q "$folder/metrics.txt" "$folder/tsdb"
echo "global: {scrape_interval: 15s}" >"$folder/prometheus.yml"
prometheus --config.file="$folder/prometheus.yml" --storage.tsdb.path="$folder/tsdb" --web.listen-address=127.0.0.1:$port \
  --storage.tsdb.retention.time=10d 2>"$folder/prometheus.log" &
trap 'kill %1' EXIT
until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.5; done
sleep 2
echo "== lento fleet diagnose --prometheus --faithful -j 2"
for _ in 1 2 3; do
  time "$lento" fleet diagnose --prometheus "http://127.0.0.1:$port" --match job=train --machine-label machine \
    --metric "${metrics[@]}" --step 1 --last 900 --end $((begin + 900)) --faithful --model "$folder/model.json" -j 2
done
