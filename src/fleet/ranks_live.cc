// Follows growing logs of collectives, judges the last minutes again and again, and confirms findings before
// reporting them.
#include "fleet/ranks_live.h"

#include <glob.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

namespace lento::fleet {
namespace {

using fleet::ranks::InspectorMean;

constexpr size_t kMostLine = size_t{1} << 20;  // an Inspector line has under a few KiB

// Returns the files that match a pattern now. A path without wildcards, or one that exists, matches itself.
std::vector<std::string> matches(const std::string& path) {
  if (path.find_first_of("*?[") == std::string::npos || std::filesystem::exists(path))
    return {path};
  glob_t found{};
  std::vector<std::string> out;
  if (glob(path.c_str(), 0, nullptr, &found) == 0)
    out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return out;
}

// Returns the files that match the patterns.
std::vector<std::string> named(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    for (std::string& match : matches(path))
      out.push_back(std::move(match));
  }
  return out;
}

// Returns the logs and Prometheus pages that the paths name or that lie in folders among them, sorted.
std::vector<std::string> logs_of(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  std::error_code error;
  for (const std::string& path : named(paths)) {
    if (!std::filesystem::is_directory(path, error)) {
      out.push_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             path,
             std::filesystem::directory_options::skip_permission_denied,
             error)) {
      const std::string name = entry.path().string();
      if (entry.is_regular_file(error) &&
          (name.ends_with(".log") || name.ends_with(".jsonl") || name.ends_with(".prom")))
        out.push_back(name);
    }
  }
  std::ranges::sort(out);
  return out;
}

std::pair<std::string_view, int64_t> id(const fleet::ranks::RankTrace& rank) {
  return {rank.host, rank.process};
}

}  // namespace

bool worth_a_call(const finding::Finding& f, double costliest, const RanksLiveOptions& options) {
  const double share = f.lost_share.value_or(1);
  const bool beside = share < options.beside * costliest;
  const double least_s = beside ? options.least_beside_s : options.least_s;
  const bool lasted = !f.when || f.when->end - f.when->begin >= least_s;
  return lasted && share >= options.least_share;
}

void RanksLive::read(const std::string& path, Tail& tail) {
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(path, error);
  if (error)
    return;
  if (size < tail.offset)
    tail = {};
  if (size == tail.offset)
    return;
  std::ifstream in(path, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(tail.offset));
  std::string block(size_t{1} << 20, '\0');
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    const auto got = size_t(in.gcount());
    tail.offset += got;
    tail.rest.append(block, 0, got);
    size_t from = 0;
    for (size_t end = tail.rest.find('\n'); end != std::string::npos; end = tail.rest.find('\n', from)) {
      if (end > from)
        lines_.add(std::string_view(tail.rest).substr(from, end - from), {path});
      from = end + 1;
    }
    tail.rest.erase(0, from);
    if (tail.rest.size() > kMostLine) {
      report_.skip({path}, "a line of over 1 MiB");
      tail.rest.clear();
    }
  }
}

// Adds new records and drops those older than the window.
void RanksLive::keep_window() {
  for (fleet::ranks::RankTrace& fresh : lines_.take()) {
    const auto at = std::ranges::lower_bound(ranks_, id(fresh), {}, id);
    if (at == ranks_.end() || id(*at) != id(fresh)) {
      ranks_.insert(at, std::move(fresh));
      continue;
    }
    fleet::ranks::RankTrace& kept = *at;
    kept.timed = kept.timed && fresh.timed;
    kept.communicators = std::move(fresh.communicators);
    kept.records.insert(kept.records.end(), fresh.records.begin(), fresh.records.end());
  }
  const auto window = int64_t(options_.window_s * 1e9);
  for (fleet::ranks::RankTrace& rank : ranks_) {
    if (rank.timed) {
      std::ranges::stable_sort(rank.records, [](const auto& a, const auto& b) {
        return a.begin_ns < b.begin_ns;
      });
      const int64_t oldest = rank.records.back().end_ns - window;
      std::erase_if(rank.records, [&](const fleet::ranks::CollectiveRecord& r) {
        return r.begin_ns < oldest;
      });
    }
    rank.communication = rank.records.size();
  }
}

// Reads the mean durations of collectives that the store and the Inspector's Prometheus pages hold. Pages
// much older than the newest are skipped, because a process that has ended leaves its last page behind.
std::vector<fleet::ranks::InspectorMean> RanksLive::fresh_means(const std::vector<std::string>& files) {
  std::vector<std::pair<std::filesystem::file_time_type, std::string>> pages;
  std::error_code error;
  for (const std::string& path : files) {
    const auto written = std::filesystem::last_write_time(path, error);
    if (path.ends_with(".prom") && !error)
      pages.emplace_back(written, path);
  }
  std::vector<fleet::ranks::InspectorMean> out;
  if (options_.means)
    out = options_.means();
  fresh_ = fresh_ || !out.empty();
  if (pages.empty())
    return out;
  const auto newest = std::ranges::max(pages).first;
  fresh_ = fresh_ || newest != newest_page_;
  newest_page_ = newest;
  const auto stale = std::chrono::duration<double>(options_.stale_s);
  for (const auto& [written, path] : pages) {
    if (newest - written > stale)
      continue;
    base::ReadReport page;
    const std::vector<fleet::ranks::InspectorMean> means = fleet::ranks::read_inspector_prom(path, page);
    out.insert(out.end(), means.begin(), means.end());
  }
  return out;
}

// Returns findings that are new after enough confirmations, and findings that have ended.
std::vector<RanksChange> RanksLive::compare() {
  for (auto& [key, told] : told_)
    ++told.missed;
  double costliest = 0;
  for (const finding::Finding& f : diagnosis_.findings)
    costliest = std::max(costliest, f.lost_share.value_or(0));
  for (const finding::Finding& f : diagnosis_.findings) {
    const std::string key = f.category + " " + f.subject;
    const auto known = told_.find(key);
    const bool standing = known != told_.end() && known->second.told;
    if (!worth_a_call(f, standing ? 0 : costliest, options_))
      continue;
    Told& told = told_[key];
    told.missed = 0;
    ++told.seen;
    told.finding = f;
  }
  std::vector<RanksChange> changes;
  for (auto it = told_.begin(); it != told_.end();) {
    Told& t = it->second;
    if (t.missed == 0 && !t.told && t.seen >= options_.confirm) {
      t.told = true;
      changes.push_back({true, t.finding});
    }
    // A finding seen only once was chance. A reported one that has not been seen for long enough is over.
    const bool over = t.missed >= (t.told ? options_.confirm : 1);
    if (over && t.told)
      changes.push_back({false, t.finding});
    it = over ? told_.erase(it) : std::next(it);
  }
  return changes;
}

std::vector<finding::Finding> RanksLive::standing() const {
  std::vector<finding::Finding> out;
  for (const auto& [key, told] : told_) {
    if (told.told)
      out.push_back(told.finding);
  }
  return out;
}

std::vector<RanksChange> RanksLive::poll() {
  const std::vector<std::string> files = logs_of(options_.paths);
  const uint64_t before = report_.taken;
  for (const std::string& path : files) {
    if (!path.ends_with(".prom"))
      read(path, tails_[path]);
  }
  fresh_ = report_.taken > before;
  keep_window();
  RanksOptions o;
  o.figures = false;
  const std::vector<fleet::ranks::InspectorMean> means = fresh_means(files);
  diagnosis_ = {};
  if (!ranks_.empty())
    diagnosis_ = diagnose_ranks(ranks_, o);
  else if (!means.empty())
    diagnosis_ = diagnose_means(means);
  return compare();
}

}  // namespace lento::fleet
