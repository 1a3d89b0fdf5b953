// Composes the first lines of a verdict. A reader has five questions: what and where, how much, since when,
// how sure, what to do next. The text and the page take the answers from here, so that both are in one order
// and use the same words.
#include "report/lead.h"

#include <algorithm>

#include "base/units.h"
#include "report/window_text.h"

namespace lento::report {

using finding::Diagnosis;
using finding::Finding;

std::string sure_text(double score) {
  constexpr std::pair<double, const char*> kWords[] = {
      {0.9, "very sure"},
      {0.75, "sure"},
      {0.5, "likely"},
      {0, "possible"}};
  const char* word = "possible";
  for (const auto& [least, words] : kWords) {
    if (score >= least) {
      word = words;
      break;
    }
  }
  return std::string(word) + " (" + base::format_number(score, 2) + ")";
}

std::string value_text(const finding::Evidence& evidence) {
  if (!evidence.value)
    return {};
  return base::format_measure(*evidence.value, evidence.unit);
}

Lines keys_of(const Diagnosis& d) {
  Lines keys;
  if (d.findings.empty())
    return keys;
  const Finding& first = d.findings.front();
  std::string extent = finding::factor_text(first);
  if (first.lost_share)
    extent += (extent.empty() ? "" : ", ") + base::percent(*first.lost_share) + " of run time lost";
  if (!extent.empty())
    keys.emplace_back("how much", extent);
  if (first.when)
    keys.emplace_back("when", window_text(*first.when, 4));
  else if (!extent.empty())  // a measured difference without an onset is that of the whole record
    keys.emplace_back("when", "all through what was read");
  std::string sure = sure_text(first.score);
  sure.insert(sure.size() - 1, "/1");
  keys.emplace_back("how sure", sure);
  if (d.findings.size() > 1)
    keys.emplace_back("findings", "this one and " + std::to_string(d.findings.size() - 1) + " more");
  return keys;
}

bool is_question(const Diagnosis& d) {
  return d.outcome == finding::Outcome::Answer && d.findings.empty();
}

std::vector<std::string> next_steps(const Diagnosis& d) {
  constexpr size_t kMost = 3;
  std::vector<std::string> steps;
  for (size_t i = 0; i < std::min(kMost, d.findings.size()); ++i) {
    const std::string& step = d.findings[i].next_step;
    if (!step.empty() && std::ranges::find(steps, step) == steps.end())
      steps.push_back(step);
  }
  // The remedy is a command after a mere answer, and the whole text of what a detector lacked without
  // findings. Beside findings only its part before the first ": " is listed.
  if (!d.remedy.empty() && is_question(d))
    steps.push_back(d.remedy);
  else if (!d.remedy.empty())
    steps.push_back(
        "What would help: " + (d.findings.empty() ? d.remedy : d.remedy.substr(0, d.remedy.find(": "))));
  return steps;
}

bool tells_reach(const std::string& fact) {
  return fact.find("would be named") != std::string::npos;
}

std::string skipped_text(const Diagnosis& d) {
  if (d.records_skipped == 0)
    return {};
  std::string text = "skipped " + std::to_string(d.records_skipped) + " of " +
                     std::to_string(d.records_taken + d.records_skipped) + " records:";
  for (const auto& [reason, count] : d.skip_reasons)
    text += " " + reason + " (" + std::to_string(count) + ")";
  return text;
}

Lines seen_of(const Diagnosis& d) {
  Lines seen;
  if (!d.covered.empty())
    seen.emplace_back("looked at", d.covered);
  for (const auto& [name, value] : d.facts) {
    if (tells_reach(name))
      seen.emplace_back(name, value);
  }
  return seen;
}

}  // namespace lento::report
