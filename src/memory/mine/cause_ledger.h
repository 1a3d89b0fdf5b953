// The account of one search for causes: the results of the passes, the losses that no finding explains yet,
// and the findings. Every finding subtracts its cycles from the loss, so that no cycle appears in two.
#pragma once

#include <string>
#include <vector>

#include "memory/mine/contention_causes.h"

namespace lento::memory {

struct CauseLedger {
  const PassResults& passes;
  const ContentionNames& names;
  const ContentionOptions& options;
  double time = 0;
  Losses left = {};
  std::vector<BlockKey> taken = {};  // blocks whose losses are explained
  Causes out = {};

  bool matters(uint64_t cycles) const {
    return double(cycles) >= options.least_loss * time && cycles > 0;
  }

  // Starts a finding and subtracts its cycles, at most those that are not explained yet, from the loss.
  finding::Finding start(Cause cause, std::string subject, Loss loss, uint64_t cycles);
};

// Adds the findings and notes on objects whose lines several CPUs share, and takes their blocks.
void add_shared_causes(CauseLedger& ledger);

}  // namespace lento::memory
