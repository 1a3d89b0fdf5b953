// Removes the prefixes that launchers, containers, system loggers and logging libraries put before a line,
// and keeps the rank, host, device and time that they state.
//
//   line   = {colour} {layer} text
//   layer  = "[rank3]:" | "[rank3] " | "[default3]:" (torchrun: rank, local rank) | "3: " (srun --label)
//          | "[1,3]<stdout>:" (mpirun --tag-output)
//          | 2026-10-02T11:08:25.123456789Z ["stdout F"] (containers) | "Oct  2 11:08:25 node17 kernel:"
//          (syslog) | 2026-10-02T11:08:25.123+00:00 node17 kernel: (RFC 5424 time, journalctl -o short-iso)
//          | "[2026-10-02 11:08:25]" | 2026-10-02 11:08:25,123 [" - root - INFO - "] (Python logging)
//          | "10/02/2026 11:08:25 " | "[10/02 11:08:25 NAME]: " | "2 Oct 11:08:25 " | "Fri Oct  2 11:08:25
//          2026 " | "Oct  2 11:08:25 123456 " (OpenSM) | "[1209341.112233]" (dmesg: seconds since boot) |
//          "[Thu Oct  2 11:08:25 2026]" (dmesg -T) | "E1102 10:14:02.331 file.cc:616]" (glog) |
//          "gpu31:22600:22690 [0] NCCL INFO" (NCCL) | "(APIServer pid=411) " | "INFO 11-20 09:01:10 " (vLLM)
//          | "[tag]" before another layer
//
// Colours (ANSI escape sequences) and a carriage return at the end are dropped wherever they are.
#pragma once

#include <string>
#include <string_view>

#include "desk/read/observation.h"

namespace lento::desk {

struct Peeled {
  std::string_view text;
  std::string_view sender;  // program named by a system log; "kernel" for dmesg
  Subject subject;
  Moment time;
};

// The prefixes that are removed. A log line loses every prefix. A line of a table loses only the labels of
// launchers and containers, because its times are data.
enum class Depth {
  Log,
  Table
};

// Removes the prefixes. `line` and `buffer` must outlive the result. `buffer` is used when a line contains
// colours. `as_table` receives the line as a row of a table.
Peeled peel(std::string_view line, Depth depth, std::string& buffer, Peeled* as_table = nullptr);

}  // namespace lento::desk
