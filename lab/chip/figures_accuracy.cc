// Figures about accuracy: by slow-down factor, and the share of right reports at each score.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/units.h"
#include "lab/chip/figures.h"

namespace lento::chip {
namespace {

using base::format_number;
using finding::SeriesFigure;

constexpr double kAlarmRate = 0.01;
constexpr double kFound = 0.95;
constexpr int kScoreBins = 10;
constexpr size_t kMostLines = 16;

struct Factor : Rightness {
  uint64_t found = 0;  // first in the ranking, above the threshold of 1 % false alarms
};
using ByFactor = std::map<double, Factor>;

double top_score(const RunResult& r) {
  if (r.scores.empty())
    return 0;
  return r.scores[0];
}

// Returns for each variant the score that at most 1 % of clean runs exceed.
std::map<std::string, double> thresholds(const Results& results) {
  std::map<std::string, std::vector<double>> clean;
  for (const RunResult& r : results)
    if (r.truth.empty())
      clean[r.variant()].push_back(top_score(r));
  std::map<std::string, double> out;
  for (auto& [variant, scores] : clean) {
    std::ranges::sort(scores, std::greater<>());
    out[variant] = scores[size_t(kAlarmRate * double(scores.size()))];
  }
  return out;
}

void count(const RunResult& r, double threshold, Factor& f) {
  const bool right =
      r.reported.size() == r.truth.size() && std::ranges::all_of(r.truth, [&](const std::string& t) {
        return std::ranges::find(r.reported, t) != r.reported.end();
      });
  const bool core = r.truth[0].starts_with("core");
  const bool link = r.truth[0].starts_with("link");
  ++f.cases;
  f.right += right;
  f.cores += core;
  f.cores_right += core && right;
  f.links += link;
  f.links_right += link && right;
  f.found += named_first(r) && top_score(r) > threshold;
}

finding::Figure factor_table(
    const std::map<std::string, ByFactor>& rows,
    const std::map<std::string, double>& least) {
  finding::TableFigure table;
  table.columns = {
      "method",
      "factor",
      "exactly right %",
      "cores %",
      "links %",
      "found at 1 % false alarms %",
      "smallest factor found in 95 %"};
  for (const auto& [variant, factors] : rows) {
    std::string smallest = "none";
    for (auto f = factors.rbegin(); f != factors.rend(); ++f) {
      if (double(f->second.found) < kFound * double(f->second.cases))
        break;
      smallest = format_number(f->first);
    }
    const bool known = least.contains(variant);
    for (const auto& [factor, f] : factors)
      table.rows.push_back(
          {variant,
           format_number(factor),
           rate(f.right, f.cases),
           rate(f.cores_right, f.cores),
           rate(f.links_right, f.links),
           known ? rate(f.found, f.cases) : "-",
           known ? smallest : "-"});
  }
  return {
      "By factor",
      "Found: the true component stands first and its score lies above what 1 % of clean runs exceed. "
      "Smallest factor: that and every larger one are found in 95 % of cases.",
      table};
}

}  // namespace

std::string percent(double share) {
  return format_number(std::round(1e4 * share) / 100, 4);
}

std::string rate(uint64_t hits, uint64_t of) {
  if (of == 0)
    return "-";
  const evidence::Interval i = evidence::wilson95(hits, of);
  return percent(double(hits) / double(of)) + " (" + percent(i.low) + " to " + percent(i.high) + "), " +
         std::to_string(hits) + "/" + std::to_string(of);
}

Figures factor_figures(const Results& results, bool training) {
  const std::map<std::string, double> least = thresholds(results);
  std::map<std::string, ByFactor> rows;
  std::set<double> factors;
  for (const RunResult& r : results) {
    if (!counts(r, training))
      continue;
    const auto known = least.find(r.variant());
    count(r, known != least.end() ? known->second : 0, rows[r.variant()][r.factor]);
    factors.insert(r.factor);
  }
  if (rows.empty() || rows.size() > kMostLines)
    return {};
  finding::Figure table = factor_table(rows, least);
  if (factors.size() < 2)
    return {table};
  SeriesFigure figure;
  figure.x_name = "times slower";
  figure.y_name = "exactly right, %";
  figure.log_x = true;
  for (const auto& [variant, by_factor] : rows) {
    SeriesFigure::Line line{variant, {}, {}};
    for (const auto& [factor, f] : by_factor) {
      line.x.push_back(factor);
      line.y.push_back(100 * double(f.right) / double(f.cases));
    }
    figure.lines.push_back(std::move(line));
  }
  return {table, {"Exactly right by factor", "The same faults at every factor.", figure}};
}

Figures calibration_figures(const Results& results, bool training) {
  struct Bin {
    uint64_t reports = 0;
    uint64_t right = 0;
    double score = 0;
  };
  std::map<std::string, std::map<int, Bin>> rows;
  for (const RunResult& r : results) {
    if (!r.truth.empty() && !counts(r, training))
      continue;
    for (size_t i = 0; i < r.ranked.size(); ++i) {
      if (std::ranges::find(r.reported, r.ranked[i]) == r.reported.end())
        continue;
      const int bin = std::clamp(int(r.scores[i] * kScoreBins), 0, kScoreBins - 1);
      Bin& b = rows[r.variant()][bin];
      ++b.reports;
      b.score += r.scores[i];
      b.right += std::ranges::find(r.truth, r.ranked[i]) != r.truth.end();
    }
  }
  if (rows.empty() || rows.size() > kMostLines)
    return {};
  finding::TableFigure table;
  table.columns = {"method", "score", "mean score", "reports that are right %"};
  SeriesFigure figure;
  figure.x_name = "mean score of a report";
  figure.y_name = "right, %";
  for (const auto& [variant, bins] : rows) {
    SeriesFigure::Line line{variant, {}, {}};
    for (const auto& [bin, b] : bins) {
      const double score = b.score / double(b.reports);
      table.rows.push_back(
          {variant,
           format_number(bin / double(kScoreBins)) + " to " + format_number((bin + 1) / double(kScoreBins)),
           format_number(score, 3),
           rate(b.right, b.reports)});
      line.x.push_back(score);
      line.y.push_back(100 * double(b.right) / double(b.reports));
    }
    figure.lines.push_back(std::move(line));
  }
  return {
      {"Calibration", "Score of a report against how often such a report is right; clean runs count.", table},
      {"Calibration curve", "A calibrated score lies on the diagonal.", figure}};
}

}  // namespace lento::chip
