#!/usr/bin/env python3
"""Builds the programs of examples/memory/programs and their fixed twins with the recorder and judges them.

record_programs.py LENTO [--short] [--programs FOLDER] [RESULTS.csv]: each program says in its head which cause and which variable must come first
("expect: false sharing, bins"; "|" parts causes that both are right), and on which machine it is played ("nodes: 2", "bandwidth: 12.8"); its twin, built with -DFIXED, must have no findings. Both by bursts and by every
access; --short: only by bursts; --programs: only those of another folder. Also: a program that ends by _exit, one that forks, one that is linked statically keep what they recorded; threads that barriers
or OpenMP keep apart do not meet, processes that share a mapping do.
"""
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "examples/memory/programs"

ENDINGS = {
    "exit": "#include <unistd.h>\n#define END _exit(0);\n",
    "fork": "#include <sys/wait.h>\n#include <unistd.h>\n#define END if (fork() == 0) { work(0); _exit(0); } wait(0);\n",
    "kill": "#include <signal.h>\n#define END raise(SIGKILL);\n",
}
BODY = """
#include "run_threads.h"
static volatile long slots[MOST_THREADS];
static void *work(void *p) {
  for (int i = 0; i < 100000; ++i) ++slots[(long)p];
  return 0;
}
int main(int argc, char **argv) {
  run_threads(work, argc, argv);
  END
  return 0;
}
"""
# Synchronisation other than joins and locks. The first two have no contention: a table of 64 lines is handed from
# thread to thread three times, which costs 0.6 % of the CPU time and is no finding. In the third two processes share a
# mapping.
MEETINGS = {
    "barrier": ("", [], """
#include <pthread.h>
static pthread_barrier_t all;
static volatile long table[512];
static void *work(void *p) {
  long me = (long)p;
  for (int phase = 0; phase < 4; ++phase) {
    for (long i = 0; phase == me && i < 40000; ++i) table[i % 512] += i;
    pthread_barrier_wait(&all);
  }
  return 0;
}
int main(void) {
  pthread_t t[4];
  pthread_barrier_init(&all, 0, 4);
  for (long i = 0; i < 4; ++i) pthread_create(&t[i], 0, work, (void *)i);
  for (int i = 0; i < 4; ++i) pthread_join(t[i], 0);
}"""),
    "OpenMP": ("", ["-fopenmp"], """
#include <omp.h>
static volatile long table[512];
int main(void) {
  for (int round = 0; round < 3; ++round) {
    #pragma omp parallel num_threads(4)
    {
      if (omp_get_thread_num() == 0) for (long i = 0; i < 40000; ++i) table[i % 512] += i;
      #pragma omp barrier
      if (omp_get_thread_num() == 1) for (long i = 0; i < 40000; ++i) table[i % 512] += i;
    }
    for (long i = 0; i < 40000; ++i) table[i % 512] += i;
  }
}"""),
    "shared mapping": ("false sharing", [], """
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  volatile long *both = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const int me = fork() == 0;
  for (long i = 0; i < 40000; ++i) both[me] += i;
  if (!me) wait(0);
}"""),
}
MEETINGS["memory of its own"] = ("", [], MEETINGS["shared mapping"][2].replace("MAP_SHARED", "MAP_PRIVATE"))
WRAPPED = ("pthread_create", "pthread_join", "pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock",
           "malloc", "calloc", "realloc", "free")


def compile_with(folder, source, name, flags=(), static=False):
    run = lambda *words: subprocess.run(words, check=True, cwd=folder)
    run("cc", "-g", "-O1", "-fsanitize=thread", "-fno-ipa-reference-addressable", f"-I{PROGRAMS}", *flags, "-c", str(source), "-o", f"{name}.o")
    runtime = "recorder_static.o" if static else "recorder.o"
    wrap = [f"-Wl,--wrap={f}" for f in WRAPPED] + ["-static"] if static else []
    run("cc", f"{name}.o", runtime, "-o", name, "-ldl", "-pthread", *wrap, *[f for f in flags if f == "-fopenmp"])


def record(lento, folder, name, full, machine=()):
    words = [lento, "memory", "record", "-o", "run.access", "--json", *machine, *(["--full"] if full else []), "--", f"./{name}"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout.startswith("{") else {"outcome": done.stderr.strip(), "findings": []}


def main():
    short = "--short" in sys.argv
    arguments = [a for a in sys.argv[2:] if a != "--short"]
    programs, fresh = PROGRAMS, "--programs" in arguments
    if fresh:
        at = arguments.index("--programs")
        programs = pathlib.Path(arguments[at + 1]).resolve()
        del arguments[at:at + 2]
    results = arguments
    lento = str(pathlib.Path(sys.argv[1]).resolve())
    if not shutil.which("cc"):
        print("no C compiler")
        return 77
    rows, wrong = [], 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([lento, "memory", "record", "--runtime", "recorder.c"], cwd=folder, check=True)
        subprocess.run(["cc", "-O2", "-c", "recorder.c"], cwd=folder, check=True)
        subprocess.run(["cc", "-O2", "-DLENTO_STATIC", "-c", "recorder.c", "-o", "recorder_static.o"], cwd=folder,
                       check=True)
        for source in sorted(programs.glob("*.c")):
            text = source.read_text()
            cause, variable = re.search(r"expect: ([a-z |]+), (\w+(?: \w+)?)", text).groups()
            machine = [word for option, value in re.findall(r"^ \* (nodes|bandwidth): ([\d.]+)", text, re.M)
                       for word in (f"--{option}", value)]
            for fixed in (False, True):
                compile_with(folder, source, "program", ["-DFIXED"] if fixed else [])
                for full in (False,) if short else (False, True):
                    d = record(lento, folder, "program", full, machine)
                    first = d["findings"][0] if d["findings"] else {"category": "", "subject": ""}
                    right = (not d["findings"] and d["outcome"] in ("healthy", "cannot judge")) if fixed else (
                        first["category"] in cause.split("|") and variable in first["subject"])
                    wrong += not right
                    rows.append([source.stem, "fixed" if fixed else "as it is", "full" if full else "bursts",
                                 d["outcome"], first["category"], first["subject"], first.get("factor", ""),
                                 int(right)])
        for name, head in ({} if fresh else ENDINGS).items():
            path = pathlib.Path(folder) / f"{name}.c"
            path.write_text(head + BODY)
            for static in (False, True):
                compile_with(folder, path, "program", static=static)
                d = record(lento, folder, "program", True)
                right = bool(d["findings"]) and d["findings"][0]["category"] == "false sharing"
                wrong += not right
                rows.append([f"ends by {name}", "static" if static else "dynamic", "full", d["outcome"],
                             d["findings"][0]["category"] if d["findings"] else "",
                             d["findings"][0]["subject"] if d["findings"] else "", "", int(right)])
        for name, (cause, flags, text) in ({} if fresh else MEETINGS).items():
            path = pathlib.Path(folder) / "meeting.c"
            path.write_text(text)
            compile_with(folder, path, "program", flags)
            for full in (False, True):
                d = record(lento, folder, "program", full)
                first = d["findings"][0] if d["findings"] else {"category": "", "subject": ""}
                right = d["outcome"] in ("healthy", "findings") and first["category"] == cause
                wrong += not right
                rows.append([name, "as it is", "full" if full else "bursts", d["outcome"], first["category"],
                             first["subject"], first.get("factor", ""), int(right)])
    out = csv.writer(open(results[0], "w") if results else sys.stdout)
    out.writerow(["program", "variant", "recording", "outcome", "cause", "subject", "predicted_gain", "right"])
    out.writerows(rows)
    print(f"{len(rows) - wrong} of {len(rows)} right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
