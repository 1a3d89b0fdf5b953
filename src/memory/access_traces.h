// Opens access traces of any kind as one, for the commands of the memory module.
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

// Refuses inputs that cannot be read twice, such as a pipe: a diagnosis makes several passes, and `auto`
// reads the beginning first.
void require_files(const std::vector<std::string>& paths, const std::string& why);

// Opens several traces merged by time. Their facts go to `facts` while they are read, unless it is null.
// `facts` and `report` must outlive the source.
std::unique_ptr<AccessSource>
open_access_traces(const AccessTraces& traces, base::ReadReport& report, program::TraceFacts* facts);

// Refuses a trace of which no record could be read, because it is no trace of the named format.
void require_records(const AccessTraces& traces, const base::ReadReport& report);

}  // namespace lento::memory
