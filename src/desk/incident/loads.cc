// The load of GPUs at one instant decides what else can be compared. A clock of a GPU with little to do is
// low for want of work, so that it is only compared among GPUs under equal load. A GPU or host with far less
// load than its peers is idle, waits, or has other work, which one instant does not tell apart: it raises a
// question.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/units.h"
#include "desk/incident/state_peers.h"
#include "evidence/outliers.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

// Loads of at least this share of the highest count as equal: utilisation is the share of samples of one
// second in which a kernel ran, which differs by a few percent between GPUs of one job.
constexpr double kEqualLoad = 0.9;
// A host or device whose load is below this share of the median of its peers is taken to do other work.
constexpr double kOtherLoad = 0.5;

using ValuesByHost = std::map<std::string, std::vector<double>>;  // of each host

ValuesByHost values_by_host(const std::vector<Peer>& parts) {
  ValuesByHost hosts;
  for (const Peer& part : parts)
    hosts[part.subject.host].push_back(part.value);
  return hosts;
}

// Returns one peer for each host with the median load of its devices, or `parts` unchanged when there are
// fewer than four hosts.
std::vector<Peer> hosts_of(const std::vector<Peer>& parts) {
  constexpr size_t kFewestHosts = 4;
  const ValuesByHost hosts = values_by_host(parts);
  if (hosts.size() < kFewestHosts)
    return parts;
  std::vector<Peer> out;
  for (const Peer& part : parts) {
    if (!out.empty() && out.back().subject.host == part.subject.host)
      continue;
    out.push_back(part);
    out.back().subject = {part.subject.host, "", ""};
    out.back().value = evidence::median(hosts.at(part.subject.host));
    out.back().text = "";
  }
  return out;
}

std::vector<Peer> with_values(std::vector<Peer> parts) {
  std::erase_if(parts, [](const Peer& part) {
    return std::isnan(part.value);
  });
  return parts;
}

}  // namespace

double times_traffic(const Records& records, const Subject& subject) {
  std::map<uint32_t, std::vector<double>> values;
  std::map<uint32_t, double> own;
  for (const Series& series : records.series()) {
    const Quantity& quantity = records.quantities()[series.quantity];
    const bool is_traffic = quantity.kind == Kind::Counter && quantity.better == Better::Neither;
    if (!is_traffic || series.rows.empty() || !series.rows[0].is_state())
      continue;
    values[series.quantity].push_back(series.rows.back().value);
    if (records.subjects()[series.subject] == subject)
      own[series.quantity] = series.rows.back().value;
  }
  std::vector<double> times;
  for (const auto& [quantity, value] : own)
    if (const double typical = evidence::median(values[quantity]); typical > 0)
      times.push_back(value / typical);
  return times.empty() ? 1 : evidence::median(times);
}

std::set<Subject> less_loaded(const Records& records, const SeriesByQuantity& loads) {
  std::set<Subject> out;
  for (const auto& [id, series] : loads) {
    if (records.quantities()[id].unit != "%")
      continue;
    const std::vector<Peer> parts = with_values(peers_of(records, series));
    const ValuesByHost hosts = values_by_host(parts);
    double most = 0;
    for (const auto& [host, values] : hosts)
      most = std::max(most, evidence::median(values));
    for (const Peer& part : parts) {
      const double of_host = evidence::median(hosts.at(part.subject.host));
      if (!(part.value > 0) || of_host < kEqualLoad * most || part.value < kEqualLoad * of_host)
        out.insert(part.subject);
    }
  }
  return out;
}

void note_idle(const Records& records, Judgement& out) {
  std::set<Subject> idle;
  for (const Event& event : records.events())
    if (event.kind == "gpu/no job")
      idle.insert(event.subject);
  const bool has_load = std::ranges::any_of(records.series(), [&](const Series& series) {
    return records.quantities()[series.quantity].is_load;
  });
  if (!idle.empty() && !has_load && !has_course_of_job(records))
    out.all_clear = "Nothing is wrong in what these files show, but no program runs on the " +
                    std::to_string(idle.size()) + (idle.size() == 1 ? " GPU" : " GPUs") +
                    ", so that a slow one would not show";
}

void question_loads(
    const Records& records,
    const SeriesByQuantity& loads,
    const JudgeOptions& options,
    Judgement& out) {
  std::set<Subject> asked;
  for (const auto& [id, series] : loads) {
    const Quantity& quantity = records.quantities()[id];
    const std::vector<Peer> parts = hosts_of(with_values(peers_of(records, series)));
    std::vector<double> values;
    for (const Peer& part : parts)
      values.push_back(part.value);
    if (values.size() < kFewestStatePeers)
      continue;
    const double typical = evidence::median(values);
    constexpr double kResolution = 1;  // percent and watt, as tools print them
    for (const evidence::Outlier& outlier :
         evidence::outliers(values, evidence::Side::Low, options.false_alarms, {kResolution})) {
      const Peer& part = parts[outlier.index];
      if (part.value >= kOtherLoad * typical || !asked.insert(part.subject).second)
        continue;
      out.open.push_back(
          {subject_text(part.subject) + " has " + quantity.name + " " + shown(part, quantity) +
               " where its " + std::to_string(parts.size() - 1) + " peers have about " +
               base::format_measure(typical, quantity.unit) + " (" + place_text(records, part.where) +
               "): it is idle, waits for others, or has other work",
           "which job has it (squeue, nvidia-smi), and the log or the stacks of the ranks that run there"});
    }
  }
}

}  // namespace lento::desk
