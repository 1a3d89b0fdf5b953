// `lento memory record`: runs a program that was built with the recorder's runtime, replays its recording in
// virtual time, and reports which data is contended and what another layout would gain.
#pragma once

#include <string>
#include <vector>

#include "memory/diagnose.h"

namespace lento::memory {

struct MemoryRecordingOptions {
  std::vector<std::string> command;      // program and arguments
  std::string output;                    // the access trace
  uint64_t bytes = uint64_t{256} << 20;  // of the recording, before it is packed
  // Bursts of recording. off 0: every access is recorded.
  uint64_t burst_on_us = 1000;
  uint64_t burst_off_us = 19000;
  uint32_t line_bytes = 0;  // 0: of this machine
  unsigned nodes = 1;       // NUMA nodes on which the threads are replayed
  unsigned repeat = 1;      // recordings whose verdicts are combined (repeat.h); the last one's trace is kept
  std::string platform;     // file or shipped sheet; empty: the usual machine (core_platform.h)
  double bandwidth = 0;     // bytes per cycle of a node's memory; 0: the platform's
  bool output_to_stderr = false;  // sends the program's standard output there
  ContentionOptions mine;
};

struct MemoryRecording {
  finding::Diagnosis diagnosis;
  int exit_code = 0;  // of the program; 128 + signal when one ended it
};

// Throws base::Error when the program cannot be started or recorded nothing.
MemoryRecording record_memory(const MemoryRecordingOptions& options);

// Returns the runtime as one C file that is compiled and linked with the program.
std::string recorder_runtime();

}  // namespace lento::memory
