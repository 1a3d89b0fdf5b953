// The processes of one campaign, and what they send each other. Rank 0 serves: a worker asks by sending its
// last result (the first time none), rank 0 answers with the next run or kNone. Who carries the messages is
// not known here: the program that is started by mpirun brings an implementation.
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

  // Worker side.
  virtual void send_report(const Report& report) = 0;
  virtual uint64_t receive_run() = 0;

  // Rank 0 side. poll_report returns false when none is waiting.
  virtual bool poll_report(Report& report) = 0;
  virtual void send_run(int rank, uint64_t run) = 0;
};

}  // namespace lento::campaign
