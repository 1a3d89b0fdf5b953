// Makes the collectives of one rank from the events of a Kineto trace. A kernel gets the process group of its
// own arguments, or of the call with the same external id, and the step that launched it. Times stay relative
// to baseTimeNanoseconds until the end, because that key may follow the events.
#include "fleet/ranks/read/kineto_collectives.h"

#include <algorithm>
#include <filesystem>

#include "base/scan/json_scan.h"
#include "fleet/ranks/read/kineto_events.h"

namespace lento::fleet::ranks {
namespace {

class KinetoJoin {
 public:
  explicit KinetoJoin(KinetoEvents events)
      : e_(std::move(events)) {
  }

  // Sorts everything, joins kernels with labels and steps, and shifts times to the epoch.
  RankTrace join() {
    std::ranges::sort(e_.launches);
    merge_compute();
    sort_steps(e_.trace.steps);
    sort_steps(e_.gpu_steps);
    for (const KinetoGroup& g : e_.groups)
      e_.trace.communicators.push_back(communicator_of(g));
    for (KinetoKernel& k : e_.kernels)
      take(k);
    std::ranges::stable_sort(e_.trace.records, {}, &CollectiveRecord::begin_ns);
    if (!e_.gpu_steps.empty())
      e_.trace.steps = std::move(e_.gpu_steps);
    shift_to_epoch();
    name_host();
    return std::move(e_.trace);
  }

 private:
  static void sort_steps(std::vector<StepMark>& marks) {
    std::ranges::sort(marks, [](const StepMark& a, const StepMark& b) {
      return a.begin_ns < b.begin_ns;
    });
  }

  // Merges overlapping kernels of several streams into one span.
  void merge_compute() {
    std::vector<TimeSpan>& spans = e_.trace.compute;
    e_.trace.computes = !spans.empty();
    std::ranges::sort(spans, [](const TimeSpan& a, const TimeSpan& b) {
      return a.begin_ns < b.begin_ns;
    });
    size_t kept = 0;
    for (const TimeSpan& s : spans) {
      if (kept > 0 && s.begin_ns <= spans[kept - 1].end_ns) {
        spans[kept - 1].end_ns = std::max(spans[kept - 1].end_ns, s.end_ns);
      } else {
        spans[kept++] = s;
      }
    }
    spans.resize(kept);
    spans.shrink_to_fit();
  }

  // Returns the communicator of a process group.
  Communicator communicator_of(const KinetoGroup& g) {
    Communicator c;
    c.name = g.description;
    c.size = g.size;
    c.ranks = g.ranks;
    const auto listed = e_.config.find(g.name);
    if (c.ranks.empty() && listed != e_.config.end())
      c.ranks = listed->second;
    if (!c.ranks.empty())
      c.size = int(c.ranks.size());
    c.key = g.name;
    for (const int32_t rank : c.ranks)
      c.key += "," + std::to_string(rank);
    const auto own = std::ranges::find(c.ranks, e_.trace.rank);
    if (own != c.ranks.end())
      c.own = int(own - c.ranks.begin());
    return c;
  }

  void take(KinetoKernel& k) {
    if (k.label.group < 0) {
      const auto call = e_.calls.find(k.external);
      if (call != e_.calls.end())
        k.label = call->second;
    }
    if (k.label.group < 0) {
      ++e_.trace.unlabelled;
      return;
    }
    CollectiveRecord& r = k.record;
    r.op = k.label.op;
    r.bytes = k.label.bytes;
    r.sequence = k.label.sequence;
    r.communicator = k.label.group;
    if (is_p2p(r.op))
      r.peer = peer_member(e_.trace.communicators[r.communicator], k.label.peer_rank);
    r.step = step_of(k);
    e_.trace.records.push_back(r);
  }

  // Returns the peer's member number, or -1. Some versions of PyTorch write a global rank and others a member
  // number. A number that would be this rank itself shows which of them it is.
  static int32_t peer_member(const Communicator& c, int32_t peer) {
    const auto global = std::ranges::find(c.ranks, peer);
    const int32_t member = int32_t(global - c.ranks.begin());
    if (global != c.ranks.end() && member != c.own)
      return member;
    if (peer >= 0 && peer < c.size && peer != c.own)
      return peer;
    if (c.size == 2 && c.own >= 0)
      return 1 - c.own;
    return -1;
  }

  // Returns the step in which the kernel was launched.
  int32_t step_of(const KinetoKernel& k) const {
    const auto launch = std::lower_bound(
        e_.launches.begin(),
        e_.launches.end(),
        std::pair<int64_t, int64_t>{k.correlation, INT64_MIN});
    if (k.correlation >= 0 && launch != e_.launches.end() && launch->first == k.correlation)
      return find_step(e_.trace.steps, launch->second);
    return find_step(e_.gpu_steps.empty() ? e_.trace.steps : e_.gpu_steps, k.record.begin_ns);
  }

  // Returns the last step that begins at or before `at`, or -1. Work may run after the end of its step's
  // mark.
  static int32_t find_step(const std::vector<StepMark>& marks, int64_t at) {
    const auto after = std::upper_bound(marks.begin(), marks.end(), at, [](int64_t t, const StepMark& m) {
      return t < m.begin_ns;
    });
    if (after == marks.begin())
      return -1;
    return (after - 1)->step;
  }

  // Shifts all times by the trace's base time.
  void shift_to_epoch() {
    const int64_t by = e_.base_ns;
    if (by <= 0 || by > (int64_t{1} << 61))
      return;
    for (CollectiveRecord& r : e_.trace.records) {
      r.begin_ns += by;
      r.end_ns += by;
    }
    for (TimeSpan& s : e_.trace.compute) {
      s.begin_ns += by;
      s.end_ns += by;
    }
    for (StepMark& s : e_.trace.steps) {
      s.begin_ns += by;
      s.end_ns += by;
    }
  }

  // Sets host and process from a file name as PyTorch's trace handler writes it: HOST_PID.TIME.pt.trace.json.
  void name_host() {
    const std::string file = std::filesystem::path(e_.trace.file).filename().string();
    const size_t end = file.find(".pt.trace.json");
    if (end == std::string::npos)
      return;
    const std::string stem = file.substr(0, file.find_last_of('.', end - 1));
    const size_t bar = stem.rfind('_');
    if (bar == std::string::npos || bar == 0 || bar + 1 >= stem.size())
      return;
    if (stem.find_first_not_of("0123456789", bar + 1) != std::string::npos)
      return;
    e_.trace.host = stem.substr(0, bar);
    e_.trace.process = base::json_int(stem.substr(bar + 1), -1);
  }

  KinetoEvents e_;
};

}  // namespace

RankTrace read_kineto_collectives(const std::string& path, base::ReadReport& report) {
  RankTrace trace = KinetoJoin(read_kineto_events(path, report)).join();
  report.taken += trace.records.size();
  return trace;
}

}  // namespace lento::fleet::ranks
