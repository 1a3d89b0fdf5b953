// Fits unpublished constants of a sheet by coordinate descent, each half of the families judged with the
// constants of the other.
#include "lab/fabric/fit.h"

#include <algorithm>
#include <cmath>

#include "chip/fabric/play.h"

namespace lento::chip {
namespace {

using spec::FabricSheet;

// Number of constants that no publication gives. The others of a sheet remain.
constexpr int kFree = 6;
double& constant(FabricSheet& s, int which) {
  double* const all[kFree] = {
      &s.link.packet_cycles,
      &s.core_memory.read_cycles,
      &s.core_memory.bytes_per_cycle,
      &s.dram.read_cycles,
      &s.port.bytes_per_cycle,
      &s.link.buffer_bytes};
  return *all[which];
}

double predicted(const FabricSheet& sheet, const NamedTrace& trace, bool stamps) {
  PlayOptions options;
  if (stamps)
    options.issue = Issue::Stamps;
  return play(Fabric(sheet), trace.trace, options).end;
}

// Returns the mean error with a little of its square, so that one trace far off counts more than many near
// ones.
double loss(const FabricSheet& sheet, const std::vector<const NamedTrace*>& traces) {
  double sum = 0;
  for (const NamedTrace* each : traces) {
    const double e = std::abs(predicted(sheet, *each, false) / each->measured - 1);
    sum += e + 2 * e * e;
  }
  return sum / double(traces.size());
}

double mean_error(const FabricSheet& sheet, const std::vector<const NamedTrace*>& traces) {
  double sum = 0;
  for (const NamedTrace* each : traces)
    sum += std::abs(predicted(sheet, *each, false) / each->measured - 1);
  return sum / double(traces.size());
}

// Changes a constant in one direction as long as the loss decreases.
void follow(
    FabricSheet& best,
    double& least,
    int which,
    double step,
    const std::vector<const NamedTrace*>& traces) {
  while (true) {
    FabricSheet next = best;
    constant(next, which) *= 1 + step;
    const double value = loss(next, traces);
    if (value > least - 1e-5)
      return;
    least = value;
    best = std::move(next);
  }
}

FabricSheet descend(FabricSheet best, const std::vector<const NamedTrace*>& traces) {
  double least = loss(best, traces);
  for (double step = 0.16; step > 0.009; step /= 2) {
    for (int which = 0; which < kFree; ++which) {
      follow(best, least, which, step, traces);
      follow(best, least, which, -step, traces);
    }
  }
  return best;
}

}  // namespace

std::string family_of(const std::string& name) {
  const size_t to = name.find("_TO_");
  if (to == std::string::npos)
    return name;
  const std::string from = name.substr(0, to);
  if (from == "DRAM")
    return "DRAM_TO_" + name.substr(name.rfind('_') + 1);
  return from;
}

FabricFit fit_fabric(const FabricSheet& sheet, const std::vector<NamedTrace>& traces, bool refit) {
  std::vector<std::string> families;
  for (const NamedTrace& each : traces)
    families.push_back(each.family);
  std::ranges::sort(families);
  families.erase(std::unique(families.begin(), families.end()), families.end());
  std::vector<const NamedTrace*> half[2];
  const auto side = [&](const NamedTrace& each) {
    return (std::ranges::find(families, each.family) - families.begin()) % 2;
  };
  for (const NamedTrace& each : traces)
    half[side(each)].push_back(&each);
  FabricFit out;
  for (int h = 0; h < 2; ++h) {
    out.halves[h] = refit && !half[h].empty() ? descend(sheet, half[h]) : sheet;
    if (half[0].empty() || half[1].empty())
      continue;
    out.fitted[h] = mean_error(out.halves[h], half[h]);
    out.held_out[h] = mean_error(out.halves[h], half[1 - h]);
  }
  for (const NamedTrace& each : traces) {
    TimeError error{each.name, each.family, each.measured};
    error.predicted = predicted(sheet, each, false);
    error.with_stamps = predicted(sheet, each, true);
    error.held_out = predicted(out.halves[1 - side(each)], each, false);
    out.errors.push_back(error);
  }
  return out;
}

}  // namespace lento::chip
