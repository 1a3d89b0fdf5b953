// Whether a trace supports a verdict on contention, and the verdict's sentence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/read_report.h"
#include "finding/finding.h"
#include "memory/mine/contention.h"
#include "memory/mine/contention_scan.h"

namespace lento::memory {

// Why a trace allows no verdict, and what would.
struct NoVerdict {
  std::string reason;
  std::string remedy;
};

class ContentionVerdict {
 public:
  ContentionVerdict(
      const ContentionOptions& options,
      const program::TraceFacts& facts,
      const Scan& scan,
      const WindowScan& windows);

  // Returns `cycles` as a share of the working time, which shares of lost time refer to: for each working CPU
  // the time from its first to its last access, but at least the sum of its latencies, and for each idle CPU
  // that sum alone. Losses therefore never exceed it. For sampled traces, and where latencies have another
  // unit than time, it is the sum of all recorded latencies.
  double share_of_time(double cycles) const;
  double working_time() const {
    return time_;
  }
  // What the share is of, with a blank before it.
  std::string unit_of_loss() const;

  // `found` is whether there are findings, and `handed_on` are cycles of lines that threads hand on to one
  // another.
  std::optional<NoVerdict> missing(const base::ReadReport& read, bool found, uint64_t handed_on) const;
  // Returns the sentence for the result: the leading finding and the cycles lost to all, or that there is
  // none.
  std::string
  sentence(const std::vector<finding::Finding>& findings, uint64_t found_cycles, uint64_t handed_on) const;
  // Describes the part of the program that the verdict covers. `named` is the share of code addresses that
  // have names.
  std::string covered(const base::ReadReport& read, std::optional<double> named) const;

 private:
  double contended_share() const;
  double unnamed_share() const;
  std::optional<NoVerdict> missing_in_trace(const base::ReadReport& read, bool found) const;

  const ContentionOptions& options_;
  const program::TraceFacts& facts_;
  const Scan& scan_;
  const WindowScan& windows_;
  double time_;
};

}  // namespace lento::memory
