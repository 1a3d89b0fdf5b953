#!/usr/bin/env bash
# Installs the wheel of a folder into a bare virtual environment, with no registry, and asks it five questions.
# usage: check_wheel.sh FOLDER
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
/usr/bin/python3 -m venv "$scratch/bare"
"$scratch/bare/bin/pip" install --quiet --no-index "$1"/lento-*.whl
cd "$scratch"
env -u PYTHONPATH "$scratch/bare/bin/python" - "$root/examples" "$root/guests/built" <<'PYTHON'
import sys
import lento
examples, guests = sys.argv[1:]
chip = dict(chip=f"{examples}/chip/4x4.yaml", mapping=f"{examples}/chip/tiny.map.json")
assert lento.predict(f"{examples}/predict/gemm.yaml", "h100").outcome == "answer"
lento.chip.simulate(**chip, output="run.probe")
assert lento.chip.diagnose("run.probe", **chip).outcome in ("healthy", "cannot judge")
lento.fleet.simulate(machines=8, seconds=600, output="job.csv", preset="paper")
program = f"{guests}/false_sharing.elf"
lento.memory.simulate(program, harts=4, trace="fs.access")
assert lento.memory.diagnose("fs.access", programs=[program]).findings
assert lento.tile.run(f"{guests}/echo.ypu", unsigned=True, block=f"vcd:{examples}/tile/bus.vcd", map=f"{examples}/tile/bus.map.yaml")
verdict = lento.diagnose("job.csv")
assert lento.Diagnosis.from_json(verdict.to_json()) == verdict
print("wheel: installed and used:", verdict.verdict)
PYTHON
