#!/usr/bin/env python3
"""What is there to unpack for `lento fleet watch` is understood by those who read it.

usage: fleet_unpack.py LENTO
Rules by promtool, the route by amtool, units by systemd-analyze, manifests and the dashboard by their parsers; a tool
that is not installed is passed over, but one must be there. Every metric that the rules ask for is published.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent / "share/lento/fleet"
MOST_EXPOSED = 20  # tenths of systemd's exposure level: 2.0
ran = []


def check(tool, *command):
    if not shutil.which(tool):
        return
    ran.append(tool)
    done = subprocess.run([tool, *command], capture_output=True, text=True)
    assert done.returncode == 0, f"{tool} {' '.join(map(str, command))}\n{done.stdout}{done.stderr}"


def units(lento):
    """systemd-analyze wants the program that a unit starts: a copy names the one that was built."""
    with tempfile.TemporaryDirectory() as folder:
        for unit in sorted((ROOT / "systemd").iterdir()):
            text = unit.read_text().replace("/usr/bin/lento", lento)
            text = re.sub("^Documentation=.*\n", "", text, flags=re.M)
            (pathlib.Path(folder) / unit.name).write_text(text)
            name = unit.name.replace("@.", "@test.")
            if name != unit.name:
                (pathlib.Path(folder) / name).write_text(text)
            path = str(pathlib.Path(folder) / name)
            check("systemd-analyze", "verify", "--recursive-errors=no", path)
            check("systemd-analyze", "security", "--offline=yes", "--no-pager", f"--threshold={MOST_EXPOSED}", path)


def manifests():
    text = (ROOT / "kubernetes/lento-fleet-watch.yaml").read_text()
    kinds = re.findall(r"^kind: (\w+)$", text, re.M)
    assert kinds == ["PersistentVolumeClaim", "StatefulSet", "Service"], kinds
    try:
        import yaml
    except ImportError:
        return
    ran.append("yaml")
    for document in yaml.safe_load_all(text):
        assert document["apiVersion"] and document["metadata"]["name"].startswith("lento"), document
    pod = list(yaml.safe_load_all(text))[1]["spec"]["template"]["spec"]
    restricted(pod)
    return pod["containers"][0]["args"]


def restricted(pod):
    """What the Pod Security Standard "restricted" wants of a pod, and a temporary folder beside a read-only root."""
    wide = pod["securityContext"]
    assert wide["runAsNonRoot"] and wide["runAsUser"] and wide["seccompProfile"]["type"] == "RuntimeDefault", wide
    assert pod["automountServiceAccountToken"] is False and not {"hostNetwork", "hostPID", "hostIPC"} & set(pod), pod
    assert all(set(v) <= {"name", "emptyDir", "persistentVolumeClaim"} for v in pod["volumes"]), pod["volumes"]
    for box in pod["containers"]:
        own = box["securityContext"]
        assert own["allowPrivilegeEscalation"] is False and own["readOnlyRootFilesystem"], own
        assert own["capabilities"] == {"drop": ["ALL"]} and not own.get("privileged"), own
        assert "@sha256:" in box["image"] and box["livenessProbe"] and box["readinessProbe"], box
        assert {"/tmp"} <= {m["mountPath"] for m in box["volumeMounts"]}, box["volumeMounts"]


def hook():
    """With the lines marked "hook" the watch has the account and the script of the other manifest, and the script cordons its second argument."""
    try:
        import yaml
    except ImportError:
        return
    on = re.sub(r"^( *)# (.*\n)", r"\1\2", (ROOT / "kubernetes/lento-fleet-watch.yaml").read_text().split("\n", 4)[4], flags=re.M)
    pod = list(yaml.safe_load_all(on))[1]["spec"]["template"]["spec"]
    parts = {d["kind"]: d for d in yaml.safe_load_all((ROOT / "kubernetes/lento-fleet-hook.yaml").read_text())}
    assert pod["serviceAccountName"] == parts["ServiceAccount"]["metadata"]["name"], pod
    assert [v["configMap"]["name"] for v in pod["volumes"] if "configMap" in v] == [parts["ConfigMap"]["metadata"]["name"]], pod["volumes"]
    assert parts["ClusterRole"]["rules"] == [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "patch"]}]
    box = pod["containers"][0]
    place = next(m["mountPath"] for m in box["volumeMounts"] if m["name"] == "hook")
    script, = parts["ConfigMap"]["data"]
    assert {f"--hook={place}/{script}", "--hook-live"} <= set(box["args"]), box["args"]
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "curl").write_text('#!/bin/sh\ncat >/dev/null\nprintf "%s\\n" "$@"\n')
        os.chmod(f"{folder}/curl", 0o755)

        def run(node):
            words = {"PATH": f"{folder}:{os.environ['PATH']}"}
            return subprocess.run(["sh", "-c", parts["ConfigMap"]["data"][script], "cordon.sh", "--", node], env=words, capture_output=True, text=True)
        assert run("gpu-07.cluster").stdout.endswith("/api/v1/nodes/gpu-07.cluster\n")
        for hostile in ("", "../../secrets", "a b", "n1?x=y"):
            done = run(hostile)
            assert done.returncode == 2 and not done.stdout, (hostile, done)


def options(lento):
    """Every option in the units and manifests is one."""
    page = subprocess.run([lento, "fleet", "watch", "--help"], capture_output=True, text=True, check=True).stdout
    for file in [*(ROOT / "systemd").iterdir(), ROOT / "kubernetes/lento-fleet-watch.yaml"]:
        for option in re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", file.read_text()):
            assert option in page or option in ("--now", "--from-literal"), f"{file.name}: {option}"


def slurm():
    """Two jobs share a GPU: each end of a job writes and takes away its own line, and nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        def run(context, job, gpus):
            words = {"SLURM_SCRIPT_CONTEXT": context, "SLURM_JOB_ID": job, "SLURM_JOB_GPUS": gpus,
                     "DCGM_HPC_JOB_MAPPING_DIR": folder, "PATH": os.environ["PATH"]}
            subprocess.run([ROOT / "slurm/job-mapping.sh"], env=words, check=True)
            return {f.name: f.read_text().split() for f in sorted(pathlib.Path(folder).iterdir())}
        assert run("prolog_slurmd", "88", "0,1") == {"0": ["88"], "1": ["88"]}
        assert run("prolog_slurmd", "8", "1,../evil") == {"0": ["88"], "1": ["88", "8"]}
        assert run("prolog_slurmd", "8", "1") == {"0": ["88"], "1": ["88", "8"]}, "started again"
        assert run("epilog_slurmd", "88", "0,1") == {"1": ["8"]}
        assert run("epilog_slurmd", "8", "1") == {}
        assert run("epilog_slurmd", "9", "") == {}
    ran.append("sh")


def metrics():
    source = (ROOT.parent.parent.parent / "src/fleet/watch").glob("*.cc")
    published = set(re.findall(r'\{"(\w+)", "(?:gauge|counter)"', "".join(f.read_text() for f in source)))
    asked = set(re.findall(r"lento_fleet_(\w+)", (ROOT / "prometheus/lento-alerts.yml").read_text()))
    assert asked <= published, asked - published


def main():
    check("promtool", "check", "rules", ROOT / "prometheus/lento-alerts.yml", ROOT / "prometheus/lento-recording.yml")
    check("promtool", "check", "config", ROOT / "prometheus/lento-scrape.yml")
    check("amtool", "check-config", ROOT / "alertmanager/lento-route.yml")
    units(sys.argv[1])
    manifests()
    hook()
    options(sys.argv[1])
    slurm()
    metrics()
    json.loads((ROOT / "grafana/dashboard.json").read_text())
    print("checked by", ", ".join(sorted(set(ran))) or "nobody")
    return 0 if ran else 77


if __name__ == "__main__":
    sys.exit(main())
