// Compares promised shares with observed ones by the exact binomial interval (evidence/share.h), so that few
// trials break no promise.
#include "lab/promise/promise.h"

#include "base/units.h"
#include "evidence/share.h"

namespace lento::lab {

static constexpr double kLevel = 0.95;  // of the intervals of observed shares

bool Promise::kept() const {
  const evidence::Interval seen = evidence::exact_share_interval(hits, trials, kLevel);
  const bool low = promised < seen.low;    // more was observed
  const bool high = promised > seen.high;  // less was
  switch (kind) {
    case Kind::AtMost:
      return !low;
    case Kind::AtLeast:
      return !high;
    case Kind::Equal:
      return !low && !high;
  }
  return false;
}

finding::Diagnosis
promise_table(const std::vector<Promise>& promises, const std::string& scale, uint64_t seed) {
  using base::format_number;
  finding::Diagnosis d;
  d.scale = scale;
  d.title = "What the scale '" + scale + "' promises, and what it keeps";
  d.seed = seed;
  finding::TableFigure table;
  table.columns = {"promise", "promised", "observed", "of", "95 % interval", "kept"};
  size_t kept = 0;
  for (const Promise& p : promises) {
    const evidence::Interval seen = evidence::exact_share_interval(p.hits, p.trials, kLevel);
    kept += p.kept();
    table.rows.push_back(
        {p.what,
         format_number(p.promised, 3),
         p.trials > 0 ? format_number(double(p.hits) / double(p.trials), 3) : "-",
         std::to_string(p.trials),
         format_number(seen.low, 3) + " to " + format_number(seen.high, 3),
         p.kept() ? "yes" : "no"});
  }
  d.verdict = std::to_string(kept) + " of " + std::to_string(promises.size()) + " promises are kept.";
  d.figures.push_back({"Promises", "Observed on draws that no threshold was made from.", table});
  return d;
}

}  // namespace lento::lab
