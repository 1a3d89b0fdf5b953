#include "jobs/memory_gain.h"

#include <algorithm>
#include <array>

namespace lento::jobs {
namespace {

// The usual machine first.
constexpr std::array<memory::CoreModel, 3> kMachines = {{{4, 60}, {4, 30}, {4, 120}}};

}  // namespace

GainPredictor::GainPredictor(const memory::Recording& recording, uint32_t line_bytes)
    : recording_(recording),
      line_bytes_(line_bytes) {
  for (const memory::CoreModel& machine : kMachines)
    before_.push_back(cycles(machine, {}));
}

uint64_t GainPredictor::cycles(const memory::CoreModel& model, const std::vector<memory::Relayout>& layout)
    const {
  return memory::replay_recording(recording_, line_bytes_, layout, nullptr, {}, model).cycles;
}

std::optional<Gain> GainPredictor::of(const memory::FoundObject& object) const {
  using Kind = memory::Relayout::Kind;
  const bool pad = object.cause == "false sharing";
  memory::Relayout moved{pad ? Kind::Pad : Kind::Private, object.low, object.high, nullptr};
  if (pad)
    moved.users = memory::main_users(recording_, object.low, object.high);
  const std::vector<memory::Relayout> layout = {moved};
  std::vector<double> factors;
  for (size_t m = 0; m < kMachines.size(); ++m) {
    const uint64_t after = cycles(kMachines[m], layout);
    if (after == 0)
      return {};
    factors.push_back(double(before_[m]) / double(after));
  }
  return Gain{factors[0], std::ranges::min(factors), std::ranges::max(factors)};
}

}  // namespace lento::jobs
