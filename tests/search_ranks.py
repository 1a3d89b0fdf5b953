#!/usr/bin/env python3
"""lento search over MPI ranks: one process, two ranks, and a rank killed and resumed give the same answer.

usage: search_ranks.py LENTO LENTO_MPI SOURCE
Exit 77 (skipped) when mpirun is not installed.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SPACE = """schema: lento.search/1
base: {source}/examples/search/node.yaml
nodes: 64
logic: [N7]
memory: [HBM2, HBM2e]
network: [NDR-x8]
memory_rule: report
refine_best: 2
"""
OPTIONS = ["--starts", "8", "--steps", "20", "--json"]


def environment():
    """OpenMPI refuses root and more ranks than cores unless told otherwise."""
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_rmaps_base_oversubscribe="1")


def start(lento, space, journal, ranks):
    command = [lento, "search", space, *OPTIONS, "--journal", journal]
    if ranks > 1:
        command = ["mpirun", "-n", str(ranks), *command]
    else:
        command += ["-j", "1"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                            env=environment(), start_new_session=True)


def answer(process):
    out, _ = process.communicate(timeout=300)
    # 4: the rule of memory only reports, so the winner need not be able to hold its job.
    assert process.returncode in (0, 4), f"exit code {process.returncode}"
    result = json.loads(out)
    result.pop("command", None)
    return result


def runs_in(journal):
    if not os.path.exists(journal):
        return []
    with open(journal) as file:
        return [line.split()[0] for line in file.read().split("\n")[1:-1]]


def ranks_of(process):
    """Process ids of the ranks: children of mpirun, whatever stands between."""
    parents = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
            parents[int(pid)] = (int(rest.split()[1]), name)
        except (OSError, IndexError):
            continue
    def descends(pid):
        while pid in parents:
            pid = parents[pid][0]
            if pid == process.pid:
                return True
        return False
    return sorted(pid for pid, (_, name) in parents.items() if name.startswith("lento") and descends(pid))


def kill(process, journal, runs, ranks, victim):
    """Kills one process of a started command once `runs` runs are in its journal; returns those that then are."""
    deadline = time.monotonic() + 120
    while len(runs_in(journal)) < runs:
        assert process.poll() is None, "ended before it could be killed"
        assert time.monotonic() < deadline, "nothing was journaled"
        time.sleep(0.005)
    victims = ranks_of(process) if ranks > 1 else [process.pid]
    assert len(victims) == ranks, f"expected {ranks} ranks, found {victims}"
    os.kill(victims[victim], signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode != 0, "mpirun did not notice"
    return runs_in(journal)


def check_resumed(journal, done):
    after = runs_in(journal)
    assert after[:len(done)] == done, "the journal lost runs"
    assert len(set(after)) == len(after), "a journaled run was repeated"
    return len(after)


def killed(lento, space, journal, rank):
    done = kill(start(lento, space, journal, 2), journal, 5, 2, rank)
    result = answer(start(lento, space, journal, 2))
    check_resumed(journal, done)
    return result


def main():
    lento, spread, source = map(os.path.abspath, sys.argv[1:4])
    if not shutil.which("mpirun"):
        print("mpirun is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        space = os.path.join(folder, "space.yaml")
        with open(space, "w") as file:
            file.write(SPACE.format(source=source))
        alone = answer(start(lento, space, os.path.join(folder, "one"), 1))
        assert answer(start(spread, space, os.path.join(folder, "two"), 2)) == alone, "two ranks differ from one"
        refused = subprocess.run(["mpirun", "-n", "1", lento, "search", space], capture_output=True, text=True,
                                 env=environment())
        assert refused.returncode == 2 and "lento-mpi" in refused.stderr, refused.stderr
        for rank in (0, 1):
            result = killed(spread, space, os.path.join(folder, f"killed{rank}"), rank)
            assert result == alone, f"after killing rank {rank} the answer differs"
    print("one process, two ranks and both kills agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
