#!/usr/bin/env bash
# Installs the wheel of a folder into a bare virtual environment, with no registry, and asks it three questions.
# usage: check_wheel.sh FOLDER
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
/usr/bin/python3 -m venv "$scratch/bare"
"$scratch/bare/bin/pip" install --quiet --no-index "$1"/lento-*.whl
cd "$scratch"
env -u PYTHONPATH "$scratch/bare/bin/python" - "$root/examples" <<'PYTHON'
import sys
import lento
examples = sys.argv[1]
chip = dict(chip=f"{examples}/chip/4x4.yaml", mapping=f"{examples}/chip/tiny.map.json")
assert lento.predict(f"{examples}/predict/gemm.yaml", "h100").outcome == "answer"
lento.chip.simulate(**chip, output="run.probe")
assert lento.chip.diagnose("run.probe", **chip).outcome in ("healthy", "cannot judge")
lento.fleet.simulate(machines=8, seconds=600, output="job.csv", preset="paper")
verdict = lento.diagnose("job.csv")
assert lento.Diagnosis.from_json(verdict.to_json()) == verdict
print("wheel: installed and used:", verdict.verdict)
PYTHON
