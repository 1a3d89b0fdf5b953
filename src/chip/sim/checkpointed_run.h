// Simulates one chip, program and noise under one set of faults after another. The healthy run is simulated
// once, and checkpoints (its state at several times) are kept. A run with faults continues from the last
// checkpoint before its first fault begins, and is the same, record by record, as if simulated from the
// start.
//
//   const CheckpointedRun<Sketch> checkpointed(model, options, sketch,
//   affordable_checkpoints(sketch.bytes()));
//   Sketch healthy = checkpointed.healthy(), slow = checkpointed.run({fault}, options.max_cycles);
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "chip/sim/machine.h"

namespace lento::chip {

// Returns how many checkpoints to keep of a run whose recording takes this many bytes: at most 16, and 16 MiB
// of recordings.
inline size_t affordable_checkpoints(uint64_t recording_bytes) {
  constexpr uint64_t kMost = 16;
  constexpr uint64_t kBytes = 16 << 20;
  return std::min(kMost, kBytes / std::max<uint64_t>(recording_bytes, 1));
}

// `Recording` is a RecordSink that can be copied and whose answers depend only on the records it was given.
// Many threads may call run() at once. Memory: a recording and the state of the chip for each checkpoint.
template <class Recording>
class CheckpointedRun {
 public:
  // `model` must outlive the object. `fresh` is a recording without records.
  CheckpointedRun(const Model& model, const Options& options, const Recording& fresh, size_t most_checkpoints)
      : model_(model),
        options_(options),
        fresh_(fresh),
        healthy_(fresh),
        most_(most_checkpoints) {
    Machine machine(model_, {}, options_, &healthy_);
    uint64_t until = most_ > 0 ? interval_ : options_.max_cycles;
    while (machine.run_until(std::min(until, options_.max_cycles)) && until < options_.max_cycles &&
           !stopped()) {
      remember(machine, until);
      until += interval_;
    }
  }

  const Recording& healthy() const {
    return healthy_;
  }

  // Simulates the run with these faults, from the last checkpoint before the first of them.
  Recording run(const std::vector<Fault>& faults, uint64_t max_cycles) const {
    uint64_t begin = max_cycles;
    for (const Fault& f : faults)
      begin = std::min(begin, f.begin);
    const auto after = std::partition_point(checkpoints_.begin(), checkpoints_.end(), [&](const auto& m) {
      return m->cycles < begin;
    });
    if (after == checkpoints_.begin()) {
      Recording out = fresh_;
      Machine(model_, faults, options_, &out).run_until(max_cycles);
      return out;
    }
    const Checkpoint& from = **std::prev(after);
    Recording out = from.recording;
    Machine(from.machine, faults, &out).run_until(max_cycles);
    return out;
  }

 private:
  struct Checkpoint {
    uint64_t cycles;  // all events up to this cycle are done
    Machine machine;
    Recording recording;
  };

  bool stopped() const {
    return options_.stop && options_.stop();
  }

  // Keeps a checkpoint. The length of the run is not given in advance, so when the list is full every other
  // checkpoint is dropped.
  void remember(const Machine& machine, uint64_t cycles) {
    checkpoints_.emplace_back(new Checkpoint{cycles, Machine(machine, {}, nullptr), healthy_});
    if (checkpoints_.size() < most_)
      return;
    for (size_t i = 0; 2 * i + 1 < checkpoints_.size(); ++i)
      checkpoints_[i] = std::move(checkpoints_[2 * i + 1]);
    checkpoints_.resize(checkpoints_.size() / 2);
    interval_ *= 2;
  }

  const Model& model_;
  const Options options_;
  const Recording fresh_;
  Recording healthy_;
  size_t most_;
  uint64_t interval_ = 1 << 16;  // cycles between checkpoints
  std::vector<std::unique_ptr<const Checkpoint>> checkpoints_;
};

}  // namespace lento::chip
