// Opens access traces of any format as one source, for the commands of the memory module.
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
  std::string format = "auto";  // "auto" (by content), "text" or a foreign format (read/foreign.h)
  std::string columns;          // of the format "paper"; empty: its default
};

// Throws base::Error for an input that cannot be read twice, such as a pipe: a diagnosis makes several
// passes, and `auto` reads the beginning first.
void require_files(const std::vector<std::string>& paths, const std::string& why);

// Opens several traces merged by time. Names and mappings of the traced programs are added to `facts` while
// the traces are read, unless it is null. `facts` and `report` must outlive the source.
std::unique_ptr<AccessSource>
open_access_traces(const AccessTraces& traces, base::ReadReport& report, program::TraceFacts* facts);

// Throws base::Error when every record was skipped, because the trace is then not of the named format.
void require_records(const AccessTraces& traces, const base::ReadReport& report);

}  // namespace lento::memory
