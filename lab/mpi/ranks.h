// The ranks of a campaign over MPI.
#pragma once

#include "campaign/ranks.h"

namespace lento::lab {

class MpiRanks : public campaign::Ranks {
 public:
  campaign::World world() override;
  void send_report(const campaign::Report& report) override;
  uint64_t receive_run() override;
  bool poll_report(campaign::Report& report) override;
  void send_run(int rank, uint64_t run) override;
};

}  // namespace lento::lab
