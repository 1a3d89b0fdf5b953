// Draws one run of each source and counts those whose error lies inside the stated interval.
#include "lab/predict/audit.h"

#include <cmath>
#include <map>

#include "base/rng.h"
#include "predict/expect/run_spread.h"

namespace lento::predict {
namespace {

using lab::Promise;

bool is_inside(const SoftwareTable& table, const FieldError& e, double share) {
  const RunSpread spread(table, e.work, e.source);
  const double off = e.log_error - spread.typical_error();
  return std::abs(off) <= spread.half_width(e.over_limit, e.known_stack, share);
}

// Returns one run of each source of this kind of work.
std::vector<const FieldError*> one_of_each(const SoftwareTable& table, Work work, uint64_t seed) {
  std::map<std::string, std::vector<const FieldError*>> sources;
  for (const FieldError& e : table.errors) {
    if (e.work == work)
      sources[e.source].push_back(&e);
  }
  base::Rng rng(seed, "predict.audit." + std::string(name(work)));
  std::vector<const FieldError*> out;
  for (const auto& [source, runs] : sources)
    out.push_back(runs[rng.below(runs.size())]);
  return out;
}

}  // namespace

std::vector<Promise> audit_intervals(const SoftwareTable& table, uint64_t seed) {
  std::vector<Promise> out;
  for (const Work work : {Work::Train, Work::Serve}) {
    const std::vector<const FieldError*> runs = one_of_each(table, work, seed);
    for (const double share : {0.9, 0.5}) {
      const std::string what = share > 0.5 ? "nine tenths" : "half";
      Promise p{
          std::string(name(work)) + ": a run inside the stated " + what,
          Promise::Kind::Equal,
          share,
          0,
          0};
      for (const FieldError* e : runs) {
        ++p.trials;
        p.hits += is_inside(table, *e, share);
      }
      out.push_back(p);
    }
  }
  return out;
}

Promise audit_limits(const std::vector<FieldCase>& cases) {
  Promise p{"a measured time above the limit of the hardware", Promise::Kind::AtLeast, 0.99, 0, 0};
  for (const FieldCase& c : cases) {
    ++p.trials;
    p.hits += c.row.measured_s >= c.limit_s();
  }
  return p;
}

}  // namespace lento::predict
