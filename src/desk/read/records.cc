// Keeps rows in bounded memory: strings are stored once, a full series drops every second sample, and
// repeated events are counted.
#include "desk/read/records.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "base/moment.h"
#include "desk/read/log_date.h"

namespace lento::desk {
namespace {

// Drops every second row of a full series.
void thin(Series& series) {
  size_t kept = 0;
  for (size_t i = 0; i < series.rows.size(); i += 2)
    series.rows[kept++] = std::move(series.rows[i]);
  series.rows.resize(kept);
  series.stride *= 2;
}

void fill(std::string& member, const std::string& name) {
  if (member.empty())
    member = name;
}

// Fills in missing members. A rank from the file's name is not added to a row that names a device of a host.
void fill(Subject& subject, const Subject& name) {
  fill(subject.host, name.host);
  if (subject.device.empty())
    fill(subject.rank, name.rank);
}

template <class Pairs>
auto find(const Pairs& pairs, std::string_view name) {
  return std::ranges::find_if(pairs, [&](const auto& pair) {
    return pair.first == name;
  });
}

const std::string kNone;

// Returns the names with a domain whose first part is the name of a host too, and of no other with a domain.
std::set<std::string> hosts_with_and_without_domain(
    const std::vector<Subject>& subjects,
    const std::vector<Event>& events,
    const std::map<int32_t, Subject>& names) {
  std::set<std::string> hosts;
  for (const Subject& subject : subjects)
    hosts.insert(subject.host);
  for (const Event& event : events)
    hosts.insert(event.subject.host);
  for (const auto& [file, subject] : names)
    hosts.insert(subject.host);
  std::map<std::string, std::set<std::string>> by_first;
  for (const std::string& host : hosts)
    if (const size_t dot = host.find('.'); dot != host.npos && hosts.contains(host.substr(0, dot)))
      by_first[host.substr(0, dot)].insert(host);
  std::set<std::string> shortened;
  for (const auto& [first, full] : by_first)
    if (full.size() == 1)
      shortened.insert(*full.begin());
  return shortened;
}

}  // namespace

std::string subject_text(const Subject& subject) {
  std::string text = subject.host;
  if (!subject.device.empty())
    text += (text.empty() ? "" : "/") + subject.device;
  if (!subject.rank.empty())
    text += (text.empty() ? "rank " : " rank ") + subject.rank;
  return text.empty() ? "the job" : text;
}

std::string moment_text(const Moment& moment) {
  if (moment.clock == Clock::None || !std::isfinite(moment.seconds))
    return "";
  if (moment.clock == Clock::Boot) {
    char text[64];
    std::snprintf(text, sizeof text, "%.1f s after boot", moment.seconds);
    return text;
  }
  constexpr double kLastMoment = 2.5e11;  // largest time that a calendar date can represent, in the year 9892
  if (moment.seconds < 0 || moment.seconds > kLastMoment)
    return "";
  const std::string text = base::format_moment(moment.seconds);
  return moment.clock == Clock::Yearless ? text.substr(5) : text;
}

const std::string& field(const Event& event, std::string_view name) {
  const auto at = find(event.fields, name);
  return at == event.fields.end() ? kNone : at->second;
}

const std::string& fact(const Run& run, std::string_view name) {
  const auto at = find(run.facts, name);
  return at == run.facts.end() ? kNone : at->second;
}

std::optional<double> measured(const Run& run, std::string_view name) {
  for (const auto& [quantity, value] : run.measured)
    if (quantity.name == name)
      return value;
  return std::nullopt;
}

uint32_t Records::subject_id(const Subject& subject) {
  const auto [at, is_new] = subject_ids_.try_emplace(subject, uint32_t(subjects_.size()));
  if (is_new)
    subjects_.push_back(subject);
  return at->second;
}

uint32_t Records::quantity_id(const Quantity& quantity) {
  const auto key = std::tuple(quantity.name, quantity.group, quantity.scope);
  const auto [at, is_new] = quantity_ids_.try_emplace(key, uint32_t(quantities_.size()));
  if (is_new)
    quantities_.push_back(quantity);
  return at->second;
}

// Adds a sample to its series. Samples beyond the limit are counted only.
void Records::add(Observation row) {
  note_time(row.time);
  const auto key = std::tuple(row.subject, row.quantity, row.where.file);
  const auto [at, is_new] = series_ids_.try_emplace(key, series_.size());
  if (is_new) {
    if (series_.size() == kMostSeries) {
      series_ids_.erase(at);
      ++dropped_;
      return;
    }
    series_.push_back({row.subject, row.quantity, row.where.file, 0, 1, {}});
  }
  Series& series = series_[at->second];
  if (series.seen++ % series.stride != 0)
    return;
  if (series.rows.size() == kSeriesRows)
    thin(series);
  if ((series.seen - 1) % series.stride == 0)
    series.rows.push_back(std::move(row));
}

// Adds an event. Repeated events are counted after the first few.
void Records::add(Event event) {
  note_time(event.time);
  const auto key = std::tuple(event.kind, event.subject, event.where.file);
  auto& [last, kept] = event_counts_[key];
  if (kept < kEventRows && events_.size() < kMostEvents) {
    last = events_.size();
    ++kept;
    events_.push_back(std::move(event));
    return;
  }
  if (kept == 0)
    ++dropped_;
  else
    events_[last].count += event.count;
}

void Records::add(Run run) {
  if (runs_.size() < kMostRuns)
    runs_.push_back(std::move(run));
  else
    ++dropped_;
}

void Records::note_address(const Subject& by_number, const std::string& address, int32_t file) {
  constexpr size_t kMostAddresses = size_t{1} << 14;
  if (numbers_.size() < kMostAddresses)
    numbers_[{by_number.host, address, file}] = by_number.device;
}

void Records::note_pod(const std::string& pod, const std::string& node) {
  constexpr size_t kMostPods = size_t{1} << 14;
  if (node_of_pod_.size() < kMostPods)
    node_of_pod_[pod] = node;
}

void Records::name_by_files(const std::map<int32_t, Subject>& names) {
  const auto host_of = [&](const std::string& host, int32_t file) {
    const auto at = names.find(file);
    return host.empty() && at != names.end() ? at->second.host : host;
  };
  // When one address has two numbers, as after a restart, neither is used.
  std::map<std::pair<std::string, std::string>, std::string> numbers;
  for (const auto& [key, number] : numbers_) {
    const auto& [host, address, file] = key;
    const auto [at, is_new] = numbers.try_emplace({host_of(host, file), address}, number);
    if (!is_new && at->second != number)
      at->second.clear();
  }
  const std::set<std::string> shortened = hosts_with_and_without_domain(subjects_, events_, names);
  std::map<std::string, size_t> pods;  // on each node
  for (const auto& [pod, node] : node_of_pod_)
    ++pods[node];
  const auto rename = [&](Subject& subject, int32_t file) {
    if (const auto at = names.find(file); at != names.end())
      fill(subject, at->second);
    if (const auto at = node_of_pod_.find(subject.host); at != node_of_pod_.end() && pods[at->second] == 1)
      subject.host = at->second;
    if (shortened.contains(subject.host))
      subject.host.resize(subject.host.find('.'));
    const auto number = numbers.find({subject.host, subject.device});
    if (number != numbers.end() && !number->second.empty())
      subject.device = number->second;
  };
  for (Event& event : events_)
    rename(event.subject, event.where.file);
  for (Run& run : runs_)
    rename(run.subject, run.where.file);
  for (Series& series : series_) {
    Subject subject = subjects_[series.subject];
    rename(subject, series.file);
    series.subject = subject_id(subject);
    for (Observation& row : series.rows)
      row.subject = series.subject;
  }
}

void Records::note_time(const Moment& time) {
  constexpr size_t kMostZones = 8;
  if (time.zone != Moment::kAbsolute && time.zone != Moment::kLocal && zones_.size() < kMostZones)
    zones_.insert(time.zone);
  double& newest = newest_[size_t(time.clock)];
  if (std::isfinite(time.seconds) && !(time.seconds <= newest))
    newest = time.seconds;
}

template <class Change>
void Records::change_times(const Change& change) {
  for (Event& event : events_)
    change(event.time);
  for (Series& series : series_)
    for (Observation& row : series.rows)
      change(row.time);
}

void Records::date_by_newest() {
  const double newest = this->newest(Clock::Unix);
  if (!std::isfinite(newest))
    return;
  change_times([&](Moment& time) {
    if (time.clock != Clock::Yearless)
      return;
    time = {Clock::Unix, with_year(time.seconds, newest), time.zone};
    note_time(time);
  });
}

void Records::place_in_zone() {
  if (zones_.size() != 1 || *zones_.begin() == 0)
    return;
  newest_[size_t(Clock::Unix)] = kUnknown;
  change_times([&](Moment& time) {
    if (time.clock == Clock::Unix && time.zone == Moment::kLocal) {
      time.seconds -= 60.0 * *zones_.begin();
      time.zone = *zones_.begin();
    }
    note_time(time);
  });
}

}  // namespace lento::desk
