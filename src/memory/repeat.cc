// Counts in how many recordings each finding occurs. Addresses differ between recordings, and so does which
// word of an object is named first, so a finding is identified by its cause and the sorted names in its
// subject.
#include "memory/repeat.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/error.h"

namespace lento::memory {
namespace {

using finding::Diagnosis;
using finding::Finding;
using finding::Outcome;

// Returns the cause of a finding and the sorted names in its subject, without addresses: false sharing on
// "line 0x40 (a[1].hits, b)" gives "false sharing a1.hits b".
std::string identity(const Finding& f) {
  std::set<std::string> words;
  std::string word;
  for (const char c : f.subject + " ") {
    const bool joins = std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == ':';
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (joins || (digit && !word.empty())) {
      word += c;
    } else if (c != '[' && c != ']' && !digit) {
      if (!word.empty() && word.front() != 'x')
        words.insert(word);
      word.clear();
    }
  }
  words.erase("line");
  words.erase("lines");
  std::string text = f.category;
  for (const std::string& w : words)
    text += " " + w;
  return text;
}

struct Group {
  Finding best;
  size_t count = 0;
};

}  // namespace

Diagnosis combine(std::vector<Diagnosis> each) {
  LENTO_CHECK(!each.empty(), "no recording to combine");
  const size_t all = each.size();
  if (all == 1)
    return std::move(each.front());
  std::map<std::string, Group> groups;
  std::map<Outcome, size_t> outcomes;
  for (const Diagnosis& d : each) {
    ++outcomes[d.outcome];
    std::set<std::string> seen;
    for (const Finding& f : d.findings) {
      if (!seen.insert(identity(f)).second)
        continue;
      Group& group = groups[identity(f)];
      if (group.count++ == 0 || f.score > group.best.score)
        group.best = f;
    }
  }
  const std::string of_all = " of " + std::to_string(all) + " recordings";
  std::vector<Finding> kept;
  std::vector<std::string> rare;
  for (auto& [key, group] : groups) {
    if (2 * group.count <= all) {
      rare.push_back(
          group.best.category + " on " + group.best.subject + " was found in " + std::to_string(group.count) +
          of_all + " only");
      continue;
    }
    group.best.evidence.push_back(
        {"found in" + of_all.substr(3), double(group.count), "recordings", "repeated recordings"});
    kept.push_back(std::move(group.best));
  }
  finding::sort_findings(kept);
  // The first recording with the combined outcome provides everything but the findings.
  const auto most = std::ranges::max_element(outcomes, {}, [](const auto& o) {
    return o.second;
  });
  const bool clear = 2 * most->second > all;
  const Outcome wanted = !kept.empty() ? Outcome::Findings : clear ? most->first : Outcome::CannotJudge;
  const auto shown = std::ranges::find_if(each, [&](const Diagnosis& d) {
    return d.outcome == wanted;
  });
  Diagnosis out = shown == each.end() ? each.front() : *shown;
  out.notes.insert(out.notes.end(), rare.begin(), rare.end());
  out.facts.emplace_back("recordings", std::to_string(all));
  out.findings = std::move(kept);
  if (!out.findings.empty()) {
    out.verdict = out.findings.front().category + " on " + out.findings.front().subject +
                  " leads, in most of " + std::to_string(all) + " recordings.";
    finding::judged(out, out.covered);
  } else if (wanted == Outcome::Findings || !clear) {
    finding::cannot_judge(
        out,
        "the recordings disagree: no finding occurs in more than half" + of_all,
        "record more of each run (--full), or more runs (--repeat)",
        out.covered);
  }
  return out;
}

}  // namespace lento::memory
