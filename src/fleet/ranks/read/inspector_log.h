// Reads logs of NCCL's and RCCL's Inspector: one JSON object a line (docs/formats/nccl-inspector.md).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/read_report.h"
#include "fleet/ranks/read/collective_record.h"

namespace lento::fleet::ranks {

// Collects the lines of any number of files, in any order. All lines of one process on one host form a rank,
// also when they come from several files.
class InspectorLines {
 public:
  explicit InspectorLines(base::ReadReport& report)
      : report_(report) {
  }

  void add(std::string_view line, const base::Location& where);
  // Returns and removes the collected records, each rank's by time, with ranks in the order of host name and
  // process id. The collector keeps the communicators for later lines.
  std::vector<RankTrace> take();
  size_t records() const {
    return records_;
  }

 private:
  struct Rank {
    RankTrace trace;
    std::unordered_map<std::string, int32_t> communicators;  // by id
    uint64_t untimed = 0;
  };
  Rank& rank_of(std::string_view metadata, const base::Location& where);
  int32_t communicator_of(Rank& rank, std::string_view header);
  void drop_repeated(RankTrace& trace);

  base::ReadReport& report_;
  std::map<std::pair<std::string, int64_t>, Rank> ranks_;
  size_t records_ = 0;
};

// Reads a whole file into the collector. A last line that is cut off is skipped and counted.
void read_inspector_log(const std::string& path, InspectorLines& lines);

}  // namespace lento::fleet::ranks
