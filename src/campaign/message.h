// What ranks send each other, over MPI. Rank 0 serves: a worker asks by sending its last result (the first
// time none), rank 0 answers with the next run or kNone. Internal to campaign.
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

// Worker side.
void send_report(const Report& report);
uint64_t receive_run();

// Rank 0 side. poll_report returns false when none is waiting.
bool poll_report(Report& report);
void send_run(int rank, uint64_t run);

}  // namespace lento::campaign
