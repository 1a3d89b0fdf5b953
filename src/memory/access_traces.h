// Access traces of any kind as one, for the jobs of the house of memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/read_report.h"
#include "finding/finding.h"
#include "memory/read/access_record.h"
#include "program/address_space.h"

namespace lento::memory {

struct AccessTraces {
  std::vector<std::string> paths;
  std::string format = "auto";  // "auto" (by content), "text" or a foreign format (trace/foreign.h)
  std::string columns;          // of paper text; empty: the default
};

// Refuses what cannot be read a second time, such as a pipe: a diagnosis makes several passes, and `auto`
// looks at the beginning first.
void require_files(const std::vector<std::string>& paths, const std::string& why);

// Several traces are merged by time. What they tell as a whole goes to `facts` while they are read; null:
// nobody asks. `facts` and `report` outlive the source.
std::unique_ptr<AccessSource>
open_access_traces(const AccessTraces& traces, base::ReadReport& report, program::TraceFacts* facts);

// Refuses a trace of which nothing could be read: whatever was handed over, it was no trace of that format.
void require_records(const AccessTraces& traces, const base::ReadReport& report);

}  // namespace lento::memory
