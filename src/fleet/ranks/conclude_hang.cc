// Describes the analysis of a hang as a diagnosis: stuck ranks, missing dumps, mismatched operations, rings,
// and ranks that lag in NCCL's monitor.
#include <algorithm>

#include "evidence/names.h"
#include "fleet/ranks/hang.h"
#include "fleet/ranks/ranks.h"

namespace lento::fleet {
namespace {

using finding::Diagnosis;
using finding::Finding;
using ranks::HangAnalysis;
using ranks::StuckKind;
using ranks::StuckRank;

// Returns the first `most` ranks as a list, and the number of the others.
std::string list(const std::vector<int>& ranks, size_t most = 12) {
  std::string out;
  for (size_t i = 0; i < std::min(most, ranks.size()); ++i) {
    out += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
  }
  if (ranks.size() > most)
    out += " and " + std::to_string(ranks.size() - most) + " more";
  return out;
}

// Returns the name of a rank's host, or "host" when the recorded name is not a valid one.
std::string name_of_host(const ranks::RasRank& r) {
  return evidence::fault_of_name(r.host) == evidence::NameFault::None ? r.host : "host";
}

// Returns the finding for a rank that others wait for.
Finding of(const StuckRank& s) {
  Finding f;
  f.subject = "rank" + std::to_string(s.rank);
  f.category = "hang";
  const std::string op = s.op.empty() ? "collective" : s.op;
  const std::string place = op + " " + std::to_string(s.sequence) + " of " + s.group;
  f.summary =
      s.kind == StuckKind::NotJoined
          ? f.subject + " never asked for " + place + ", which its peers wait for: its process stands"
          : f.subject + " does not complete " + place + ", which its peers have behind them: its GPU stands";
  f.score = 0.95;
  f.evidence.push_back(
      {"collectives behind the furthest member of " + s.group,
       double(s.behind),
       "",
       "flight recorder, pg_status and entries"});
  f.evidence.push_back({"groups in which it is behind", double(s.groups), "", "flight recorder"});
  if (!s.waiting.empty())
    f.evidence.push_back(
        {"held up with it in " + s.group + ": rank " + list(s.waiting), std::nullopt, "", "flight recorder"});
  f.evidence.push_back(
      {s.kind == StuckKind::NotJoined ? "no operation of its own is pending"
                                      : "its own first pending operation waits for nobody",
       std::nullopt,
       "",
       "flight recorder, entries"});
  f.next_step = s.kind == StuckKind::NotJoined
                    ? "Look at the stack of its process: data loading, a lock, the storage, a breakpoint."
                    : "Look for errors of its GPU (Xid, ECC) and restart the job without it.";
  return f;
}

// Adds findings for ranks without a dump, or with an incomplete one. `what` describes which.
void add_missing(
    const HangAnalysis& hang,
    const std::vector<int>& missing,
    const std::string& what,
    Diagnosis& d) {
  for (const int rank : missing) {
    Finding f;
    f.subject = "rank" + std::to_string(rank);
    f.category = "missing rank";
    f.score = 0.6;
    size_t waiting = 0;
    for (const ranks::WaitEdge& e : hang.waits)
      waiting += e.for_rank == rank;
    f.summary = f.subject + " left no dump" + what;
    if (waiting > 0)
      f.summary += waiting == 1 ? ", and one rank waits for it"
                                : ", and " + std::to_string(waiting) + " ranks wait for it";
    f.evidence.push_back(
        {"ranks whose first pending operation may wait for it", double(waiting), "", "flight recorder"});
    f.next_step = "Ask whether its process is alive; its dump may lie on another file system.";
    d.findings.push_back(std::move(f));
  }
}

// Adds findings for groups whose members disagree about an operation.
void add_mismatches(const HangAnalysis& hang, Diagnosis& d) {
  for (const ranks::OpMismatch& m : hang.mismatches) {
    Finding f;
    f.subject = m.ranks.empty() ? m.group : "rank" + std::to_string(m.ranks.front());
    f.category = "mismatch";
    f.summary = "members of " + m.group + " disagree about collective " + std::to_string(m.sequence);
    f.score = 0.9;
    f.evidence.push_back({m.what, std::nullopt, "", "flight recorder, entries"});
    f.next_step = "Compare the code paths of these ranks: one has taken another branch or another shape.";
    d.findings.push_back(std::move(f));
  }
}

// Adds the finding for ranks that wait for one another in a circle.
void add_ring(const HangAnalysis& hang, Diagnosis& d) {
  if (hang.ring.size() < 2)
    return;
  Finding f;
  f.subject = "rank" + std::to_string(hang.ring.front());
  f.category = "hang";
  f.summary = "ranks " + list(hang.ring) + " wait for one another in a circle";
  f.score = 0.7;
  for (const int rank : hang.ring) {
    for (const ranks::WaitEdge& e : hang.waits) {
      if (e.waits != rank)
        continue;
      f.evidence.push_back(
          {"rank" + std::to_string(rank) + " waits for rank" + std::to_string(e.for_rank) + " in " + e.op +
               " of " + e.group,
           std::nullopt,
           "",
           "flight recorder"});
      break;
    }
  }
  f.next_step =
      "Their collectives are asked for in different orders: compare the order of groups in the code.";
  d.findings.push_back(std::move(f));
}

// Returns the graph of which rank waits for which.
finding::Figure wait_figure(const HangAnalysis& hang) {
  finding::GraphFigure graph;
  graph.value_name = "ranks that wait for it";
  std::map<int, double> waited;
  for (const ranks::WaitEdge& e : hang.waits) {
    waited.emplace(e.waits, 0);
    waited[e.for_rank] += 1;
  }
  for (const auto& [rank, count] : waited) {
    const bool blamed = std::ranges::any_of(hang.stuck, [rank = rank](const StuckRank& s) {
      return s.rank == rank;
    });
    graph.nodes.push_back({"rank" + std::to_string(rank), "rank" + std::to_string(rank), count, blamed});
  }
  for (const ranks::WaitEdge& e : hang.waits)
    graph.edges.push_back({"rank" + std::to_string(e.waits), "rank" + std::to_string(e.for_rank), 1});
  return {
      "Who waits for whom",
      "By the first operation of each rank that is not complete.",
      std::move(graph)};
}

// Adds ranks that lag in their communicator in two successive answers and made no progress between them.
void add_lagging(
    const fleet::ranks::RasCommunicator& before,
    const fleet::ranks::RasCommunicator& now,
    Diagnosis& d) {
  std::map<std::string, int64_t> most;
  for (const fleet::ranks::RasRank& r : now.ranks) {
    for (const auto& [op, count] : r.counts)
      most[op] = std::max(most[op], count);
  }
  for (const fleet::ranks::RasRank& r : now.ranks) {
    const auto old = std::ranges::find_if(before.ranks, [&](const fleet::ranks::RasRank& b) {
      return b.rank == r.rank && !b.missing;
    });
    if (r.missing || old == before.ranks.end() || old->counts != r.counts)
      continue;
    for (const auto& [op, count] : r.counts) {
      if (count >= most[op])
        continue;
      Finding f;
      f.subject = name_of_host(r) + "/pid" + std::to_string(r.process);
      f.category = "hang";
      f.summary = "rank " + std::to_string(r.rank) + " of communicator " + now.hash + " on " +
                  name_of_host(r) + " has not joined " + op + " " + std::to_string(count + 1);
      f.score = 0.8;
      f.evidence.push_back(
          {op + " behind the furthest member, at two queries",
           double(most[op] - count),
           "",
           "RAS, collective_counts"});
      f.next_step = "Look at the stack of its process.";
      d.findings.push_back(std::move(f));
      break;
    }
  }
}

// Adds findings from answers of NCCL's RAS service.
void add_ras(const std::vector<fleet::ranks::RasAnswer>& answers, Diagnosis& d) {
  if (answers.empty())
    return;
  for (const fleet::ranks::RasCommunicator& c : answers.back().communicators) {
    for (const fleet::ranks::RasRank& r : c.ranks) {
      if (!r.missing && r.error == 0 && !r.aborted)
        continue;
      Finding f;
      f.subject = name_of_host(r) + "/pid" + std::to_string(r.process);
      f.category = r.missing ? "missing rank" : "hang";
      const std::string who =
          "rank " + std::to_string(r.rank) + " of communicator " + c.hash + " on " + name_of_host(r);
      f.summary = who + (r.dead ? " is dead" : r.missing ? " does not answer" : " reports an error");
      f.score = r.dead ? 0.95 : 0.7;
      f.evidence.push_back(
          {"process " + std::to_string(r.process) + ", GPU " + std::to_string(r.device),
           std::nullopt,
           "",
           "RAS"});
      f.next_step = "Look at its process and the kernel log of its host.";
      d.findings.push_back(std::move(f));
    }
    for (size_t i = answers.size() - 1; i-- > 0;) {
      const auto old = std::find_if(
          answers[i].communicators.begin(),
          answers[i].communicators.end(),
          [&](const fleet::ranks::RasCommunicator& o) {
            return o.hash == c.hash;
          });
      if (old == answers[i].communicators.end())
        continue;
      add_lagging(*old, c, d);
      break;
    }
  }
}

}  // namespace

Diagnosis diagnose_hang(
    const std::vector<fleet::ranks::HangDump>& dumps,
    const std::vector<fleet::ranks::RasAnswer>& answers) {
  Diagnosis d;
  d.scale = "fleet";
  d.title = "Hanging job of " + std::to_string(dumps.size()) + " dumps";
  const HangAnalysis hang = ranks::analyse_hang(dumps);
  for (const StuckRank& s : hang.stuck)
    d.findings.push_back(of(s));
  add_mismatches(hang, d);
  add_missing(hang, hang.without_dump, "", d);
  add_missing(hang, hang.without_state, " that holds its place in the group", d);
  add_ring(hang, d);
  add_ras(answers, d);
  if (!hang.waits.empty())
    d.figures.push_back(wait_figure(hang));
  d.facts.push_back({"dumps", std::to_string(dumps.size())});
  d.facts.push_back({"pending operations", std::to_string(hang.pending)});
  finding::sort_findings(d.findings);
  const std::string covered = std::to_string(dumps.size()) + " dumps, " + std::to_string(hang.pending) +
                              " pending operations, " + std::to_string(answers.size()) + " RAS answers";
  const bool nameless = std::ranges::any_of(dumps, [](const fleet::ranks::HangDump& x) {
    return x.rank < 0;
  });
  if (nameless) {
    finding::cannot_judge(
        d,
        "a dump's file name does not end with its rank",
        "name the files PREFIX<rank>, as TORCH_NCCL_DEBUG_INFO_TEMP_FILE does",
        covered);
    return d;
  }
  if (hang.stuck.empty() && hang.without_dump.size() > dumps.size()) {
    std::erase_if(d.findings, [](const Finding& f) {
      return f.category == "missing rank";
    });
    if (d.findings.empty()) {
      finding::cannot_judge(
          d,
          std::to_string(hang.without_dump.size()) + " of " +
              std::to_string(hang.without_dump.size() + dumps.size()) + " ranks are not among these dumps",
          "the dumps of all ranks in one folder: the rank that holds the others up is often the only one "
          "without a dump",
          covered);
      return d;
    }
  }
  if (d.findings.empty() && hang.pending > 0) {
    finding::cannot_judge(
        d,
        "operations are pending, but no rank is behind the others",
        "take the dumps of all ranks at one time, with completed entries "
        "(TORCH_NCCL_TRACE_BUFFER_SIZE) and TORCH_NCCL_ENABLE_TIMING=1",
        covered);
    return d;
  }
  if (d.findings.empty()) {
    d.verdict = "No collective is pending and no rank is missing.";
  } else {
    std::vector<int> stuck;
    for (const StuckRank& s : hang.stuck)
      stuck.push_back(s.rank);
    d.verdict = stuck.empty() ? d.findings.front().summary + "."
                              : (stuck.size() == 1 ? "Rank " : "Ranks ") + list(stuck) + " hold" +
                                    (stuck.size() == 1 ? "s" : "") + " up the job.";
  }
  finding::judged(d, covered);
  return d;
}

}  // namespace lento::fleet
