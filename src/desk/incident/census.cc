// Counts the parts of one kind that each host lists: GPUs, network cards, disks. A host that lists fewer than
// all of its peers, which agree, has lost one, whichever reader read them.
//
// Rows of a table may be about anything (jobs, processes). They are parts where all hosts list the same
// names.
//
// Hosts with a file that was cut are left out, because the missing parts may be listed after the cut.
#include <algorithm>
#include <map>
#include <set>

#include "desk/incident/judge.h"

namespace lento::desk {
namespace {

// "gpu3" and "gpu4" are of one kind, as are "0000:17:00.0" and "0000:3d:00.0".
std::string kind_of_part(std::string_view device) {
  std::string kind;
  for (const char c : device.starts_with("/") ? device : device.substr(0, device.find('/')))
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':')
      kind += c;
  return std::ranges::count(device, ':') == 2 ? "PCI device" : kind;
}

struct Listed {
  std::set<std::string> parts;
  std::set<int32_t> files;
  Where where;
  bool is_by_name = true;
};
using ByHost = std::map<std::string, Listed>;

std::map<std::string, ByHost> parts_of(const Records& records) {
  std::map<std::string, ByHost> kinds;
  for (const Series& series : records.series()) {
    const Subject& subject = records.subjects()[series.subject];
    const SourceFile& file = records.files[size_t(series.file)];
    if (subject.host.empty() || subject.device.empty() || series.rows.empty() || file.is_cut() ||
        file.is_broken)
      continue;
    Listed& listed = kinds[kind_of_part(subject.device)][subject.host];
    listed.parts.insert(subject.device);
    listed.files.insert(series.file);
    listed.is_by_name &= records.quantities()[series.quantity].group == kListedByName;
    listed.where = series.rows[0].where;
  }
  // A part that does not answer has no values, but the same file lists it.
  for (const Event& event : records.events()) {
    const auto kind = kinds.find(kind_of_part(event.subject.device));
    const auto host = kind == kinds.end() ? ByHost::iterator() : kind->second.find(event.subject.host);
    if (kind != kinds.end() && host != kind->second.end() && host->second.files.contains(event.where.file))
      host->second.parts.insert(event.subject.device);
  }
  return kinds;
}

// Returns whether what the hosts list are the same parts, as far as they list them.
bool are_comparable(const ByHost& hosts) {
  const auto most = std::ranges::max_element(hosts, {}, [](const auto& host) {
    return host.second.parts.size();
  });
  return std::ranges::all_of(hosts, [&](const auto& host) {
    return !host.second.is_by_name || std::ranges::includes(most->second.parts, host.second.parts);
  });
}

void judge_kind(const Records& records, const std::string& kind, const ByHost& hosts, Judgement& out) {
  constexpr size_t kFewestHosts = 4;
  constexpr size_t kFewestParts = 2;
  if (hosts.size() < kFewestHosts || kind.empty() || !are_comparable(hosts))
    return;
  out.covered.push_back("number of " + kind + " of " + std::to_string(hosts.size()) + " hosts");
  std::map<size_t, size_t> votes;  // hosts with so many parts
  for (const auto& [host, listed] : hosts)
    ++votes[listed.parts.size()];
  const auto most = std::ranges::max_element(votes, {}, [](const auto& vote) {
    return vote.second;
  });
  if (most->second + 1 != hosts.size() || most->first < kFewestParts)
    return;
  for (const auto& [host, listed] : hosts) {
    if (listed.parts.size() >= most->first)
      continue;
    finding::Finding finding;
    finding.subject = host;
    finding.category = "unlike its peers: number of parts";
    finding.summary = host + " lists " + std::to_string(listed.parts.size()) + " " + kind + " where its " +
                      std::to_string(most->second) + " peers list " + std::to_string(most->first) + " each";
    finding.score = 1 - 1 / double(most->second + 2);
    finding.where = finding::Place{host, "", ""};
    finding.evidence.push_back(
        {"parts of the kind '" + kind + "' in its files",
         double(listed.parts.size()),
         "",
         place_text(records, listed.where)});
    finding.next_step = "look for the part that is gone in its kernel log (dmesg -T) and in lspci";
    out.findings.push_back(std::move(finding));
  }
}

}  // namespace

void judge_census(const Records& records, const JudgeOptions&, Judgement& out) {
  for (const auto& [kind, hosts] : parts_of(records))
    judge_kind(records, kind, hosts, out);
}

}  // namespace lento::desk
