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

// Collects lines of any number of files, in any order. A rank is a process on a host, in whatever files its
// lines are.
class InspectorLines {
 public:
  explicit InspectorLines(base::ReadReport& report)
      : report_(report) {
  }

  void add(std::string_view line, const base::Location& where);
  // Returns everything collected, each rank's records by time. The collector is empty afterwards but keeps
  // its communicators. Ranks are in order of host name and process id.
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
