// Predicts the gain of a fix by replaying the recording with the object's data moved, on three machines whose
// transfer between cores takes 60, 30 and 120 cycles. Their spread shows how much the prediction depends on
// the machine. Cost: one replay a machine.
#include "memory/gain.h"

#include <algorithm>
#include <array>

namespace lento::memory {
namespace {

// The usual machine comes first.
constexpr std::array<CoreModel, 3> kMachines = {{{4, 60}, {4, 30}, {4, 120}}};

}  // namespace

GainPredictor::GainPredictor(const Recording& recording, uint32_t line_bytes)
    : recording_(recording),
      line_bytes_(line_bytes) {
  for (const CoreModel& machine : kMachines)
    before_.push_back(cycles(machine, {}));
}

uint64_t GainPredictor::cycles(const CoreModel& model, const std::vector<Relayout>& layout) const {
  return replay_recording(recording_, line_bytes_, layout, nullptr, {}, model).cycles;
}

std::optional<Gain> GainPredictor::of(const FoundObject& object, Relayout::Kind kind) const {
  Relayout moved{kind, object.low, object.high, nullptr};
  if (kind == Relayout::Kind::Pad)
    moved.users = main_users(recording_, object.low, object.high);
  const std::vector<Relayout> layout = {moved};
  std::vector<double> factors;
  for (size_t m = 0; m < kMachines.size(); ++m) {
    const uint64_t after = cycles(kMachines[m], layout);
    if (after == 0)
      return {};
    factors.push_back(double(before_[m]) / double(after));
  }
  return Gain{factors[0], std::ranges::min(factors), std::ranges::max(factors)};
}

}  // namespace lento::memory
