// Writes summaries of kernels, and collects single calls into summaries.
#include "desk/bench/kernels.h"

#include <algorithm>
#include <cmath>

#include "evidence/sample.h"

namespace lento::desk {
namespace {

constexpr const char* kKernelAdvice =
    "look at clocks, temperature and throttling of that GPU while the job runs (nvidia-smi -q -d "
    "PERFORMANCE), and "
    "compare the shapes that its rank computes";

// Returns whether a kernel belongs to a collective. NCCL and RCCL name their kernels nccl..., and libraries
// built on them keep that prefix.
bool is_collective(std::string_view name) {
  return name.find("ncclDev") != name.npos || name.find("ncclKernel") != name.npos ||
         name.find("rcclKernel") != name.npos || name.find("ncclSymk") != name.npos;
}

// Cuts the name of a kernel at 120 characters, and that of a collective at its arguments.
std::string short_name(std::string_view name) {
  constexpr size_t kLongest = 120;
  if (name.starts_with("void "))
    name.remove_prefix(5);
  const size_t end = is_collective(name) ? name.find_first_of("(<") : name.npos;
  return std::string(name.substr(0, std::min(end, kLongest)));
}

void add_time(Run& run, const char* name, const char* unit, const std::optional<double>& value) {
  if (value && std::isfinite(*value) && *value >= 0)
    run.measured.emplace_back(Quantity{name, unit, Kind::Level, Better::Lower}, *value);
}

}  // namespace

void write_kernel(const KernelTimes& times, Sink& sink) {
  Run run;
  run.kind = "kernel summary";
  run.facts = {{"kernel", short_name(times.name)}, {"collective", is_collective(times.name) ? "yes" : "no"}};
  add_time(run, "calls", "", times.calls);
  add_time(run, "total", "s", times.total_s);
  add_time(run, "mean", "s", times.mean_s);
  add_time(run, "median", "s", times.median_s);
  add_time(run, "longest", "s", times.longest_s);
  sink.run(std::move(run));
  // A kernel that computes takes as long on all ranks. A collective waits for others.
  if (times.mean_s && *times.mean_s > 0 && !is_collective(times.name))
    sink.state(
        {"mean time of " + short_name(times.name),
         "s",
         Kind::Level,
         Better::Lower,
         "kernels",
         Scope::Own,
         kKernelAdvice},
        *times.mean_s,
        {});
}

// Adds a call of a kernel with its duration in seconds.
void KernelCalls::add(const std::string& name, double seconds) {
  if (!std::isfinite(seconds) || seconds < 0)
    return;
  auto at = kernels_.find(name);
  if (at == kernels_.end()) {
    if (kernels_.size() == kKernels)
      return;
    at = kernels_.try_emplace(name).first;
  }
  Calls& calls = at->second;
  calls.total += seconds;
  calls.longest = std::max(calls.longest, seconds);
  if (calls.seen++ % calls.stride != 0)
    return;
  if (calls.kept.size() == kCalls) {
    for (size_t i = 0; 2 * i < kCalls; ++i)
      calls.kept[i] = calls.kept[2 * i];
    calls.kept.resize(kCalls / 2);
    calls.stride *= 2;
  }
  calls.kept.push_back(seconds);
}

void KernelCalls::write(Sink& sink) const {
  for (const auto& [name, calls] : kernels_)
    write_kernel(
        {name,
         double(calls.seen),
         calls.total,
         calls.total / double(calls.seen),
         evidence::median(calls.kept),
         calls.longest},
        sink);
}

}  // namespace lento::desk
