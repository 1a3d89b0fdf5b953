// Predicts the gain of a fix by replaying the recording with the object's data moved, on the machine as it is
// and on two whose transfers, memory and page tables take less and more time. Their spread shows how much the
// prediction depends on the machine. Cost: one replay per machine.
#include "memory/gain.h"

#include <algorithm>
#include <array>

namespace lento::memory {
namespace {

// Returns the machine with its times multiplied by two factors. Transfer times differ most among machines:
// within a die and between sockets.
CoreModel scaled(CoreModel model, double transfers, double memory) {
  const auto scale = [](uint64_t& cycles, double factor) {
    cycles = uint64_t(double(cycles) * factor + 0.5);
  };
  scale(model.transfer, transfers);
  for (uint64_t* cycles : {&model.third_hit, &model.memory, &model.remote_memory, &model.walk})
    scale(*cycles, memory);
  return model;
}

}  // namespace

GainPredictor::GainPredictor(const Recording& recording, uint32_t line_bytes, const CoreModel& machine)
    : recording_(recording),
      line_bytes_(line_bytes),
      machines_{machine, scaled(machine, 0.5, 0.8), scaled(machine, 2, 1.25)} {
}

VirtualRun GainPredictor::run(CoreModel model, const std::vector<Relayout>& layout, bool polls) const {
  model.polls = polls;
  return replay_recording(recording_, line_bytes_, layout, nullptr, {}, model);
}

std::optional<Gain> GainPredictor::of(const FoundObject& object, Relayout::Kind kind, bool polls) {
  std::vector<VirtualRun>& before = before_[polls];
  for (size_t m = before.size(); m < machines_.size(); ++m)
    before.push_back(run(machines_[m], {}, polls));
  Relayout moved{kind, object.low, object.high, nullptr};
  if (kind == Relayout::Kind::Pad)
    moved.users = main_users(recording_, object.low, object.high);
  const std::vector<Relayout> layout = {moved};
  std::vector<double> factors;
  for (size_t m = 0; m < machines_.size(); ++m) {
    const VirtualRun after = run(machines_[m], layout, polls);
    if (after.cycles == 0)
      return {};
    const bool by_thread = kind == Relayout::Kind::Local;
    factors.push_back(
        by_thread ? double(before[m].worked) / double(after.worked)
                  : double(before[m].cycles) / double(after.cycles));
  }
  return Gain{factors[0], std::ranges::min(factors), std::ranges::max(factors)};
}

}  // namespace lento::memory
