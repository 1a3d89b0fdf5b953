// Counts the parts of one kind that each host lists: GPUs, network cards, disks. When one host lists fewer
// than its peers, which all list the same number, it has lost a part.
//
// Rows of a table may be about anything (jobs, processes). They are parts when all hosts list the same
// names.
//
// The parts that a host lists are a lower bound where its lines are at the edge of a file that may have lost
// some: the first lines of a log, or a last line without its end. When such a host lists fewer parts, that
// is an open question.
#include <algorithm>
#include <map>
#include <set>

#include "desk/incident/judge.h"

namespace lento::desk {
namespace {

// Returns the kind of a device, which is its name without numbers: "gpu" of "gpu3", "PCI device" of an
// address such as "0000:17:00.0".
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
  Where first;  // the earliest row, and the part that it lists
  std::string first_part;
  bool is_by_name = true;
  bool is_torn = false;
};
using ByHost = std::map<std::string, Listed>;

std::map<std::string, ByHost> parts_of(const Records& records) {
  std::map<std::string, ByHost> kinds;
  for (const Series& series : records.series()) {
    const Subject& subject = records.subjects()[series.subject];
    const SourceFile& file = records.files[size_t(series.file)];
    if (subject.host.empty() || subject.device.empty() || series.rows.empty() || file.is_broken)
      continue;
    Listed& listed = kinds[kind_of_part(subject.device)][subject.host];
    const Where first = series.rows[0].where;
    if (listed.parts.empty() ||
        std::pair(first.file, first.line) < std::pair(listed.first.file, listed.first.line)) {
      listed.first = first;
      listed.first_part = subject.device;
    }
    listed.parts.insert(subject.device);
    listed.files.insert(series.file);
    listed.is_torn |= file.torn_line > 0;
    listed.is_by_name &= records.quantities()[series.quantity].group == kListedByName;
    listed.where = series.rows[0].where;
  }
  // A device that does not answer has no values. It is counted when an event in a file that lists its kind
  // names it.
  for (const Event& event : records.events()) {
    const auto kind = kinds.find(kind_of_part(event.subject.device));
    const auto host = kind == kinds.end() ? ByHost::iterator() : kind->second.find(event.subject.host);
    if (kind != kinds.end() && host != kind->second.end() && host->second.files.contains(event.where.file))
      host->second.parts.insert(event.subject.device);
  }
  return kinds;
}

// Returns whether the hosts list the same kind of parts: a host that lists parts by name has only names that
// the host with the most parts has too.
bool are_comparable(const ByHost& hosts) {
  const auto most = std::ranges::max_element(hosts, {}, [](const auto& host) {
    return host.second.parts.size();
  });
  return std::ranges::all_of(hosts, [&](const auto& host) {
    return !host.second.is_by_name || std::ranges::includes(most->second.parts, host.second.parts);
  });
}

// Returns whether the text may lack lines of a host: its file was cut while that of some host was not, or its
// lines are the first of a log, which may have lost some, and at least half of the hosts begin with another
// device in another line of their file.
bool may_be_short(const Records& records, const ByHost& hosts, const Listed& own) {
  size_t torn = 0;
  size_t alike = 0;  // hosts that begin with the same part, or after the same header
  bool is_at_head = records.files[size_t(own.first.file)].is_log;
  for (const auto& [host, listed] : hosts) {
    torn += listed.is_torn;
    alike +=
        listed.first_part == own.first_part || (own.first.line > 1 && listed.first.line == own.first.line);
    is_at_head &= listed.first.file != own.first.file || listed.first.line >= own.first.line;
  }
  return (own.is_torn && torn < hosts.size()) || (is_at_head && alike * 2 <= hosts.size());
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
    const std::string summary = host + " lists " + std::to_string(listed.parts.size()) + " " + kind +
                                " where its " + std::to_string(most->second) + " peers list " +
                                std::to_string(most->first) + " each";
    if (may_be_short(records, hosts, listed)) {
      out.open.push_back({summary + ", and lines of it may be missing", "the whole log of " + host});
      return;
    }
    finding::Finding finding;
    finding.subject = host;
    finding.category = "unlike its peers: number of parts";
    finding.summary = summary;
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
