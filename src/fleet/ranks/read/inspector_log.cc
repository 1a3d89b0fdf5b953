// Reads the Inspector's log, one object per line:
//            {"header":{id, comm_name, rank, n_ranks, nnodes}, "metadata":{hostname, pid, ...},
//             "coll_perf":{coll, coll_sn, coll_msg_size_bytes, coll_exec_time_us, event_trace_ts}}
// or "p2p_perf" with p2p, p2p_sn, p2p_peer, ... in place of coll_perf. event_trace_ts exists in verbose mode
// only. Without it a record has a duration but no begin.
#include "fleet/ranks/read/inspector_log.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/file.h"
#include "base/scan/json_scan.h"

namespace lento::fleet::ranks {
namespace {

// Sets begin and end to the earliest and latest time over the channels of the kernel. Returns false without
// such times.
bool kernel_times(std::string_view trace, CollectiveRecord& r) {
  bool any = false;
  for (base::JsonMembers m(trace); m.next();) {
    if (m.key() != "kernel_events")
      continue;
    for (base::JsonElements e(m.value()); e.next();) {
      int64_t begin = 0;
      int64_t end = 0;
      for (base::JsonMembers k(e.value()); k.next();) {
        if (k.key() == "kernel_start_ts")
          base::json_micros(k.value(), begin);
        if (k.key() == "kernel_stop_ts")
          base::json_micros(k.value(), end);
      }
      if (begin <= 0 || end < begin)
        continue;
      r.begin_ns = any ? std::min(r.begin_ns, begin) : begin;
      r.end_ns = any ? std::max(r.end_ns, end) : end;
      any = true;
    }
  }
  return any;
}

// Parses the record of an operation. Returns false when a required field is missing.
bool parse_perf(std::string_view text, bool p2p, CollectiveRecord& r, bool& timed) {
  int64_t duration = -1;
  std::string_view trace;
  const std::string_view prefix = p2p ? "p2p_" : "coll_";
  for (base::JsonMembers m(text); m.next();) {
    std::string_view key = m.key();
    if (key == "coll" || key == "p2p") {
      r.op = collective_op(base::json_inside(m.value()));
      continue;
    }
    if (key == "event_trace_ts")
      trace = m.value();
    if (!key.starts_with(prefix))
      continue;
    key.remove_prefix(prefix.size());
    if (key == "sn")
      r.sequence = base::json_int(m.value(), -1);
    if (key == "peer")
      r.peer = int32_t(std::clamp<int64_t>(base::json_int(m.value(), -1), -1, INT32_MAX));
    if (key == "msg_size_bytes")
      r.bytes = std::max(int64_t{0}, base::json_int(m.value(), 0));
    if (key == "exec_time_us" && !base::json_micros(m.value(), duration))
      duration = -1;
  }
  if (r.op == CollectiveOp::Other || r.sequence < 0 || is_p2p(r.op) != p2p)
    return false;
  timed = kernel_times(trace, r);
  if (timed)
    return true;
  constexpr int64_t kLongest = int64_t{86400} * 1000000000;
  if (duration < 0 || duration > kLongest)
    return false;
  r.begin_ns = 0;
  r.end_ns = duration;
  return true;
}

}  // namespace

// Returns the rank of a line, by host and process, and adds it when new.
InspectorLines::Rank& InspectorLines::rank_of(std::string_view metadata, const base::Location& where) {
  std::string host;
  int64_t process = -1;
  for (base::JsonMembers m(metadata); m.next();) {
    if (m.key() == "hostname")
      host = base::json_text(m.value());
    if (m.key() == "pid")
      process = base::json_int(m.value(), -1);
  }
  Rank& rank = ranks_[{host, process}];
  if (rank.trace.layout.empty()) {
    rank.trace.file = where.file;
    rank.trace.layout = "inspector";
    rank.trace.has_end = false;
    rank.trace.host = host;
    rank.trace.process = process;
  }
  return rank;
}

// Returns the number of the line's communicator in the rank's trace.
int32_t InspectorLines::communicator_of(Rank& rank, std::string_view header) {
  constexpr int kMostRanks = 1 << 24;
  Communicator c;
  for (base::JsonMembers m(header); m.next();) {
    const std::string_view key = m.key();
    if (key == "id")
      c.key = base::json_text(m.value());
    if (key == "comm_name")
      c.name = base::json_text(m.value());
    if (key == "rank")
      c.own = int(std::clamp<int64_t>(base::json_int(m.value(), -1), -1, kMostRanks));
    if (key == "n_ranks")
      c.size = int(std::clamp<int64_t>(base::json_int(m.value(), 0), 0, kMostRanks));
    if (key == "nnodes")
      c.nodes = int(std::clamp<int64_t>(base::json_int(m.value(), 0), 0, kMostRanks));
  }
  if (c.key.empty() || c.own < 0 || c.own >= c.size)
    return -1;
  if (c.name == "unknown")
    c.name.clear();
  const auto next = int32_t(rank.trace.communicators.size());
  const auto [found, fresh] = rank.communicators.emplace(c.key, next);
  if (fresh)
    rank.trace.communicators.push_back(std::move(c));
  return found->second;
}

// Adds the record of one line.
void InspectorLines::add(std::string_view line, const base::Location& where) {
  std::string_view header;
  std::string_view metadata;
  std::string_view perf;
  bool p2p = false;
  base::JsonMembers m(line);
  while (m.next()) {
    if (m.key() == "header")
      header = m.value();
    if (m.key() == "metadata")
      metadata = m.value();
    if (m.key() == "coll_perf" || m.key() == "p2p_perf") {
      perf = m.value();
      p2p = m.key() == "p2p_perf";
    }
  }
  if (m.damaged() || header.empty() || metadata.empty() || perf.empty()) {
    report_.skip(where, "a line that is no whole Inspector record");
    return;
  }
  CollectiveRecord r;
  bool timed = false;
  if (!parse_perf(perf, p2p, r, timed)) {
    report_.skip(where, "an Inspector record without operation, number or time");
    return;
  }
  Rank& rank = rank_of(metadata, where);
  r.communicator = communicator_of(rank, header);
  if (r.communicator < 0) {
    report_.skip(where, "an Inspector record without communicator or rank in it");
    return;
  }
  if (!timed)
    ++rank.untimed;
  rank.trace.records.push_back(r);
  ++report_.taken;
  ++records_;
}

// Drops all but the first of equal records. No rank performs the same collective twice, so equal records come
// from a copied line (rotated logs that overlap, a folder collected again).
void InspectorLines::drop_repeated(RankTrace& trace) {
  std::vector<CollectiveRecord>& records = trace.records;
  std::vector<size_t> order(records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return records[a] < records[b];
  });
  std::vector<bool> repeated(records.size());
  size_t count = 0;
  for (size_t i = 1; i < order.size(); ++i) {
    repeated[order[i]] = records[order[i]] == records[order[i - 1]];
    count += repeated[order[i]];
  }
  if (count == 0)
    return;
  report_.skip({trace.file, 0}, "a record that is there twice", count);
  report_.taken -= count;
  size_t kept = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    if (!repeated[i])
      records[kept++] = records[i];
  }
  records.resize(kept);
}

std::vector<RankTrace> InspectorLines::take() {
  std::vector<RankTrace> out;
  for (auto& [id, rank] : ranks_) {
    RankTrace& t = rank.trace;
    if (t.records.empty())
      continue;
    // A single record without times leaves the trace with durations only. Logs without verbose mode are such.
    t.timed = rank.untimed == 0;
    drop_repeated(t);
    if (t.timed) {
      std::ranges::stable_sort(t.records, [](const CollectiveRecord& a, const CollectiveRecord& b) {
        return a.begin_ns < b.begin_ns;
      });
    }
    t.communication = t.records.size();
    RankTrace next = t;
    next.records.clear();
    out.push_back(std::move(t));
    t = std::move(next);
    rank.untimed = 0;
  }
  records_ = 0;
  return out;
}

void read_inspector_log(const std::string& path, InspectorLines& lines) {
  base::InputStream in(path);
  std::string_view line;
  while (in.line(line)) {
    if (line.empty())
      continue;
    lines.add(line, {path, int(std::min<int64_t>(in.line_number(), INT32_MAX))});
  }
}

}  // namespace lento::fleet::ranks
