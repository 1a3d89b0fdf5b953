// Operations that failed between two hosts (RDMA, connections): which end is at fault.
//
// Each line names two ends, the host that reports and the peer that it could not reach, and one line alone
// does not show which of them is faulty. An end is faulty that is common to the failures of two or more other
// hosts. A failure that shares no end with another one leaves it open. A flushed operation follows from an
// earlier failure. Any other status is an error of the program or of its memory on the host that reports.
//
// Source: enum ibv_wc_status of rdma-core (5 flushed, 12 transport retries exceeded, 13 receiver not ready).
#include <algorithm>
#include <map>
#include <set>

#include "desk/incident/judge.h"

namespace lento::desk {
namespace {

constexpr std::string_view kCompletion = "collective/completion error";
constexpr std::string_view kUnreachable = "peer/unreachable";

struct Edge {
  std::string reporter;
  std::string peer;
  const Event* event = nullptr;
};

// Maps the addresses and port GIDs of a host to the name that other lines use for it.
class Names {
 public:
  explicit Names(const Records& records) {
    for (const Event& event : records.events()) {
      const std::string& host = event.subject.host;
      if (host.empty())
        continue;
      for (const char* alias : {"address", "local"})
        if (const std::string& name = field(event, alias); !name.empty() && names_.size() < kMost)
          names_[name] = host;
    }
  }
  // Returns the host at the other end of a failed transfer, or its address.
  std::string peer(const Event& event) const {
    for (const char* alias : {"remote", "peer"})
      if (const auto at = names_.find(field(event, alias)); at != names_.end())
        return at->second;
    return field(event, "peer");
  }

 private:
  static constexpr size_t kMost = size_t{1} << 16;
  std::map<std::string, std::string> names_;
};

// Returns the host that occurs in the failures with the most different other hosts, and their number in
// `others`.
std::string common_end(const std::vector<Edge>& edges, size_t& others) {
  std::map<std::string, std::set<std::string>> ends;
  for (const Edge& edge : edges) {
    ends[edge.reporter].insert(edge.peer);
    ends[edge.peer].insert(edge.reporter);
  }
  const auto most = std::ranges::max_element(ends, {}, [](const auto& end) {
    return end.second.size();
  });
  others = most->second.size();
  return most->first;
}

// Returns the value that a field has in all lines, or "" when the values differ.
std::string shared_field(const std::vector<Edge>& edges, std::string_view name) {
  std::set<std::string> values;
  for (const Edge& edge : edges)
    values.insert(field(*edge.event, name));
  return values.size() == 1 ? *values.begin() : "";
}

// Returns the finding for a host or card at one end of all failed transfers.
finding::Finding
finding_of(const Records& records, const std::string& end, const std::vector<Edge>& edges, size_t others) {
  const bool is_peer = std::ranges::all_of(edges, [&](const Edge& edge) {
    return edge.peer == end;
  });
  const std::string gid = is_peer ? shared_field(edges, "remote") : "";
  const std::string card = shared_field(edges, "card");
  const std::string hosts = std::to_string(others) + (is_peer ? " hosts" : " peers");
  const bool is_rdma = edges[0].event->kind == kCompletion;
  finding::Finding finding;
  finding.subject = end;
  finding.category = "faulty link";
  finding.summary = end + (gid.empty() ? "" : " (GID " + gid + ")") + ": every RDMA operation " +
                    (is_peer ? "towards it from " : "between it and ") + hosts + " that failed (status " +
                    field(*edges[0].event, "status") + ": it does not acknowledge) has this end" +
                    (card.empty() ? "" : ", all through " + card) +
                    "; its port, cable or switch port is at fault, not the " +
                    (is_peer ? "hosts that report" : "peers");
  if (!is_rdma)
    finding.summary =
        end + (is_peer ? ": " + hosts + " do not reach it (" : ": it does not reach " + hosts + " (") +
        edges[0].event->meaning + "); the end that these failures share is at fault";
  finding.score = 1 - 1 / double(others + 2);
  finding.where = place_of({end, "", ""});
  std::set<std::string> quoted_hosts;
  for (const Edge& edge : edges)
    if (quoted_hosts.insert(edge.reporter + edge.peer).second)
      finding.evidence.push_back(quoted(records, *edge.event));
  finding.next_step =
      "look at the port" + (card.empty() ? "" : " beside " + card) + " of " + end +
      ": its state, rate and error counters (ibstat, perfquery), cable and switch port, and whether "
      "the process there had ended before";
  return finding;
}

// Finds the ends that failed RDMA transfers have in common.
void judge_transport(const Records& records, std::vector<Edge> edges, Judgement& out) {
  while (!edges.empty()) {
    size_t others = 0;
    const std::string end = common_end(edges, others);
    if (others < 2)
      break;
    const auto rest = std::stable_partition(edges.begin(), edges.end(), [&](const Edge& edge) {
      return edge.reporter == end || edge.peer == end;
    });
    const std::vector<Edge> own(edges.begin(), rest);
    edges.erase(edges.begin(), rest);
    if (end.starts_with("LID "))
      out.open.push_back(
          {std::to_string(others) + " hosts do not reach the port with " + end + " (" +
               own[0].event->meaning + "), and which host that is these lines do not state",
           "the name of that port: smpquery nodedesc " + end.substr(4)});
    else
      out.findings.push_back(finding_of(records, end, own, others));
  }
  std::set<std::string> pairs;
  for (const Edge& edge : edges)
    pairs.insert(edge.reporter + " and " + edge.peer);
  if (pairs.empty())
    return;
  out.open.push_back(
      {std::string(edges[0].event->kind == kCompletion ? "RDMA operations fail" : "connections fail") +
           " between " + list_text({pairs.begin(), pairs.end()}, 4) +
           ", and these lines do not show which end is at fault",
       "the NCCL logs of all ranks (NCCL_DEBUG=INFO), the port counters (perfquery) and the kernel logs of "
       "both "
       "ends"});
}

// Adds the finding for an RDMA error that the program itself caused.
void judge_program(const Records& records, const Event& event, Judgement& out) {
  finding::Finding finding;
  finding.subject = subject_text(event.subject);
  finding.category = "fault of a program";
  finding.summary =
      finding.subject + ": an RDMA operation failed, status " + field(event, "status") +
      (field(event, "status") == "4" ? " (its own memory may not be accessed by the card)" : "");
  finding.score = 0.6;
  finding.where = place_of(event.subject);
  finding.evidence = {quoted(records, event)};
  finding.next_step =
      "look at GPUDirect RDMA there (nvidia-peermem or dma-buf), at limits of locked memory and at the "
      "versions "
      "of NCCL on both ends";
  out.findings.push_back(std::move(finding));
}

}  // namespace

// Judges completion errors of RDMA: errors of the network, and errors of the program.
void judge_completions(const Records& records, const JudgeOptions&, Judgement& out) {
  const Names names(records);
  std::vector<Edge> transport;
  std::map<Subject, const Event*> program;
  bool is_flushed = false;
  for (const Event& event : records.events()) {
    if (event.kind != kCompletion && event.kind != kUnreachable)
      continue;
    const std::string& status = field(event, "status");
    const std::string host = event.subject.host.empty() ? subject_text(event.subject) : event.subject.host;
    if (event.kind == kUnreachable && event.subject.host.empty())
      continue;  // this end is not named
    if (status == "12" || status == "13" || status.empty())
      transport.push_back({host, names.peer(event), &event});
    else if (status == "5")
      is_flushed = true;
    else
      program.try_emplace(event.subject, &event);
  }
  const size_t failed = transport.size() + program.size() + is_flushed;
  if (failed == 0)
    return;
  out.covered.push_back("operations between hosts that failed, in " + std::to_string(failed) + " lines");
  const size_t before = out.findings.size() + out.open.size();
  judge_transport(records, transport, out);
  for (const auto& [subject, event] : program)
    judge_program(records, *event, out);
  if (is_flushed && out.findings.size() + out.open.size() == before)
    out.open.push_back(
        {"RDMA operations were flushed behind a failure that is not in these lines",
         "the NCCL logs of all ranks from before"});
}

}  // namespace lento::desk
