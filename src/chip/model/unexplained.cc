// A slow part competes with chips whose file is wrong about their routes, which are simulated when the chip
// is learnt. A part that is slow on such a chip, too, stays named. An error of another kind makes transfers
// longer or shorter than expected path by path. The fit takes them for parts that differ from one another,
// and one of these looks slow. When a part is really slow, a fit beside its simulation finds the other parts
// alike. The spread of each class that moves data, and the deviance of each kind of transfer, are therefore
// compared with the largest ones of healthy draws. Operations of a core take no path, so that a core is
// compared with cores alone.
#include "chip/model/unexplained.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/units.h"
#include "chip/detect/belongs.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

constexpr const char* kPlural[] = {"cores", "links", "memory units", "DRAM ports"};
constexpr const char* kRecords[] = {"operations", "messages", "reads", "writes"};  // in order of ProbeKind

std::string percent(double log_spread) {
  return base::format_number(100 * std::expm1(log_spread), 2) + " %";
}

// Returns by row the log of durations over expectation that neither the nuisances nor the simulated parts
// explain. The fitted deviations of single parts count as unexplained.
std::vector<double> deviations(const Likelihood& likelihood, const Solution& fit) {
  const size_t first = likelihood.columns() - likelihood.dictionary().columns.parts();
  std::vector<double> out = fit.residual;
  for (size_t r = 0; r < out.size(); ++r)
    for (const Likelihood::Entry& e : likelihood.row(r))
      if (e.column >= first)
        out[r] += e.value * fit.eta[e.column];
  return out;
}

// Names the routes whose transfers are furthest from their expectation.
std::string routes_that_differ(const ChipModel& model, const Likelihood& likelihood, const Solution& fit) {
  constexpr size_t kShown = 3;
  const Dictionary& d = model.dictionary;
  std::vector<const RecordKey*> name(d.cells.size());
  for (size_t i = 0; i < d.keys.size(); ++i)
    name[d.expected[i].cell] = &d.keys[i];
  const std::vector<double> off = deviations(likelihood, fit);
  using Route = std::pair<uint16_t, Pattern>;
  std::map<std::pair<uint16_t, uint32_t>, std::vector<double>> routes;
  for (size_t r = 0; r < off.size(); ++r) {
    const RecordKey& key = *name[likelihood.cell(r)];
    if (key.kind == ProbeKind::Compute)
      continue;
    Pattern pattern;
    pattern.kind = key.kind;
    pattern.subject = key.peer;
    routes[{key.core, pattern.packed()}].push_back(off[r]);
  }
  std::vector<std::pair<double, Route>> ranked;
  for (const auto& [route, logs] : routes)
    ranked.push_back({evidence::median(logs), {route.first, Pattern::unpack(route.second)}});
  std::ranges::sort(ranked, std::ranges::greater{}, [](const auto& one) {
    return std::abs(one.first);
  });
  std::string out;
  const Grid grid(model.setup.chip);
  for (size_t i = 0; i < std::min(kShown, ranked.size()); ++i) {
    const auto& [log, route] = ranked[i];
    out += (i == 0 ? "" : ", ") + words_of(route.second, route.first, grid) + " took " +
           base::format_number(std::exp(log), 3) + " times as long as by the file";
  }
  return out;
}

// Returns a phrase that names a chip with other routes on which the records are likelier than on the file's
// chip with its slow parts, and on which the part is not slow. An empty string when there is none.
std::string
nearer_sheet(const ChipModel& model, const ModelVerdict& v, const Solution& fit, const Component& part) {
  for (const OtherSheet& sheet : model.dictionary.sheets) {
    Likelihood other = *v.likelihood;
    other.expect(sheet.shift, sheet.noise);
    const Solution there = other.fit();
    if (there.log_likelihood <= fit.log_likelihood)
      continue;
    const std::vector<PartTest> tests = scan_parts(other, there, model.parts);
    const auto slow = std::ranges::find(tests, part, &PartTest::component);
    if (slow == tests.end() || slow->gain <= v.threshold)
      return std::string("the records are more like those of ") + name_of(sheet.error, model.setup.chip);
  }
  return {};
}

}  // namespace

std::string
not_explained(const ChipModel& model, const ModelVerdict& v, const Solution& fit, const SlowPart& part) {
  const bool core = part.part.part == Part::Core;
  std::string out = core ? "" : nearer_sheet(model, v, fit, part.part);
  const size_t last = core ? 1 : fit.spread.size();
  for (size_t k = core ? 0 : 1; k < last && out.empty(); ++k) {
    // The gain of a part against the spread of its class must exceed the threshold as any other gain.
    const double needed = std::sqrt(v.threshold) * fit.spread[k];
    if (fit.spread[k] > model.unlike_spread[k] && part.log_factor < needed)
      out = std::string(kPlural[k]) + " still differ from one another by " + percent(fit.spread[k]) +
            ", those of healthy chips by " + percent(model.unlike_spread[k]) + " at most";
    else if (fit.deviance[k] > model.deviance[k] && !v.cut)
      out = std::string(kRecords[k]) + " are " +
            base::format_number(std::sqrt(fit.deviance[k] / model.deviance[k]), 3) +
            " times as far from the file as those of any healthy chip";
  }
  if (out.empty() || core)
    return out;
  const std::string routes = routes_that_differ(model, *v.likelihood, fit);
  return routes.empty() ? out : out + ": " + routes;
}

}  // namespace lento::chip
