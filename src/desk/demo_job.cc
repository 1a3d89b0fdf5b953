// Simulates the demo's job. The step times of each machine are those of consecutive inferences in one
// simulated run of its accelerator, with the machine's own seed. The faulty machine runs once more with a
// slow link. It is drawn from the links that slow the run by 3 to 25 % in a sweep, which simulates each fault
// of the chip once (chip/sim/sweep.h). Cost: one sweep, and one run a machine.
#include "desk/demo_job.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/rng.h"
#include "chip/map/program.h"
#include "chip/sim/simulate.h"
#include "chip/sim/sweep.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

constexpr uint32_t kInferences = 8;  // inferences of each machine, of which the first only fills the pipeline
constexpr double kLeast = 1.03;
constexpr double kMost = 1.25;

std::string machine_name(int i) {
  const std::string number = std::to_string(i);
  return "machine-" + std::string(4 - number.size(), '0') + number;
}

// Returns the duration of each step in seconds without exchanges between machines: that of
// DemoJob::kPassesPerStep consecutive inferences of one simulated run.
std::vector<double>
step_times(const chip::Model& model, const std::vector<chip::Fault>& faults, uint64_t seed) {
  chip::Options options;
  options.inferences = kInferences;
  options.seed = seed;
  const std::vector<uint64_t> ends = chip::simulate(model, faults, options).inference_end;
  std::vector<double> out;
  for (size_t i = DemoJob::kPassesPerStep; i < ends.size(); ++i)
    out.push_back(double(ends[i] - ends[i - DemoJob::kPassesPerStep]) / model.chip.clock_hz);
  return out;
}

// Draws a link whose fault slows the run by 3 to 25 %, or takes the one with the largest effect.
chip::SweepRow drawn_link(const chip::Sweep& sweep, base::Rng& rng) {
  std::vector<chip::SweepRow> links;
  std::vector<chip::SweepRow> mild;
  for (const chip::SweepRow& row : sweep.rows) {
    if (row.fault.part != chip::Part::Link || !row.fault.exists())
      continue;
    links.push_back(row);
    if (row.slowdown >= kLeast && row.slowdown <= kMost)
      mild.push_back(row);
  }
  if (!mild.empty())
    return mild[rng.below(mild.size())];
  return *std::ranges::max_element(links, [](const auto& a, const auto& b) {
    return a.slowdown < b.slowdown;
  });
}

}  // namespace

DemoJob simulate_demo_job(
    const spec::Chip& chip,
    const chip::Mapping& mapping,
    uint64_t seed,
    unsigned threads,
    const base::Progress& progress) {
  const chip::Program program = chip::expand(mapping, chip, mapping.name);
  const chip::Model model(chip, program);
  DemoJob job;
  chip::Options one;
  one.seed = seed;
  const chip::Sweep sweep = chip::sweep(model, job.factor, one, threads, progress);
  if (!sweep.complete)
    return job;
  base::Rng rng(seed, "cli.demo");
  const chip::SweepRow row = drawn_link(sweep, rng);
  const auto faulty = int(rng.below(DemoJob::kMachines));
  job.steps.seed = seed;
  job.steps.machines.resize(DemoJob::kMachines);
  base::parallel_for(DemoJob::kMachines, threads, [&](size_t i) {
    if (progress.stopped())
      return;
    fleet::StepMachine& machine = job.steps.machines[i];
    machine.name = machine_name(int(i));
    machine.compute_s = step_times(model, {}, base::mix64(seed + i));
    if (int(i) == faulty)
      machine.compute_after_s = step_times(model, {row.fault}, base::mix64(seed + i));
    if (i % 8 == 0)
      progress("machines", double(i), DemoJob::kMachines);
  });
  if (progress.stopped())
    return job;
  const fleet::StepMachine& slow = job.steps.machines[size_t(faulty)];
  job.machine = slow.name;
  job.link = row.fault.name;
  job.slowdown = evidence::mean(slow.compute_after_s) / evidence::mean(slow.compute_s);
  return job;
}

}  // namespace lento::desk
