#!/usr/bin/env bash
# The demo: ResNet-50 on a 4x4 accelerator with a link that is ten times too slow. Usage: demo.sh [LENTO]
# Writes report.html into the current folder.
set -euo pipefail
lento=${1:-lento}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "== map ResNet-50 onto 16 cores" >&2
"$lento" chip map "$here/models/resnet50.onnx" --chip "$here/chip/4x4.yaml" --batch 64 -o "$work/resnet50.map.json" >&2
echo "== run four inferences with a hidden slow link, and record them" >&2
"$lento" chip simulate --chip "$here/chip/4x4.yaml" --mapping "$work/resnet50.map.json" \
  --faults "$here/chip/slow_link.yaml" --inferences 4 -o "$work/run.probe" >&2
echo "== what is slow?" >&2
"$lento" chip diagnose "$work/run.probe" --chip "$here/chip/4x4.yaml" --mapping "$work/resnet50.map.json" --html report.html
echo "== the same as a page: report.html" >&2
