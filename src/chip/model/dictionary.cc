// Expectations come from plain runs under several seeds, derivatives from half as many runs that carry them.
// Variances of one kind of record are alike up to a factor, so the variance of each cell is shrunk towards
// that of its kind, more strongly where the log variances scatter less (Smyth, "Linear models and empirical
// Bayes methods", 2004). Shifts under other settings are taken under common seeds, which cancels most noise,
// and shrunk (James, Stein 1961).
#include "chip/model/dictionary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "chip/detect/path.h"
#include "chip/sim/simulate.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

constexpr uint32_t kDraws = 6;  // simulated runs of the healthy chip
constexpr uint32_t kThirds = 3;
constexpr float kLeastShare = 0.01F;  // smaller shares are dropped, because they cost more time than they add

struct KeepRecords : RecordSink {
  std::vector<ProbeRecord> records;
  Outcome record(const ProbeRecord& r) override {
    records.push_back(r);
    return {};
  }
};

// Returns the second derivative of log(gamma(x)), by its recurrence and then its series.
double trigamma(double x) {
  double sum = 0;
  for (; x < 8; ++x)
    sum += 1 / (x * x);
  const double y = 1 / (x * x);
  return sum + 1 / x + y / 2 + y / x * (1.0 / 6 - y * (1.0 / 30 - y / 42));
}

// Sums the derivatives of recorded durations by the slowness of each part (chip/sim/influence.h), over the
// records of each cell of the dictionary.
class ShareSums : public InfluenceSink {
 public:
  explicit ShareSums(const Dictionary& dictionary)
      : dictionary_(dictionary),
        sums_(dictionary.cells.size()),
        classes_(dictionary.cells.size()),
        cycles_(dictionary.cells.size()) {
  }

  void record(const ProbeRecord& record, std::span<const float> cycles) override {
    const int64_t at = dictionary_.find(key_of(record));
    if (at < 0)
      return;
    const uint32_t cell = dictionary_.expected[size_t(at)].cell;
    const auto duration = float(record.end - record.begin);
    cycles_[cell] += duration;
    std::map<uint32_t, float>& sums = sums_[cell];
    for (uint32_t c = 0; c < dictionary_.columns.parts(); ++c)
      classes_[cell][dictionary_.columns.class_of(c)] += cycles[c];
    for (uint32_t c = 0; c < cycles.size(); ++c)
      if (std::abs(cycles[c]) > kLeastShare * duration)
        sums[c] += cycles[c];
  }

  void put(Dictionary& into) const {
    into.shares.clear();
    for (size_t i = 0; i < sums_.size(); ++i) {
      for (size_t k = 0; k < classes_[i].size(); ++k)
        into.cells[i].classes[k] = classes_[i][k] / std::max(1.0F, cycles_[i]);
      into.cells[i].begin = uint32_t(into.shares.size());
      for (const auto& [column, sum] : sums_[i])
        if (const float share = sum / std::max(1.0F, cycles_[i]); std::abs(share) > kLeastShare)
          into.shares.push_back({column, share});
      into.cells[i].end = uint32_t(into.shares.size());
    }
  }

 private:
  const Dictionary& dictionary_;
  std::vector<std::map<uint32_t, float>> sums_;
  std::vector<std::array<float, 4>> classes_;
  std::vector<float> cycles_;
};

void number_cells(Dictionary& d) {
  std::map<uint32_t, uint32_t> steps;  // number of steps by layer
  for (const RecordKey& key : d.keys)
    steps[key.layer] = std::max(steps[key.layer], uint32_t{key.step} + 1);
  using Name = std::tuple<uint16_t, ProbeKind, uint16_t, uint32_t, uint64_t, uint32_t, uint32_t>;
  std::map<Name, uint32_t> numbers;
  for (size_t i = 0; i < d.keys.size(); ++i) {
    const RecordKey& k = d.keys[i];
    const uint32_t third = k.step * kThirds / steps[k.layer];
    const auto [at, added] = numbers.emplace(
        Name{k.core, k.kind, k.peer, k.layer, k.work, k.inference, third},
        uint32_t(d.cells.size()));
    if (added)
      d.cells.push_back({k.kind, k.core});
    d.expected[i].cell = at->second;
  }
}

void take_expectations(Dictionary& d, const std::vector<std::vector<ProbeRecord>>& runs) {
  for (const ProbeRecord& r : runs[0])
    d.keys.push_back(key_of(r));
  std::ranges::sort(d.keys);
  d.keys.erase(std::unique(d.keys.begin(), d.keys.end()), d.keys.end());
  d.expected.resize(d.keys.size());
  number_cells(d);
  std::vector<double> cycles(d.keys.size());
  std::vector<double> begin(d.keys.size());
  std::vector<uint32_t> count(d.keys.size());
  for (const auto& run : runs) {
    uint64_t end = 0;
    for (const ProbeRecord& r : run) {
      end = std::max(end, r.end);
      const int64_t at = d.find(key_of(r));
      if (at < 0)
        continue;
      cycles[size_t(at)] += double(r.end - r.begin);
      begin[size_t(at)] += double(r.begin);
      ++count[size_t(at)];
    }
    d.run_cycles += double(end) / double(runs.size());
  }
  for (size_t i = 0; i < d.keys.size(); ++i) {
    d.expected[i].cycles = float(std::max(0.5, cycles[i] / count[i]));
    d.expected[i].begin = float(begin[i] / count[i]);
  }
  for (const ProbeRecord& r : runs[0]) {
    const int64_t at = d.find(key_of(r));
    Dictionary::Cell& cell = d.cells[d.expected[size_t(at)].cell];
    ++cell.records;
    cell.cycles += d.expected[size_t(at)].cycles;
  }
}

void take_middles(Dictionary& d, const std::vector<std::vector<ProbeRecord>>& runs) {
  std::vector<std::vector<double>> ratios(d.cells.size());
  for (const auto& run : runs)
    for (const ProbeRecord& r : run)
      if (const int64_t at = d.find(key_of(r)); at >= 0) {
        const Dictionary::Expected& e = d.expected[size_t(at)];
        ratios[e.cell].push_back(double(r.end - r.begin) / e.cycles);
      }
  for (size_t c = 0; c < ratios.size(); ++c)
    if (!ratios[c].empty())
      d.cells[c].middle = std::max(1e-3, evidence::median(ratios[c]));
}

void take_variances(Dictionary& d, const std::vector<std::vector<ProbeRecord>>& runs) {
  const double draws = double(runs.size());
  std::vector<double> sum(d.cells.size());
  std::vector<double> squares(d.cells.size());
  for (const auto& run : runs) {
    const CellSums sums = sums_of(d, run);
    if (d.file_runs.size() < kShiftSeeds)
      d.file_runs.push_back(sums.log_ratio);
    for (size_t c = 0; c < d.cells.size(); ++c) {
      sum[c] += sums.log_ratio[c];
      squares[c] += sums.log_ratio[c] * sums.log_ratio[c];
    }
  }
  take_middles(d, runs);
  constexpr double kFloor = 1e-10;
  std::map<ProbeKind, std::vector<double>> logs;
  for (size_t c = 0; c < d.cells.size(); ++c) {
    d.cells[c].center = sum[c] / draws;
    d.cells[c].variance = std::max(kFloor, (squares[c] - sum[c] * sum[c] / draws) / (draws - 1));
    logs[d.cells[c].kind].push_back(std::log(d.cells[c].variance));
  }
  std::map<ProbeKind, std::pair<double, double>> prior;  // variance and degrees of freedom, by kind of record
  for (const auto& [kind, values] : logs) {
    double mean = 0;
    for (const double v : values)
      mean += v / double(values.size());
    double scatter = 0;
    for (const double v : values)
      scatter += (v - mean) * (v - mean) / double(values.size());
    const double extra = scatter - trigamma((draws - 1) / 2);
    double freedom = 200;
    while (freedom > 1 && trigamma(freedom / 2) < extra)
      freedom /= 1.5;
    prior[kind] = {std::exp(mean), freedom};
  }
  for (Dictionary::Cell& cell : d.cells) {
    const auto [variance, freedom] = prior[cell.kind];
    cell.variance =
        (freedom * variance + (draws - 1) * cell.variance) / (freedom + draws - 1) * (1 + 1 / draws);
  }
}

void take_shares(Dictionary& d, const LearnSetup& setup) {
  const Model model(setup.chip, setup.program, setup.own);
  ShareSums sums(d);
  for (uint64_t seed = 1; seed <= kDraws / 2; ++seed) {
    Options options;
    options.inferences = setup.inferences;
    options.seed = seed;
    simulate_influence(model, options, sums);
    ++d.simulated;
  }
  sums.put(d);
}

// Marks the parts on the path of each cell's records, which serve them directly.
void mark_served(Dictionary& d, const spec::Chip& chip) {
  const Grid grid(chip);
  std::vector<std::optional<Component>> parts(d.columns.size());
  for (int core = 0; core < grid.core_count(); ++core) {
    parts[d.columns.core(core)] = {Part::Core, core};
    parts[d.columns.memory_unit(core)] = {Part::MemoryUnit, core};
  }
  for (int id = 0; id < grid.link_count(); ++id)
    parts[d.columns.link(id)] = link_component(grid, id);
  for (int port = 0; port < grid.port_count(); ++port)
    parts[d.columns.port(port)] = {Part::DramPort, port};
  std::vector<const RecordKey*> names(d.cells.size());
  for (size_t i = 0; i < d.keys.size(); ++i)
    names[d.expected[i].cell] = &d.keys[i];
  for (size_t c = 0; c < d.cells.size(); ++c) {
    const RecordKey& name = *names[c];
    std::optional<Path> path;
    if (name.kind != ProbeKind::Compute) {
      ProbeRecord record;
      record.work = name.work;
      record.peer = name.peer;
      record.kind = name.kind;
      path.emplace(chip, grid, pattern_of(record), int(name.core));
    }
    for (Dictionary::Share& s :
         std::span(d.shares).subspan(d.cells[c].begin, d.cells[c].end - d.cells[c].begin))
      if (const auto& part = parts[s.column])
        s.served = path ? path->crosses(*part) : *part == Component{Part::Core, int(name.core)};
  }
}

void take_settings(Dictionary& d, const LearnSetup& setup) {
  constexpr std::pair<ChipSetting, double> kTried[] = {
      {ChipSetting::IssueWindow, 0.6},
      {ChipSetting::IssueWindow, 1.6},
      {ChipSetting::Buffers, 0.5},
      {ChipSetting::Buffers, 2},
      {ChipSetting::TransitVariation, 1.2}};
  for (const auto& [setting, times] : kTried) {
    const double file = value_of(setting, setup.chip);
    Twin twin = setup.twin();
    set(setting, file * times, twin.chip);
    const double tried = value_of(setting, twin.chip);
    if (file <= 0 || tried == file)
      continue;
    d.settings.push_back({setting, std::log(tried / file), shift_of(d, setup, twin)});
    d.simulated += int(kShiftSeeds);
  }
}

// Simulates chips whose file is wrong about their routes. One that deadlocks in full buffers is left out,
// because it cannot have made the records.
void take_sheets(Dictionary& d, const LearnSetup& setup) {
  if (setup.own != Deviations{})
    return;
  for (int i = 0; i < kSheetErrors; ++i) {
    const auto error = SheetError(i);
    const auto other = with_error(error, setup.chip, setup.program);
    if (!other)
      continue;
    try {
      const LearnSetup there{other->chip, other->program, setup.inferences};
      SimulatedShift shift = simulated_shift(d, there, there.twin());
      d.simulated += int(kShiftSeeds);
      d.sheets.push_back({error, std::move(shift.noise), std::move(shift.mean)});
    } catch (const base::Error&) {
    }
  }
}

}  // namespace

RecordKey key_of(const ProbeRecord& r) {
  return {r.work, r.layer, r.inference, r.core, r.peer, r.step, r.kind};
}

double value_of(ChipSetting setting, const spec::Chip& chip) {
  switch (setting) {
    case ChipSetting::IssueWindow:
      return chip.core.issue_window;
    case ChipSetting::Buffers:
      return chip.network.buffer_segments;
    case ChipSetting::TransitVariation:
      return chip.network.transit_cv;
  }
  return 0;
}

void set(ChipSetting setting, double value, spec::Chip& chip) {
  switch (setting) {
    case ChipSetting::IssueWindow:
      chip.core.issue_window = std::max(2, int(std::lround(value)));
      break;
    case ChipSetting::Buffers:
      if (chip.network.buffer_segments > 0)
        chip.network.buffer_segments = std::max(1, int(std::lround(value)));
      break;
    case ChipSetting::TransitVariation:
      chip.network.transit_cv = value;
      break;
  }
}

int64_t Dictionary::find(const RecordKey& key) const {
  const auto at = std::ranges::lower_bound(keys, key);
  return at != keys.end() && *at == key ? at - keys.begin() : -1;
}

CellSums sums_of(const Dictionary& d, std::span<const ProbeRecord> records) {
  CellSums out;
  std::vector<double> taken(d.cells.size());
  std::vector<double> expected(d.cells.size());
  out.log_ratio.assign(d.cells.size(), std::numeric_limits<double>::quiet_NaN());
  out.middle.resize(d.cells.size());
  out.records.resize(d.cells.size());
  for (const ProbeRecord& r : records) {
    const int64_t at = d.find(key_of(r));
    if (at < 0) {
      ++out.strange;
      continue;
    }
    const Dictionary::Expected& e = d.expected[size_t(at)];
    taken[e.cell] += double(r.end - r.begin);
    expected[e.cell] += e.cycles;
    out.middle[e.cell] += double(r.begin) + double(r.end - r.begin) / 2;
    ++out.records[e.cell];
  }
  for (size_t c = 0; c < d.cells.size(); ++c) {
    if (out.records[c] == 0)
      continue;
    out.log_ratio[c] = std::log(std::max(0.5, taken[c]) / expected[c]);
    out.middle[c] /= out.records[c];
  }
  return out;
}

std::vector<ProbeRecord> simulated_records(
    const LearnSetup& setup,
    const Twin& twin,
    const std::vector<Fault>& faults,
    uint64_t seed) {
  const Model model(twin.chip, setup.program, twin.own);
  Options options;
  options.inferences = setup.inferences;
  options.seed = seed;
  options.max_cycles = setup.until;
  KeepRecords sink;
  simulate(model, faults, options, &sink);
  return std::move(sink.records);
}

SimulatedShift shift_of_runs(const Dictionary& d, const std::vector<std::vector<ProbeRecord>>& runs) {
  std::vector<std::vector<double>> shifts;
  for (const std::vector<ProbeRecord>& run : runs) {
    std::vector<double>& shift = shifts.emplace_back(sums_of(d, run).log_ratio);
    for (size_t c = 0; c < d.cells.size(); ++c)
      shift[c] -= d.file_runs[shifts.size() - 1][c];
  }
  SimulatedShift out;
  out.mean.resize(d.cells.size());
  out.noise.assign(d.cells.size(), 1);
  for (size_t c = 0; c < d.cells.size(); ++c) {
    std::vector<double> seen;
    for (const std::vector<double>& of : shifts)
      if (!std::isnan(of[c]))
        seen.push_back(of[c]);
    const double mean = evidence::mean(seen);
    out.mean[c] = float(mean);
    // A shift is the difference of a run with the other chip and one with the file's, so half of its variance
    // is that of one run. A variance from two runs is uncertain, so it is averaged with that on the file's
    // chip.
    if (seen.size() > 1)
      out.noise[c] = float(std::max(1.0, (1 + evidence::variance(seen) / (2 * d.cells[c].variance)) / 2));
  }
  return out;
}

SimulatedShift simulated_shift(
    const Dictionary& d,
    const LearnSetup& setup,
    const Twin& twin,
    const std::vector<Fault>& faults) {
  std::vector<std::vector<ProbeRecord>> runs;
  for (uint64_t seed = 1; seed <= kShiftSeeds; ++seed)
    runs.push_back(simulated_records(setup, twin, faults, seed));
  return shift_of_runs(d, runs);
}

std::vector<float> shift_of(const Dictionary& d, const LearnSetup& setup, const Twin& twin) {
  std::vector<float> out = simulated_shift(d, setup, twin).mean;
  for (size_t c = 0; c < out.size(); ++c) {
    const double noise = 2 * d.cells[c].variance / kShiftSeeds;
    out[c] *= float(std::max(0.0, 1 - noise / std::max(1e-30, double(out[c]) * out[c])));
  }
  return out;
}

Dictionary make_dictionary(const LearnSetup& setup) {
  Dictionary out{Grid(setup.chip)};
  out.inferences = setup.inferences;
  std::vector<std::vector<ProbeRecord>> runs;
  for (uint64_t seed = 1; seed <= kDraws; ++seed)
    runs.push_back(simulated_records(setup, setup.twin(), {}, seed));
  out.simulated = int(kDraws);
  take_expectations(out, runs);
  take_variances(out, runs);
  take_shares(out, setup);
  mark_served(out, setup.chip);
  take_settings(out, setup);
  take_sheets(out, setup);
  return out;
}

}  // namespace lento::chip
