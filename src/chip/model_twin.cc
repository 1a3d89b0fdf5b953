// Reads classes and rates of single parts from the columns of the fit. For the later simulation numbers, the
// rates of parts are drawn from their posterior, one twin for each number.
#include "chip/model_twin.h"

#include <cmath>
#include <map>
#include <memory>
#include <mutex>

#include "base/rng.h"

namespace lento::chip {
namespace {

constexpr double kCertain = 3;          // deviations beyond which a value is not chance
constexpr uint32_t kDrawsAsFitted = 3;  // draws of the fitted chip; later ones vary its parts

// Returns the file's chip with the settings that fit the run.
spec::Chip with_settings(const ChipModel& model, const ModelVerdict& verdict) {
  spec::Chip out = model.setup.chip;
  out.core.issue_window = verdict.chip.core.issue_window;
  out.network.buffer_segments = verdict.chip.network.buffer_segments;
  return out;
}

// Returns the rates without the clock's slowness, because times were already mapped to the file's clock.
FittedRates beside_clock(const ChipModel& model, const ModelVerdict& verdict) {
  FittedRates out = rates_of(model, verdict);
  if (verdict.clock_map.differs())
    for (Effect& e : out.classes)
      e.log_factor -= verdict.none.eta[0];
  return out;
}

class PossibleReplays {
 public:
  PossibleReplays(spec::Chip chip, FittedRates rates, ReplayOf replays, uint64_t seed)
      : chip_(std::move(chip)),
        rates_(std::move(rates)),
        replays_(std::move(replays)),
        seed_(seed),
        fitted_(replays_(with_rates(chip_, rates_))) {
  }

  const Replay& of(uint32_t draw) {
    if (draw < kDrawsAsFitted)
      return fitted_;
    const std::lock_guard lock(mutex_);
    Replay& own = others_[draw];
    if (!own)
      own = replays_(with_rates(chip_, drawn(draw)));
    return own;
  }

 private:
  FittedRates drawn(uint32_t draw) const {
    base::Rng rng(seed_ + draw, "chip.possible");
    FittedRates out = rates_;
    for (Effect& part : out.parts)
      part.log_factor += part.deviation * rng.normal();
    return out;
  }

  const spec::Chip chip_;
  const FittedRates rates_;
  const ReplayOf replays_;
  const uint64_t seed_;
  const Replay fitted_;
  std::mutex mutex_;
  std::map<uint32_t, Replay> others_;
};

}  // namespace

double FittedRates::of_class(size_t k) const {
  const Effect& e = classes[k];
  return std::abs(e.log_factor) > kCertain * e.deviation ? e.log_factor : 0;
}

double FittedRates::of_part(uint32_t column, size_t k) const {
  const double log_factor = parts[column].log_factor;
  return std::abs(log_factor) < kCertain * std::hypot(spread[k], parts[column].deviation) ? log_factor : 0;
}

FittedRates rates_of(const ChipModel& model, const ModelVerdict& verdict) {
  const Solution& s = verdict.none;
  FittedRates out{s.classes, s.spread, {}};
  const uint32_t parts = model.dictionary.columns.parts();
  for (size_t column = s.eta.size() - parts; column < s.eta.size(); ++column)
    out.parts.push_back({s.eta[column], std::sqrt(s.variance[column])});
  return out;
}

Twin with_rates(const spec::Chip& chip, const FittedRates& rates) {
  Twin out{chip, {}};
  out.chip.core.ops_per_cycle /= std::exp(rates.of_class(0));
  out.chip.network.link_bytes_per_cycle /= std::exp(rates.of_class(1));
  out.chip.memory_unit.bytes_per_cycle /= std::exp(rates.of_class(2));
  out.chip.dram.port_bytes_per_cycle /= std::exp(rates.of_class(3));
  const Grid grid(chip);
  const InfluenceColumns columns(grid);
  const auto own = [&](uint32_t column) {
    return std::exp(rates.of_part(column, columns.class_of(column)));
  };
  for (int core = 0; core < grid.core_count(); ++core) {
    out.own.cores.push_back(own(columns.core(core)));
    out.own.memory_units.push_back(own(columns.memory_unit(core)));
  }
  for (int id = 0; id < grid.link_count(); ++id)
    out.own.links.push_back(own(columns.link(id)));
  for (int port = 0; port < grid.port_count(); ++port)
    out.own.ports.push_back(own(columns.port(port)));
  return out;
}

Twin twin_of(const ChipModel& model, const ModelVerdict& verdict) {
  return with_rates(with_settings(model, verdict), beside_clock(model, verdict));
}

Replay
possible_replay(const ChipModel& model, const ModelVerdict& verdict, const ReplayOf& replays, uint64_t seed) {
  const auto all = std::make_shared<PossibleReplays>(
      with_settings(model, verdict),
      beside_clock(model, verdict),
      replays,
      seed);
  return [all](const std::vector<Fault>& faults, uint32_t draw, uint64_t until) {
    return all->of(draw)(faults, draw, until);
  };
}

}  // namespace lento::chip
