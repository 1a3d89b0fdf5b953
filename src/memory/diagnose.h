// Interface of the memory module: access traces of any kind in, a verdict on contention out.
//
// Outcomes: findings, healthy, cannot judge (one CPU only, no latencies, too few samples, mostly unreadable).
// Throws base::Error for mistakes: nothing could be read, nothing passes the filter, a program that names
// none of the trace's code, a checkpoint of another trace.
#pragma once

#include <string>
#include <vector>

#include "finding/finding.h"
#include "memory/access_traces.h"
#include "memory/mine/contention.h"

namespace lento::memory {

struct MemoryDiagnosisOptions {
  AccessTraces traces;
  std::vector<std::string> before;     // traces of an earlier run, to report changes
  std::vector<std::string> programs;   // ELF files, "file" or "file@0xLOADADDRESS"
  std::vector<std::string> maps;       // /proc/PID/maps of the traced process
  std::vector<std::string> perf_maps;  // perf-PID.map: code made at run time
  std::string platform;                // YAML: predict the gain of fixes on it; empty: no prediction
  std::string checkpoint;              // file for the state of the first pass; empty: none
  bool strict = false;
  ContentionOptions mine;  // options of the contention detector, with progress and seed
};

struct MemoryDiagnosis {
  finding::Diagnosis diagnosis;
  std::vector<FoundObject> objects;  // that findings name
  std::string folded;                // "victim;culprit;cause cycles" lines for flame graphs
};

MemoryDiagnosis diagnose_memory(const MemoryDiagnosisOptions& options);

// Returns whether the file holds counters or accesses of GPU kernels (gpu/kernel_memory.h), by its beginning.
bool is_gpu_memory(const std::string& path);

// Parses "0-3,7". `place` is the name of the option in errors.
CpuSet parse_cpus(const std::string& text, const std::string& place);

}  // namespace lento::memory
