// Finds the classes whose slowness explains the recorded waits: each of their transfers takes a factor of its
// modelled time, and other traffic is unchanged (Effect::Holds).
//
// Neither the recorded time line nor the modelled one is exact. On the recorded one, delayed transfers meet
// traffic that they would not have met on a healthy fabric. On the modelled one, errors of the model add up
// from wait to wait. The likelihood of the recorded tails decides between them. refine() adds a third time
// line: the recorded one with the delayed waits moved to their healthy ends, the ends that the simulation
// with its correction (ends.h) predicts for a healthy fabric. Cost: one fit of the waits of a class for each
// class, factor and spread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chip/fabric/candidates.h"
#include "chip/fabric/hypothesis.h"
#include "chip/fabric/timeline.h"

namespace lento::chip {

class SlowedSearch {
 public:
  // The arguments must outlive the search. Results are indexed by class.
  SlowedSearch(const Recorded& recorded, const std::vector<CandidateClass>& classes);

  // Replaces each hypothesis in `best` by the one with the most evidence on this time line, where it has more
  // evidence. `healthy` is the log-likelihood of a healthy fabric.
  void search(const Timeline& line, double healthy, std::vector<Hypothesis>& best) const;

  // Searches again after moving the waits that a candidate explains to their healthy ends.
  void refine(const Timeline& stamped, std::vector<Hypothesis>& best) const;

 private:
  void try_class(const CandidateClass& candidate, const Timeline& line, double healthy, Hypothesis& best)
      const;
  void try_members(size_t index, const Timeline& line, double healthy, Hypothesis& best) const;
  void put_back(size_t index, const std::vector<double>& healthy, Hypothesis& best) const;
  std::optional<TransferTrace> restore(const Timeline& line, const EndsFit& fit) const;

  const Recorded& recorded_;
  const std::vector<CandidateClass>& classes_;
  std::map<std::vector<std::string>, size_t> by_members_;
};

}  // namespace lento::chip
