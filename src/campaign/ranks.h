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
  uint64_t run = kNone;  // kNone: this rank has done no run yet
  bool failed = false;   // `text` is what went wrong
  std::string text;
};

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual World world() = 0;

  // A worker rank calls the next two functions.
  virtual void send_report(const Report& report) = 0;
  virtual uint64_t receive_run() = 0;

  // Rank 0 calls the next two functions. poll_report returns false when no report has arrived.
  virtual bool poll_report(Report& report) = 0;
  virtual void send_run(int rank, uint64_t run) = 0;
};

}  // namespace lento::campaign
