// Turns calls of NCCL and kernels into records. A thread first calls NCCL, which then launches a kernel, so a
// kernel belongs to the calls of its kind that its thread made before the launch and that no earlier kernel
// took. NCCL merges the calls of a group into one kernel. They become one record when they share a
// communicator and operation, and a record each when they are sends and receives.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "fleet/ranks/read/nsight.h"

namespace lento::fleet::ranks {
namespace {

bool is_nccl(std::string_view kernel) {
  for (const char* part : {"ncclKernel", "ncclDevKernel", "ncclSymk", "rcclKernel", "mscclKernel"}) {
    if (kernel.find(part) != kernel.npos)
      return true;
  }
  return false;
}

// Returns AllReduce for "ncclDevKernel_AllReduce_Sum_f32_RING_LL", and Other where the name does not show the
// operation ("..._Generic").
CollectiveOp op_of_kernel(std::string_view kernel) {
  const size_t bar = kernel.find('_');
  if (bar == kernel.npos)
    return CollectiveOp::Other;
  const std::string_view rest = kernel.substr(bar + 1);
  if (rest.starts_with("SendRecv"))
    return CollectiveOp::Send;
  return collective_op(rest);
}

bool same_kind(CollectiveOp kernel, CollectiveOp call) {
  if (kernel == CollectiveOp::Other)
    return true;
  return kernel == call || (is_p2p(kernel) && is_p2p(call));
}

// Returns the number at the end of a range that marks a step.
std::optional<int32_t> step_number(std::string_view text) {
  for (const std::string_view word :
       {"ProfilerStep#", "iteration", "Iteration", "iter", "train_step", "training step", "step", "Step"}) {
    if (!text.starts_with(word))
      continue;
    std::string_view rest = text.substr(word.size());
    const size_t digit = rest.find_first_not_of(" _-:=#");
    if (digit == rest.npos)
      return std::nullopt;
    rest = rest.substr(digit);
    int32_t number = 0;
    const auto end = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    const bool whole = end.ec == std::errc() && end.ptr == rest.data() + rest.size() && number >= 0;
    if (whole)
      return std::optional(number);
    return std::nullopt;
  }
  return std::nullopt;
}

struct Call {
  const NsightRange* range = nullptr;
  CollectiveOp op = CollectiveOp::Other;
  bool taken = false;
};

class Ranks {
 public:
  explicit Ranks(const NsightTrace& trace)
      : trace_(trace) {
    collect_calls();
    collect_steps();
  }

  // Joins kernels with NCCL's ranges to a trace for each rank.
  std::vector<RankTrace> read() {
    std::vector<const NsightKernel*> kernels;
    for (const NsightKernel& k : trace_.kernels)
      kernels.push_back(&k);
    // Calls are matched in the order of launches, because kernels of two streams may run in another order.
    std::ranges::stable_sort(kernels, [](const NsightKernel* a, const NsightKernel* b) {
      return a->launched_ns < b->launched_ns;
    });
    for (const NsightKernel* k : kernels)
      add(*k);
    std::vector<RankTrace> out;
    for (auto& [id, rank] : ranks_) {
      finish(rank);
      out.push_back(std::move(rank.trace));
    }
    return out;
  }

 private:
  struct Rank {
    RankTrace trace;
    std::map<uint64_t, int32_t> communicators;
  };

  // Collects the calls of NCCL by thread.
  void collect_calls() {
    for (const NsightRange& r : trace_.ranges) {
      if (r.communicator == 0)
        continue;
      const CollectiveOp op = collective_op(trace_.name(r.text));
      calls_[r.thread].push_back({&r, op, false});
    }
  }

  void collect_steps() {
    for (const NsightRange& r : trace_.ranges) {
      const auto number = step_number(trace_.name(r.text));
      if (number)
        steps_[nsight_process(r.thread)].push_back({*number, r.begin_ns, r.end_ns});
    }
  }

  // Returns the rank of a kernel, by process and device.
  Rank& rank_of(const NsightKernel& k) {
    const auto [found, fresh] = ranks_.try_emplace({k.process, k.device});
    RankTrace& t = found->second.trace;
    if (fresh) {
      t.file = trace_.file;
      t.layout = "nsight";
      t.host = trace_.host;
      t.process = k.process;
      t.device = k.device;
    }
    return found->second;
  }

  // Adds a kernel to its rank, as computation or as communication.
  void add(const NsightKernel& k) {
    Rank& rank = rank_of(k);
    const std::string& name = trace_.name(k.name);
    if (!is_nccl(name)) {
      rank.trace.compute.push_back({k.begin_ns, k.end_ns});
      return;
    }
    ++rank.trace.communication;
    if (!label(k, op_of_kernel(name), rank))
      ++rank.trace.unlabelled;
  }

  // Adds the records of the calls that launched a communication kernel. Returns false when none is found,
  // when the calls differ, or when their communicator is not known.
  bool label(const NsightKernel& k, CollectiveOp op, Rank& rank) {
    const std::vector<Call> mine = take_calls(k, op);
    if (mine.empty())
      return false;
    if (!is_p2p(mine.front().op)) {
      for (const Call& c : mine) {
        const bool same =
            c.range->communicator == mine.front().range->communicator && c.op == mine.front().op;
        if (!same)
          return false;
      }
    }
    bool any = false;
    for (const Call& c : mine)
      any = record(k, c, rank) || any;
    return any;
  }

  // Returns the calls that a kernel executes and marks them as taken: all of its kind that its thread made
  // before the launch and that no earlier kernel took.
  std::vector<Call> take_calls(const NsightKernel& k, CollectiveOp op) {
    std::vector<Call> out;
    const auto thread = calls_.find(k.thread);
    if (k.launched_ns < 0 || thread == calls_.end())
      return out;
    size_t& from = first_open_[k.thread];
    std::vector<Call>& calls = thread->second;
    for (size_t i = from; i < calls.size() && calls[i].range->begin_ns <= k.launched_ns; ++i) {
      if (calls[i].taken || !same_kind(op, calls[i].op))
        continue;
      calls[i].taken = true;
      out.push_back(calls[i]);
    }
    while (from < calls.size() && calls[from].taken)
      ++from;
    return out;
  }

  // Adds the record of a call, or its bytes to the record of the same kernel and communicator. Returns false
  // when the communicator is not known.
  bool record(const NsightKernel& k, const Call& c, Rank& rank) {
    const int32_t communicator = communicator_of(c.range->communicator, k, rank);
    if (communicator < 0)
      return false;
    RankTrace& t = rank.trace;
    const bool joins = !t.records.empty() && !is_p2p(c.op) && t.records.back().begin_ns == k.begin_ns &&
                       t.records.back().communicator == communicator;
    if (joins) {
      t.records.back().bytes += c.range->bytes;
      return true;
    }
    CollectiveRecord r;
    r.begin_ns = k.begin_ns;
    r.end_ns = k.end_ns;
    r.bytes = c.range->bytes;
    r.communicator = communicator;
    r.peer = is_p2p(c.op) ? c.range->peer : -1;
    r.op = c.op;
    r.step = step_at(k);
    t.records.push_back(r);
    return true;
  }

  // Returns the index of a communicator, -1 when its members were not recorded.
  int32_t communicator_of(uint64_t id, const NsightKernel& k, Rank& rank) const {
    const auto known = rank.communicators.find(id);
    if (known != rank.communicators.end())
      return known->second;
    const auto member = std::ranges::find_if(trace_.members, [&](const NsightMember& m) {
      return m.communicator == id && m.process == k.process && m.device == k.device;
    });
    int32_t index = -1;
    if (member != trace_.members.end() && member->rank >= 0 && member->rank < member->ranks) {
      Communicator c;
      c.key = std::to_string(id);
      c.size = member->ranks;
      c.own = member->rank;
      index = int32_t(rank.trace.communicators.size());
      rank.trace.communicators.push_back(std::move(c));
    }
    rank.communicators.emplace(id, index);
    return index;
  }

  // Returns the step in which the kernel was launched, or -1.
  int32_t step_at(const NsightKernel& k) const {
    const auto steps = steps_.find(k.process);
    if (steps == steps_.end())
      return -1;
    const int64_t at = k.launched_ns >= 0 ? k.launched_ns : k.begin_ns;
    const auto after = std::ranges::upper_bound(steps->second, at, {}, &StepMark::begin_ns);
    if (after == steps->second.begin())
      return -1;
    return (after - 1)->step;
  }

  // Sorts the records of a rank and adds its steps.
  void finish(Rank& rank) const {
    RankTrace& t = rank.trace;
    t.computes = !t.compute.empty();
    merge(t.compute);
    std::ranges::stable_sort(t.records, {}, &CollectiveRecord::begin_ns);
    const auto steps = steps_.find(t.process);
    if (steps != steps_.end())
      t.steps = steps->second;
    for (CollectiveRecord& r : t.records) {
      r.begin_ns += trace_.epoch_ns;
      r.end_ns += trace_.epoch_ns;
    }
    for (TimeSpan& s : t.compute) {
      s.begin_ns += trace_.epoch_ns;
      s.end_ns += trace_.epoch_ns;
    }
    for (StepMark& s : t.steps) {
      s.begin_ns += trace_.epoch_ns;
      s.end_ns += trace_.epoch_ns;
    }
  }

  // Merges overlapping kernels of several streams into one span.
  static void merge(std::vector<TimeSpan>& spans) {
    std::ranges::sort(spans, {}, &TimeSpan::begin_ns);
    size_t kept = 0;
    for (const TimeSpan& s : spans) {
      if (kept > 0 && s.begin_ns <= spans[kept - 1].end_ns)
        spans[kept - 1].end_ns = std::max(spans[kept - 1].end_ns, s.end_ns);
      else
        spans[kept++] = s;
    }
    spans.resize(kept);
  }

  const NsightTrace& trace_;
  std::map<int64_t, std::vector<Call>> calls_;      // by thread, by begin
  std::map<int64_t, size_t> first_open_;            // by thread
  std::map<int64_t, std::vector<StepMark>> steps_;  // by process, by begin
  std::map<std::pair<int64_t, int32_t>, Rank> ranks_;
};

}  // namespace

std::vector<RankTrace> nsight_collectives(const NsightTrace& trace) {
  return Ranks(trace).read();
}

}  // namespace lento::fleet::ranks
