// Failed transfers name two ends, and the one that writes the line is seldom at fault. The end that all
// failed transfers have in common is, where it failed with at least two others.
#include <algorithm>
#include <map>
#include <set>

#include "desk/incident/judge.h"

namespace lento::desk {
namespace {

// "10.0.3.9<40231>" without the port, which each connection has of its own.
std::string address_of(const std::string& peer) {
  return peer.substr(0, peer.find('<'));
}

std::string reporter_of(const Event& event) {
  return event.subject.host.empty() ? subject_text(event.subject) : event.subject.host;
}

// Distinct values of a field, "" where there are several.
std::string shared_field(const std::vector<const Event*>& events, std::string_view name) {
  const std::string& first = field(*events.front(), name);
  const bool is_shared = std::ranges::all_of(events, [&](const Event* event) {
    return field(*event, name) == first;
  });
  return is_shared ? first : "";
}

}  // namespace

std::set<const Event*> judge_common_peer(const Records& records, Judgement& out) {
  std::vector<const Event*> events;
  std::map<std::string, std::set<std::string>> partners;
  for (const Event& event : records.events()) {
    if (event.kind != "nccl/completion error" || field(event, "peer").empty())
      continue;
    events.push_back(&event);
    partners[address_of(field(event, "peer"))].insert(reporter_of(event));
  }
  if (partners.size() != 1 || partners.begin()->second.size() < 2)
    return {};
  const auto& [peer, reporters] = *partners.begin();
  const std::string gid = shared_field(events, "remote gid");
  const std::string card = shared_field(events, "hca");
  const std::string status = shared_field(events, "status");
  finding::Finding finding;
  finding.subject = peer;
  finding.category = "faulty link";
  finding.summary = "Every failed transfer of " + std::to_string(reporters.size()) + " hosts (" +
                    list_text({reporters.begin(), reporters.end()}) + ") goes to " + peer +
                    (gid.empty() ? "" : ", GID " + gid) + (card.empty() ? "" : ", through " + card) +
                    (status.empty() ? "" : ", status " + status) +
                    ": that peer, its port, cable or switch port, and none of those that report";
  finding.score = 0.9;
  finding::Place place;
  place.host = peer;
  finding.where = place;
  constexpr size_t kMostQuoted = 6;
  std::set<std::string> quoted_hosts;
  for (const Event* event : events)
    if (quoted_hosts.size() < kMostQuoted && quoted_hosts.insert(reporter_of(*event)).second)
      finding.evidence.push_back(quoted(records, *event));
  finding.evidence.push_back(
      {"hosts whose transfers to it failed", double(reporters.size()), "hosts", "NCCL debug log"});
  finding.next_step =
      "look whether the peer lives, at the counters of its port (perfquery, ethtool -S) and of the "
      "switch port, and at the cable";
  out.findings.push_back(std::move(finding));
  return {events.begin(), events.end()};
}

}  // namespace lento::desk
