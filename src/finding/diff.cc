// Compares two diagnoses of one command, for example before and after a repair. Findings are matched by
// subject and category, headline facts by name. A comparison is itself a Diagnosis, so every printer shows
// it.
#include "finding/diff.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.h"
#include "base/units.h"

namespace lento::finding {
namespace {

constexpr double kWorse = 1.1;  // slow-down over the former one from which a kept finding counts as worse

// Returns the finding about the same part and category, or null.
const Finding* find(const std::vector<Finding>& findings, const Finding& wanted) {
  const auto same = [&](const Finding& f) {
    return f.subject == wanted.subject && f.category == wanted.category;
  };
  const auto found = std::ranges::find_if(findings, same);
  if (found == findings.end())
    return nullptr;
  return &*found;
}

std::string factor_text(const Finding* f) {
  if (!f)
    return "-";
  if (f->factor)
    return base::format_number(*f->factor, 3) + "x";
  if (f->lost_share)
    return base::format_number(100 * *f->lost_share, 3) + " %";
  return "seen";
}

// Returns the findings of both diagnoses side by side.
TableFigure finding_table(const Diagnosis& before, const Diagnosis& after) {
  TableFigure table{{"subject", "category", "before", "after", "change"}, {}};
  for (const Finding& f : after.findings) {
    const Finding* old = find(before.findings, f);
    table.rows.push_back({f.subject, f.category, factor_text(old), factor_text(&f), old ? "kept" : "new"});
  }
  for (const Finding& f : before.findings) {
    if (!find(after.findings, f))
      table.rows.push_back({f.subject, f.category, factor_text(&f), "-", "gone"});
  }
  return table;
}

std::optional<double> leading_number(const std::string& text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc())
    return std::nullopt;
  return value;
}

// Computes the ratio of two facts with equal units: "35.1 M cycles" and "36 M cycles" compare, "35 M" and
// "1.2 G" do not.
std::string ratio_text(const std::string& before, const std::string& after) {
  const auto a = leading_number(before);
  const auto b = leading_number(after);
  const auto unit = [](const std::string& text) {
    return text.substr(std::min(text.size(), text.find(' ')));
  };
  if (!a || !b || *a == 0 || unit(before) != unit(after))
    return before == after ? "same" : "";
  return base::format_number(*b / *a, 4) + "x";
}

// Returns the facts of both diagnoses side by side.
TableFigure fact_table(const Diagnosis& before, const Diagnosis& after) {
  TableFigure table{{"fact", "before", "after", "after / before"}, {}};
  for (const auto& fact : after.facts) {
    const auto old = std::ranges::find_if(before.facts, [&](const auto& f) {
      return f.first == fact.first;
    });
    const std::string was = old == before.facts.end() ? "-" : old->second;
    table.rows.push_back({fact.first, was, fact.second, ratio_text(was, fact.second)});
  }
  for (const auto& fact : before.facts) {
    const bool kept = std::ranges::any_of(after.facts, [&](const auto& f) {
      return f.first == fact.first;
    });
    if (!kept)
      table.rows.push_back({fact.first, fact.second, "-", ""});
  }
  return table;
}

bool grew_worse(const Finding& before, const Finding& after) {
  return before.factor && after.factor && *after.factor > *before.factor * kWorse;
}

// The comparison has no verdict when one side has none: a change from or to "cannot judge" is neither better
// nor worse.
void conclude(const Diagnosis& before, const Diagnosis& after, Diagnosis& d) {
  for (const Diagnosis* side : {&before, &after}) {
    if (side->outcome != Outcome::CannotJudge)
      continue;
    cannot_judge(
        d,
        (side == &before ? "the former verdict: " : "the present verdict: ") + side->reason,
        side->remedy);
    return;
  }
  judged(
      d,
      std::to_string(before.findings.size()) + " findings before, " + std::to_string(after.findings.size()) +
          " after");
}

}  // namespace

Diagnosis compare(const Diagnosis& before, const Diagnosis& after) {
  if (before.scale != after.scale && !before.scale.empty() && !after.scale.empty()) {
    throw base::Error(
        {},
        "a diagnosis of scale '" + before.scale + "' and one of scale '" + after.scale +
            "' have nothing in common that could be compared",
        "give two diagnoses of the same command");
  }
  Diagnosis d;
  d.scale = after.scale;
  d.title = "Comparison: " + before.title + " -> " + after.title;
  size_t gone = 0;
  for (const Finding& f : before.findings)
    gone += find(after.findings, f) == nullptr;
  for (const Finding& f : after.findings) {
    const Finding* old = find(before.findings, f);
    if (!old || grew_worse(*old, f))
      d.findings.push_back(f);
  }
  d.verdict = std::to_string(d.findings.size()) + " new or worse, " + std::to_string(gone) + " gone, " +
              std::to_string(after.findings.size() - d.findings.size()) + " as before";
  d.figures.push_back({"Findings before and after", "", finding_table(before, after)});
  d.figures.push_back({"Headline figures before and after", "", fact_table(before, after)});
  conclude(before, after, d);
  return d;
}

}  // namespace lento::finding
