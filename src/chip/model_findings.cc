// Words the findings of the chip's model: a class that differs from the chip file, and a part that several
// runs show together. A factor that may be off by more than a fifth is given with its interval.
#include "chip/model_findings.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "evidence/distribution.h"

namespace lento::chip {

using base::format_number;

std::string class_of(const Component& c) {
  switch (c.part) {
    case Part::Core:
      return "cores";
    case Part::Link:
      return "links";
    case Part::Router:
      return "routers";
    case Part::MemoryUnit:
      return "memory units";
    case Part::DramPort:
      return "DRAM ports";
  }
  return {};
}

finding::Finding finding_of(const ClassDifference& c) {
  finding::Finding f;
  f.subject = c.what;
  f.category = "slower than the chip file";
  f.score = 1;
  f.factor = c.factor;
  f.summary = c.what + " took " + format_number(c.factor, 3) +
              " times what the chip file says (90 %: " + format_number(c.low, 3) + " to " +
              format_number(c.high, 3) + "). Chip or file is wrong.";
  f.next_step =
      "Diagnose a run that is known to be healthy with the same file: if it says the same, correct "
      "the file.";
  return f;
}

finding::Finding finding_of(const PartInRuns& part, const std::string& name, const std::string& runs) {
  const double half_width = evidence::kNinety * part.effect.deviation;
  const auto text_of = [](double log_factor) {
    return format_number(std::exp(log_factor), 3);
  };
  const std::string of_class = class_of(part.component);
  finding::Finding f;
  f.subject = name;
  f.category = "slow " + of_class.substr(0, of_class.size() - 1);
  f.score = 1;
  f.factor = std::exp(part.effect.log_factor);
  f.summary = name + " was about " + text_of(part.effect.log_factor) + " times slower than it should be in " +
              runs + " runs together (90 %: " + text_of(part.effect.log_factor - half_width) + " to " +
              text_of(part.effect.log_factor + half_width) + ").";
  f.evidence.push_back(
      {"runs after which it is certain, of " + runs, double(part.certain_after), "runs", "records"});
  f.evidence.push_back(
      {"gain in log likelihood, twice, by the chip's model", part.gain, "", "records of all runs"});
  f.next_step = "Record another run with its work on another part, to see whether the delay moves with it.";
  return f;
}

std::string remedy_for(const PartTest& part, size_t runs, double tolerance) {
  const double above = part.effect.log_factor - std::log1p(tolerance);
  if (above <= 0)
    return "parts may differ from the chip file by " + base::percent(tolerance) +
           " (--tolerance), and this is less, so that further runs do not name it";
  const double half_width = evidence::kNinety * part.effect.deviation;
  const double needed = std::ceil(half_width * half_width / (above * above));
  return "about " + format_number(std::max(needed, double(runs + 1))) +
         " runs of the same mapping together; look first at that part";
}

void add_interval(finding::Finding& f) {
  constexpr double kSure = 1.2;  // a factor that is right within a fifth needs no interval
  const auto value_of = [&](const char* text) {
    const auto at = std::ranges::find(f.evidence, text, &finding::Evidence::text);
    return at != f.evidence.end() && at->value ? *at->value : f.factor.value_or(1);
  };
  const double low = value_of(kLowerEnd);
  const double high = value_of(kUpperEnd);
  if (high / low > kSure * kSure && f.summary.ends_with('.'))
    f.summary.insert(
        f.summary.size() - 1,
        " (90 %: " + format_number(low, 3) + " to " + format_number(high, 3) + ")");
}

}  // namespace lento::chip
