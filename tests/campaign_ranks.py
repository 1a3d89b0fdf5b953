#!/usr/bin/env python3
"""lento-lab chip campaign over MPI ranks: one process, two ranks, and kills with a resume give the same results.

usage: campaign_ranks.py LENTO_LAB LENTO_MPI SOURCE [FILE]
With FILE, a campaign: times one rank against two on it instead, one thread each; prints the speed-up.
Exit 77 (skipped) when mpirun is not installed.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

from search_ranks import check_resumed, environment, kill

CAMPAIGN = """schema: lento.campaign/1
inferences: 4
clean_runs: 6
altered_runs: 4
methods: [lento, paper, threshold]
faults:
  cores: 12
  links: 8
  longest: 1 s
workloads:
- name: binary_tree
  chip: {source}/examples/chip/4x4.yaml
  binary_tree:
    size: 64
"""


def start(programs, campaign, folder, name, ranks):
    results = os.path.join(folder, name + ".jsonl")
    command = [programs[ranks > 1], "chip", "campaign", campaign, "-j", "1", "--results", results,
               "--journal", os.path.join(folder, name + ".journal")]
    if ranks > 1:
        command = ["mpirun", "-n", str(ranks), *command]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            env=environment(), start_new_session=True), results


def finish(started):
    process, results = started
    _, err = process.communicate(timeout=3000)
    assert process.returncode == 0, f"exit code {process.returncode}: {err}"
    with open(results) as file:
        return file.read()


def killed(programs, campaign, folder, ranks, victim):
    """Kills a process of a run once some runs are in the journal, goes on, and returns the results."""
    name = f"killed{ranks}{victim}"
    journal = os.path.join(folder, name + ".journal")
    process, _ = start(programs, campaign, folder, name, ranks)
    done = kill(process, journal, 4, ranks, victim)
    results = finish(start(programs, campaign, folder, name, ranks))
    assert check_resumed(journal, done) == 30, "a run is missing"
    return results


def speed_up(programs, campaign, folder):
    seconds = {}
    results = {}
    for ranks in (1, 2):
        begin = time.monotonic()
        results[ranks] = finish(start(programs, campaign, folder, f"timed{ranks}", ranks))
        seconds[ranks] = time.monotonic() - begin
    assert results[1] == results[2], "two ranks differ from one"
    print(f"one rank {seconds[1]:.1f} s, two ranks {seconds[2]:.1f} s: {seconds[1] / seconds[2]:.2f} times faster")


def main():
    lab, spread, source = map(os.path.abspath, sys.argv[1:4])
    programs = (lab, spread)
    if not shutil.which("mpirun"):
        print("mpirun is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 4:
            speed_up(programs, sys.argv[4], folder)
            return 0
        campaign = os.path.join(folder, "campaign.yaml")
        with open(campaign, "w") as file:
            file.write(CAMPAIGN.format(source=source))
        alone = finish(start(programs, campaign, folder, "one", 1))
        assert alone.count("\n") == 90, "30 runs, three methods each"
        assert finish(start(programs, campaign, folder, "two", 2)) == alone, "two ranks differ from one"
        for ranks, victim in ((1, 0), (2, 0), (2, 1)):
            assert killed(programs, campaign, folder, ranks, victim) == alone, f"after killing {victim} of {ranks}"
    print("one process, two ranks and three kills agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
