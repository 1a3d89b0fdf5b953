#!/usr/bin/env python3
"""How many measured rows lie inside the error that `lento predict --table` states, by table and chip.

usage: python3 bench/predict_coverage_tables.py LENTO FOLDER [CHIP=SHEET ...]   (a sheet for tables that name no device)

Rows that a table marks as suspect or timed from the host with dispatch in them are left out, as are served loads at once and
runs without a time.
"""
import collections
import csv
import io
import subprocess
import sys

TIME = {"latency_ms": 1e-3, "latency_us": 1e-6, "us": 1e-6, "measured_ms": 1e-3, "iteration time (ms)": 1e-3, "iter_time_s": 1,
        "latency": 1e-3, "time_ms": 1e-3, "time_us": 1e-6, "ms": 1e-3, "kernel_us_median": 1e-6, "e2e_ms": 1e-3, "fwd_ms": 1e-3}
SHEETS = {"gemm_v100_dgx1_deepbench.csv": "v100", "rnn_v100_dgx1_deepbench.csv": "v100", "train_korthikanti_a100.csv": "a100",
          "train_a100_vtrain_single.csv.gz": "a100", "train_a100_vtrain_multi.csv": "a100"}
TABLES = ["gemm_linear_neusight.csv.gz", "gemm_bmm_neusight.csv.gz", "gemm_v100_dgx1_deepbench.csv",
          "gemm_bf16_aiconfigurator_sample.csv.gz", "gemm_lowprec_aiconfigurator.csv.gz", "gemm_amd_aiter.csv.gz",
          "gemm_traces_mi300x_h100_tracelens.csv", "rnn_v100_dgx1_deepbench.csv", "attention_context_aiconfigurator.csv.gz",
          "attention_generation_aiconfigurator.csv.gz", "mla_aiconfigurator.csv.gz", "moe_aiconfigurator.csv.gz",
          "moe_amd_aiter.csv.gz", "collectives_nccl_aiconfigurator.csv.gz", "train_korthikanti_a100.csv",
          "train_a100_vtrain_single.csv.gz", "train_a100_vtrain_multi.csv", "dnn_e2e_neusight_labels.csv",
          "train_gpt_4gpu_neusight.csv"]


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return 0.0


def main():
    lento, folder = sys.argv[1:3]
    print("table,chip,rows,inside_p90_pct,inside_p50_pct,mean_error_pct,mean_p90_pct,p90_over_error,in_domain_pct")
    for table in TABLES:
        command = [lento, "predict", "--table", folder + "/" + table]
        if table in SHEETS:
            command += ["--system", SHEETS[table]]
        text = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        groups = collections.defaultdict(list)
        rows = list(csv.DictReader(io.StringIO(text)))
        times = [c for c in (rows[0] if rows else {}) if c in TIME]
        for row in rows:
            measured = next((number(row[c]) * TIME[c] for c in times if number(row[c]) > 0), 0)
            if not number(row["predicted_s"]) or measured <= 0 or row.get("suspect") in ("1", "True", "true", "yes"):
                continue
            chip = row.get("gpu") or row.get("chip") or row.get("device") or "-"
            chip += " " + row["mode"] if row.get("mode") else ""
            one = (abs(number(row["predicted_s"]) / measured - 1) * 100, number(row["p90_pct"]), number(row["p50_pct"]),
                   row["domain"] == "in")
            groups[""].append(one)
            groups[chip].append(one)
        if not groups:
            print(f"# {table}: no column of times is known: {list(rows[0]) if rows else text[:80]}")
        for chip, all_of in sorted(groups.items()):
            n = len(all_of)
            error = sum(e for e, _, _, _ in all_of) / n
            p90 = sum(p for _, p, _, _ in all_of) / n
            inside = 100 * sum(e <= p for e, p, _, _ in all_of) / n
            half = 100 * sum(e <= h for e, _, h, _ in all_of) / n
            domain = 100 * sum(d for _, _, _, d in all_of) / n
            print(f"{table},{chip or 'all'},{n},{inside:.1f},{half:.1f},{error:.1f},{p90:.1f},{p90 / error:.2f},{domain:.0f}")


main()
