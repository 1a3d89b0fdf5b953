// Polls the sources of collectives, judges them and explains when they cannot be judged.
#include "fleet/watch/ranks.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/error.h"
#include "base/units.h"

namespace lento::fleet {
namespace {

constexpr int64_t kBlindAfter = 100'000;  // ms without judgement, so that an alert follows within two minutes

bool is_query(const std::string& source) {
  return source.find('{') != std::string::npos && !std::filesystem::exists(source);
}

int64_t now_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

std::string seconds_text(int64_t ms) {
  return base::format_quantity(double(ms) / 1000, base::Dimension::Time);
}

RanksWatch::RanksWatch(const RanksWatchOptions& options, const PrometheusOptions& store)
    : every_s_(options.every_s),
      store_(store),
      live_(live_options(options)) {
  if (!queries_.empty() && store_.url.empty())
    throw base::Error(
        {"--ranks"},
        "'" + queries_.front() + "' is a query, and there is no store to ask",
        "name the store with --prometheus URL, or give a folder of logs");
}

RanksLiveOptions RanksWatch::live_options(const RanksWatchOptions& options) {
  RanksLiveOptions out;
  out.window_s = options.window_s;
  for (const std::string& source : options.sources)
    (is_query(source) ? queries_ : out.paths).push_back(source);
  if (!queries_.empty())
    out.means = [this] {
      return ask();
    };
  return out;
}

std::vector<fleet::ranks::InspectorMean> RanksWatch::ask() const {
  std::vector<fleet::ranks::InspectorMean> out;
  for (const std::string& query : queries_) {
    for (const InstantSample& sample : instant_samples(store_, query)) {
      const fleet::ranks::PromLabels labels(sample.labels.begin(), sample.labels.end());
      if (auto mean = fleet::ranks::inspector_mean(labels, sample.value))
        out.push_back(std::move(*mean));
    }
  }
  return out;
}

void RanksWatch::step(int64_t steady_ms) {
  if (next_ms_ == INT64_MIN) {
    seen_ms_ = steady_ms;
    judged_ms_ = steady_ms;
  }
  if (steady_ms < next_ms_)
    return;
  const int64_t begin = now_ms();
  try {
    live_.poll();
    failure_.clear();
  } catch (const std::exception& e) {
    failure_ = e.what();
  }
  const int64_t took = now_ms() - begin;
  next_ms_ = steady_ms + std::max(int64_t(every_s_ * 1000), 2 * took);
  if (!failure_.empty())
    return;
  if (live_.fresh())
    seen_ms_ = steady_ms;
  if (live_.by_means() || live_.diagnosis().outcome != finding::Outcome::CannotJudge)
    judged_ms_ = steady_ms;
}

std::string RanksWatch::why_blind(int64_t steady_ms) const {
  if (next_ms_ == INT64_MIN)
    return "";
  if (steady_ms - seen_ms_ > kBlindAfter) {
    const std::string why = failure_.empty() ? "" : ": " + failure_.substr(0, failure_.find('\n'));
    return "no new record of its collectives for " + seconds_text(steady_ms - seen_ms_) + why;
  }
  if (steady_ms - judged_ms_ > kBlindAfter)
    return "its collectives: " + live_.diagnosis().reason;
  return "";
}

finding::Diagnosis join_ranks(finding::Diagnosis machines, const finding::Diagnosis& ranks) {
  using finding::Outcome;
  for (finding::Finding f : ranks.findings) {
    const auto same = std::ranges::find_if(machines.findings, [&](const finding::Finding& m) {
      return f.where && !f.where->host.empty() && m.subject == f.where->host;
    });
    if (same != machines.findings.end()) {
      f.summary += "; its machine: " + same->summary;
      f.score = std::max(f.score, same->score);
      f.evidence.insert(f.evidence.end(), same->evidence.begin(), same->evidence.end());
      machines.findings.erase(same);
    }
    machines.findings.push_back(std::move(f));
  }
  finding::sort_findings(machines.findings);
  machines.notes.insert(machines.notes.end(), ranks.notes.begin(), ranks.notes.end());
  const bool by_metrics = machines.outcome != Outcome::CannotJudge;
  const bool by_ranks = ranks.outcome == Outcome::Findings || ranks.outcome == Outcome::Healthy;
  if (!by_metrics && by_ranks)
    machines.notes.push_back("Machine metrics were not judged: " + machines.reason);
  if (by_metrics && !by_ranks)
    machines.notes.push_back("Collectives were not judged: " + ranks.reason);
  if (!by_metrics && !by_ranks)
    return machines;
  std::string covered = by_metrics ? machines.covered : "";
  if (by_ranks)
    covered += (covered.empty() ? "" : "; ") + ranks.covered;
  if (!ranks.findings.empty())
    machines.verdict = machines.findings.front().summary + ".";
  else if (!by_metrics)
    machines.verdict = ranks.verdict;
  machines.reason.clear();
  machines.remedy.clear();
  finding::judged(machines, covered);
  return machines;
}

}  // namespace lento::fleet
