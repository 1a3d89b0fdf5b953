"""The Python package, used where it was just installed: a frame in, a verdict out."""
import subprocess

import pandas
import lento

subprocess.run(["lento", "fleet", "simulate", "--machines", "16", "--preset", "paper", "--seed", "1", "-o", "job.csv"], check=True)
verdict = lento.fleet.diagnose(pandas.read_csv("job.csv"), machine="machine", time="time", unit="s")
assert verdict.outcome == "findings", verdict
assert len(verdict.findings) >= 1
assert "<svg" in verdict.to_html()
print("python3-lento: installed and used:", verdict.verdict)
