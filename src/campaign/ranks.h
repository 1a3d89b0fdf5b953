// The messages between the processes of one campaign. A worker rank requests a run by sending its last result
// (the first time none), and rank 0 answers with the next run or kNone. This interface hides the transport:
// the MPI program in lab/mpi implements it.
#pragma once

#include <cstdint>
#include <string>

#include "campaign/campaign.h"

namespace lento::campaign {

inline constexpr uint64_t kNone = UINT64_MAX;

struct Report {
  int rank = 0;
  uint64_t run = kNone;  // kNone: nothing done yet
  bool failed = false;   // `text` is what went wrong
  std::string text;
};

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual World world() = 0;

  // Calls of worker ranks.
  virtual void send_report(const Report& report) = 0;
  virtual uint64_t receive_run() = 0;

  // Calls of rank 0. poll_report returns false when no report is waiting.
  virtual bool poll_report(Report& report) = 0;
  virtual void send_run(int rank, uint64_t run) = 0;
};

}  // namespace lento::campaign
