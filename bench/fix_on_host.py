#!/usr/bin/env python3
"""What twelve fixes bring on this machine, beside what the recording of the unmended program predicts.

fix_on_host.py LENTO PLATFORM.yaml [PROGRAM...]: each program and its mended twin run natively, in turn, in many short rounds. Threads
begin a round together on CPUs of their own, and a round counts only where none was interrupted (its wall-clock time is at most
1.2 times its CPU time) and all began within a fifth of it, so that other work on the machine does not hide a fight. Printed: the predicted gain and its range, the
measured one (ratio of medians) with a 90 % interval by bootstrap, rounds that counted.
"""
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = (ROOT / "examples/memory/programs", ROOT / "bench/memory_fresh")
PROGRAMS = {  # threads
    "histogram_rows": 2, "matrix_columns": 2, "regression_sums": 2, "shared_total": 2, "one_mutex": 2, "progress_slots": 2,
    "free_lists": 2, "shared_seed": 2, "column_walk": 1, "row_gather": 1, "page_headers": 1, "head_stride": 1}
ROUNDS = 40

TIMED = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define MOST_THREADS 64
static int threads = 2;
static void* (*round_work)(void*);
static volatile int ready;
static double spent[MOST_THREADS][3];
static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void* timed(void* p) {
  long me = (long)p;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(me, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  __atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
  while (ready < threads) {
  }
  double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
  round_work(p);
  spent[me][1] = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
  spent[me][0] = now(CLOCK_MONOTONIC) - wall;
  spent[me][2] = wall;
  return 0;
}
static void run_threads(void* (*work)(void*), int argc, char** argv) {
  pthread_t handle[MOST_THREADS];
  threads = argc > 1 ? atoi(argv[1]) : 2;
  round_work = work;
  for (int round = 0; round < 12; ++round) {
    ready = 0;
    for (long i = 0; i < threads; ++i) pthread_create(&handle[i], 0, timed, (void*)i);
    double wall = 0, cpu = 0, first = 0, last = 0;
    for (int i = 0; i < threads; ++i) {
      pthread_join(handle[i], 0);
      if (spent[i][0] > wall) wall = spent[i][0];
      if (i == 0 || spent[i][1] < cpu) cpu = spent[i][1];
      if (i == 0 || spent[i][2] < first) first = spent[i][2];
      if (spent[i][2] > last) last = spent[i][2];
    }
    if (round > 0) fprintf(stderr, "%.9f %.9f %.9f\n", wall, cpu, last - first);
  }
}
"""


def run(*words, folder, **more):
    return subprocess.run([str(w) for w in words], cwd=folder, capture_output=True, text=True, **more)


def source_of(name):
    return next(f / f"{name}.c" for f in FOLDERS if (f / f"{name}.c").exists())


def predicted(lento, platform, folder, name, threads):
    run("cc", "-g", "-O1", "-fsanitize=thread", "-fno-ipa-reference-addressable", f"-I{FOLDERS[0]}", "-c", source_of(name), "-o", "p.o",
        folder=folder, check=True)
    run("cc", "p.o", "recorder.o", "-o", "p", "-ldl", "-pthread", folder=folder, check=True)
    done = run(lento, "memory", "record", "--full", "--platform", platform, "-o", "run.access", "--json", "--", "./p", threads, folder=folder)
    findings = json.loads(done.stdout[done.stdout.index("{"):])["findings"]
    if not findings or "factor" not in findings[0]:
        return None, "", ""
    text = next(e["text"] for e in findings[0]["evidence"] if "predicted speed-up" in e["text"])
    low, high = re.search(r"([\d.]+) to ([\d.]+) where", text).groups()
    return findings[0]["factor"], low, high


def rounds(folder, name, threads):
    done = run(f"./{name}", threads, folder=folder, timeout=100)
    pairs = [tuple(map(float, line.split())) for line in done.stderr.splitlines()]
    return [wall for wall, cpu, apart in pairs if wall <= 1.2 * cpu and apart <= 0.2 * wall]


def main():
    lento, platform = (str(pathlib.Path(a).resolve()) for a in sys.argv[1:3])
    draw = random.Random(1)
    right = within = 0
    names = sys.argv[3:] or list(PROGRAMS)
    print("program,threads,predicted,low,high,measured,measured low,measured high,rounds,rounds of the twin,direction right,within 30 %")
    with tempfile.TemporaryDirectory() as folder:
        run(lento, "memory", "record", "--runtime", "recorder.c", folder=folder, check=True)
        run("cc", "-O2", "-c", "recorder.c", folder=folder, check=True)
        timed = pathlib.Path(folder) / "timed"
        timed.mkdir()
        (timed / "run_threads.h").write_text(TIMED)
        for name in names:
            threads = PROGRAMS[name]
            gain, low, high = predicted(lento, platform, folder, name, threads)
            (timed / "p.c").write_text(source_of(name).read_text())
            for variant in ("", "-DFIXED"):
                run("cc", "-O1", *([variant] if variant else []), "p.c", "-o", f"p{variant}", "-pthread", folder=timed, check=True)
            times = {"p": [], "p-DFIXED": []}
            for _ in range(ROUNDS):
                for variant, list_of in times.items():
                    if len(list_of) < 60:
                        list_of += rounds(timed, variant, threads)
            before, after = times.values()
            if len(before) < 5 or len(after) < 5:
                print(f"{name},{threads},{gain},{low},{high},,,,{len(before)},{len(after)},,", flush=True)
                continue
            ratios = sorted(statistics.median(draw.choices(before, k=len(before))) / statistics.median(draw.choices(after, k=len(after)))
                            for _ in range(400))
            measured = statistics.median(before) / statistics.median(after)
            gain = gain or 1  # no finding: nothing is to be gained on this machine
            same = (gain > 1.05) == (measured > 1.1) or abs(gain / measured - 1) <= 0.1
            near = abs(gain / measured - 1) <= 0.3
            right, within = right + same, within + near
            print(f"{name},{threads},{gain and round(gain, 2)},{low},{high},{measured:.2f},{ratios[20]:.2f},{ratios[380]:.2f},"
                  f"{len(before)},{len(after)},{int(same)},{int(near)}", flush=True)
    print(f"# direction right in {right} of {len(names)}, within 30 % in {within}")


if __name__ == "__main__":
    main()
