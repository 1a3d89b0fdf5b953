#!/usr/bin/env bash
# CPU time of one answer, tables read and written included: bench/predict_speed.sh LENTO DATA, DATA with the measured
# tables (data/predict). Best of five.
set -euo pipefail
lento=$1 data=$2
TIMEFORMAT=%U
answer() {  # title, system, table
  local rows best=1e9 now
  rows=$("$lento" predict --table "$3" --system "$2" 2>/dev/null | tail -n +2 | wc -l)
  for _ in 1 2 3 4 5; do
    now=$({ time "$lento" predict --table "$3" --system "$2" >/dev/null 2>&1; } 2>&1)
    best=$(echo "$now $best" | awk '{print $1 < $2 ? $1 : $2}')
  done
  echo "$1,$rows,$best,$(echo "$best $rows" | awk '{print 1e6 * $1 / $2}')"
}
echo "what,rows,user_s,us_a_row"
answer "fp32 GEMM" v100 "$data/gemm_linear_neusight.csv.gz"
answer "bf16 GEMM, persistent kernels" h100 "$data/gemm_bf16_aiconfigurator_sample.csv.gz"
answer "training iteration, vTrain" a100 "$data/train_a100_vtrain_single.csv.gz"
answer "training iteration, nanotron" h100 "$data/train_h100_nanotron.csv.gz"
