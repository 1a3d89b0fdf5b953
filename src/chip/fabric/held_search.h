// Finds the classes that explain the recorded waits as held up: each of their transfers takes a factor of its
// modelled time, whatever the rest of the traffic does (Effect::Holds).
//
// On the recorded time line, transfers that a slow component shifted meet traffic that they never met. On the
// modelled one with the recorded gaps, the model's errors add up from wait to wait. The likelihood of the
// same recorded tails decides which is nearer. refine() makes a third: the stamps with the waits that a
// candidate explains put back. Cost: a class, a factor and a spread are one fit of the waits that its
// transfers are part of.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chip/fabric/candidates.h"
#include "chip/fabric/hypothesis.h"
#include "chip/fabric/timeline.h"

namespace lento::chip {

class HeldSearch {
 public:
  // The arguments must outlive it. Results are by class.
  HeldSearch(const Recorded& recorded, const std::vector<CandidateClass>& classes);

  // Replaces hypotheses by more likely ones on this time line. `healthy` is the likelihood of a healthy
  // fabric.
  void search(const Timeline& line, double healthy, std::vector<Hypothesis>& best) const;

  // Tries candidates that explain each processor's first waits, or all, again with those waits put back.
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
