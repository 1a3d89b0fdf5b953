// Reads the collectives of one rank from a Kineto trace as a stream. The grammar: { "key": value, ...,
// "traceEvents": [ event, ... ], ... } or just the array of events. An event is
//
//   {"ph":"X", "cat":C, "name":N, "ts":us, "dur":us, "args":{...}}
//
//   C "kernel", N a collective       a record, if its args (or those of the cpu_op record_param_comms with
//                                    the same "External id") identify it
//   C "kernel", otherwise            computing
//   N "ProfilerStep#7"               the bounds of a training step, on the CPU or on the GPU
//   C "cuda_runtime", a launch       the launch of the kernel with the same args.correlation: the step
//                                    that a kernel belongs to is the step that launched it
//
// Times stay relative to baseTimeNanoseconds until the end, because that key may follow the events. A
// profiler that is killed leaves a truncated file, whose events are as valid as those of a whole file.
#include "fleet/ranks/read/kineto_collectives.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <unordered_map>

#include "base/error.h"
#include "base/scan/json_scan.h"

namespace lento::fleet::ranks {
namespace {

// The arguments of a kernel or of a communication call.
struct Label {
  CollectiveOp op = CollectiveOp::Other;
  int32_t group = -1;
  int32_t peer_rank = -1;
  int64_t bytes = 0;
  int64_t sequence = -1;
};

struct Group {
  std::string name;
  std::string description;
  int size = 0;
  std::vector<int32_t> ranks;
};

struct Event {
  std::string_view category;
  std::string_view name;
  std::string_view args;
  int64_t begin_ns = 0;
  int64_t duration_ns = 0;
  bool complete = false;  // "ph":"X" with readable times
};

struct Kernel {
  CollectiveRecord record;
  Label label;
  int64_t external = -1;
  int64_t correlation = -1;
};

// Returns the bytes of an element by the name of its type.
int64_t size_of(std::string_view dtype) {
  if (dtype.starts_with("Float8") || dtype == "Byte" || dtype == "Char" || dtype == "Bool")
    return 1;
  if (dtype == "BFloat16" || dtype == "Half" || dtype == "Short")
    return 2;
  if (dtype == "Double" || dtype == "Long" || dtype == "ComplexFloat")
    return 8;
  return 4;
}

// Returns a rank or device number, or -1 for a value that is none (text, a negative or too large number).
int32_t index_of(std::string_view value) {
  const int64_t number = base::json_int(value, -1);
  if (number >= 0 && number <= INT32_MAX)
    return int32_t(number);
  return -1;
}

bool has_part(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// Returns whether a kernel communicates, by the names that communication libraries and frameworks use.
bool communicates(std::string_view name) {
  if (name.starts_with("nccl") || name.starts_with("rccl") || name.starts_with("mscclKernel"))
    return true;
  for (const char* part :
       {"multimem_all_reduce",
        "multimem_all_gather",
        "cross_device_reduce",
        "allreduce_fusion",
        "symm_mem",
        "ncclKernel",
        "ncclDevKernel",
        "ncclSymk"}) {
    if (has_part(name, part))
      return true;
  }
  return false;
}

// Reads name, category, times and arguments of an event.
Event parse_event(std::string_view text) {
  Event e;
  bool whole = false;
  bool timed = false;
  for (base::JsonMembers m(text); m.next();) {
    const std::string_view key = m.key();
    if (key == "ph") {
      whole = m.value() == "\"X\"";
      if (!whole)
        return e;
    } else if (key == "cat") {
      e.category = base::json_inside(m.value());
    } else if (key == "name") {
      e.name = base::json_inside(m.value());
    } else if (key == "ts") {
      timed = base::json_micros(m.value(), e.begin_ns);
    } else if (key == "dur") {
      if (!base::json_micros(m.value(), e.duration_ns))
        return e;
    } else if (key == "args") {
      e.args = m.value();
    }
  }
  constexpr int64_t kLongest = int64_t{86400} * 1000000000;
  e.complete = whole && timed && e.duration_ns >= 0 && e.duration_ns < kLongest;
  return e;
}

class KinetoReader {
 public:
  KinetoReader(const std::string& path, base::ReadReport& report)
      : stream_(path),
        report_(report) {
    trace_.file = path;
    trace_.layout = "kineto";
  }

  RankTrace read() {
    try {
      stream_.peek() == '[' ? read_events() : read_top();
    } catch (const base::Error&) {
      if (!stream_.cut() || events_ == 0)
        throw;
      trace_.closed = false;
    }
    if (!trace_.closed)
      report_.skip({trace_.file}, "the missing end of a Kineto trace that was not closed");
    finish();
    return std::move(trace_);
  }

 private:
  // Reads the trace: its head and all events.
  void read_top() {
    stream_.expect('{');
    while (!stream_.take('}')) {
      const std::string key(base::json_inside(stream_.value()));
      stream_.expect(':');
      if (key == "traceEvents") {
        read_events();
      } else if (key == "distributedInfo") {
        read_job(stream_.value());
      } else if (key == "baseTimeNanoseconds") {
        base_ns_ = base::json_int(stream_.value(), 0);
        trace_.dated = true;
      } else {
        stream_.skip();
      }
      stream_.take(',');
    }
  }

  void read_events() {
    stream_.expect('[');
    while (!stream_.take(']')) {
      add(stream_.value());
      ++events_;
      stream_.take(',');
    }
  }

  void read_job(std::string_view text) {
    for (base::JsonMembers m(text); m.next();) {
      if (m.key() == "rank")
        trace_.rank = index_of(m.value());
      if (m.key() == "world_size")
        trace_.world = index_of(m.value());
      if (m.key() != "pg_config")
        continue;
      for (base::JsonElements e(m.value()); e.next();)
        read_group_config(e.value());
    }
  }

  void read_group_config(std::string_view text) {
    std::string name;
    bool complete = false;
    std::vector<int32_t> ranks;
    for (base::JsonMembers m(text); m.next();) {
      if (m.key() == "pg_name")
        name = base::json_text(m.value());
      if (m.key() == "ranks")
        ranks = base::json_ranks(m.value(), complete);
    }
    if (complete && !ranks.empty())
      config_[name] = std::move(ranks);
  }

  // Handles an event of the trace.
  void add(std::string_view text) {
    const Event e = parse_event(text);
    if (!e.complete)
      return;
    if (e.category == "kernel" || e.category == "Kernel") {
      add_kernel(e);
    } else if (e.name.starts_with("ProfilerStep#")) {
      add_step(e);
    } else if (e.name == "record_param_comms") {
      add_call(e);
    } else if (has_part(e.name, "Launch") && has_part(e.category, "_runtime")) {
      add_launch(e);
    }
  }

  // Records a kernel as computation, or as communication with the arguments that identify its collective.
  void add_kernel(const Event& e) {
    if (!communicates(e.name)) {
      trace_.compute.push_back({e.begin_ns, e.begin_ns + e.duration_ns});
      return;
    }
    ++trace_.communication;
    Kernel k;
    k.record.begin_ns = e.begin_ns;
    k.record.end_ns = e.begin_ns + e.duration_ns;
    k.label = parse_label(e.args);
    for (base::JsonMembers m(e.args); m.next();) {
      if (m.key() == "External id")
        k.external = base::json_int(m.value(), -1);
      if (m.key() == "correlation")
        k.correlation = base::json_int(m.value(), -1);
      if (m.key() == "device" && trace_.device < 0)
        trace_.device = index_of(m.value());
    }
    kernels_.push_back(k);
  }

  // Adds the bounds of a profiler step.
  void add_step(const Event& e) {
    int32_t number = 0;
    const std::string_view digits = e.name.substr(std::string_view("ProfilerStep#").size());
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc())
      return;
    std::vector<StepMark>& marks = e.category == "gpu_user_annotation" ? gpu_steps_ : trace_.steps;
    marks.push_back({number, e.begin_ns, e.begin_ns + e.duration_ns});
  }

  // Stores the arguments of a communication call by its external id, which its kernels share.
  void add_call(const Event& e) {
    const Label label = parse_label(e.args);
    if (label.group < 0)
      return;
    for (base::JsonMembers m(e.args); m.next();) {
      if (m.key() == "External id")
        calls_[base::json_int(m.value(), -1)] = label;
    }
  }

  void add_launch(const Event& e) {
    for (base::JsonMembers m(e.args); m.next();) {
      if (m.key() == "correlation")
        launches_.push_back({base::json_int(m.value(), -1), e.begin_ns});
    }
  }

  // Returns the collective and process group that an event's arguments name.
  Label parse_label(std::string_view args) {
    Label label;
    std::string_view name;
    std::string_view description;
    std::string_view ranks;
    int64_t in = 0;
    int64_t out = 0;
    int64_t size = 0;
    int64_t width = 4;
    for (base::JsonMembers m(args); m.next();) {
      const std::string_view key = m.key();
      const std::string_view value = m.value();
      if (key == "Collective name")
        label.op = collective_op(base::json_inside(value));
      if (key == "In msg nelems")
        in = base::json_int(value, 0);
      if (key == "Out msg nelems")
        out = base::json_int(value, 0);
      if (key == "Group size")
        size = base::json_int(value, 0);
      if (key == "dtype")
        width = size_of(base::json_inside(value));
      if (key == "Process Group Name")
        name = base::json_inside(value);
      if (key == "Process Group Description")
        description = base::json_inside(value);
      if (key == "Process Group Ranks")
        ranks = value;
      if (key == "Src Rank" || key == "Dst Rank")
        label.peer_rank = index_of(value);
      if (key == "Seq")
        label.sequence = base::json_int(value, -1);
    }
    constexpr int64_t kMostElements = int64_t{1} << 50;
    label.bytes = width * std::clamp(std::max(in, out), int64_t{0}, kMostElements);
    if (label.op == CollectiveOp::Other || name.empty())
      return label;
    label.group = group_of(name, description, ranks, int(std::clamp(size, int64_t{0}, int64_t{1} << 24)));
    return label;
  }

  // Returns the number of a process group and adds it when new.
  int32_t group_of(std::string_view name, std::string_view description, std::string_view ranks, int size) {
    std::string key(name);
    key += '|';
    key += ranks;
    const auto [found, fresh] = group_index_.emplace(std::move(key), int32_t(groups_.size()));
    if (fresh) {
      bool complete = false;
      Group g{std::string(name), std::string(description), size, base::json_ranks(ranks, complete)};
      if (!complete)
        g.ranks.clear();
      groups_.push_back(std::move(g));
    }
    return found->second;
  }

  // Sorts everything, joins kernels with labels and steps, and shifts times to the epoch.
  void finish() {
    std::ranges::sort(launches_);
    merge_compute();
    sort_steps(trace_.steps);
    sort_steps(gpu_steps_);
    for (const Group& g : groups_)
      trace_.communicators.push_back(communicator_of(g));
    for (Kernel& k : kernels_)
      take(k);
    std::ranges::stable_sort(trace_.records, [](const CollectiveRecord& a, const CollectiveRecord& b) {
      return a.begin_ns < b.begin_ns;
    });
    if (!gpu_steps_.empty())
      trace_.steps = std::move(gpu_steps_);
    shift_to_epoch();
    name_host();
    report_.taken += trace_.records.size();
  }

  static void sort_steps(std::vector<StepMark>& marks) {
    std::ranges::sort(marks, [](const StepMark& a, const StepMark& b) {
      return a.begin_ns < b.begin_ns;
    });
  }

  // Merges overlapping kernels of several streams into one span.
  void merge_compute() {
    std::vector<TimeSpan>& spans = trace_.compute;
    trace_.computes = !spans.empty();
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
  Communicator communicator_of(const Group& g) {
    Communicator c;
    c.name = g.description;
    c.size = g.size;
    c.ranks = g.ranks;
    const auto listed = config_.find(g.name);
    if (c.ranks.empty() && listed != config_.end())
      c.ranks = listed->second;
    if (!c.ranks.empty())
      c.size = int(c.ranks.size());
    c.key = g.name;
    for (const int32_t rank : c.ranks)
      c.key += "," + std::to_string(rank);
    const auto own = std::ranges::find(c.ranks, trace_.rank);
    if (own != c.ranks.end())
      c.own = int(own - c.ranks.begin());
    return c;
  }

  void take(Kernel& k) {
    if (k.label.group < 0) {
      const auto call = calls_.find(k.external);
      if (call != calls_.end())
        k.label = call->second;
    }
    if (k.label.group < 0) {
      ++trace_.unlabelled;
      return;
    }
    CollectiveRecord& r = k.record;
    r.op = k.label.op;
    r.bytes = k.label.bytes;
    r.sequence = k.label.sequence;
    r.communicator = k.label.group;
    if (is_p2p(r.op))
      r.peer = peer_member(trace_.communicators[r.communicator], k.label.peer_rank);
    r.step = step_of(k);
    trace_.records.push_back(r);
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
  int32_t step_of(const Kernel& k) const {
    const auto launch = std::lower_bound(
        launches_.begin(),
        launches_.end(),
        std::pair<int64_t, int64_t>{k.correlation, INT64_MIN});
    if (k.correlation >= 0 && launch != launches_.end() && launch->first == k.correlation)
      return find_step(trace_.steps, launch->second);
    return find_step(gpu_steps_.empty() ? trace_.steps : gpu_steps_, k.record.begin_ns);
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
    const int64_t by = base_ns_;
    if (by <= 0 || by > (int64_t{1} << 61))
      return;
    for (CollectiveRecord& r : trace_.records) {
      r.begin_ns += by;
      r.end_ns += by;
    }
    for (TimeSpan& s : trace_.compute) {
      s.begin_ns += by;
      s.end_ns += by;
    }
    for (StepMark& s : trace_.steps) {
      s.begin_ns += by;
      s.end_ns += by;
    }
  }

  // Sets host and process from a file name as PyTorch's trace handler writes it: HOST_PID.TIME.pt.trace.json.
  void name_host() {
    const std::string file = std::filesystem::path(trace_.file).filename().string();
    const size_t end = file.find(".pt.trace.json");
    if (end == std::string::npos)
      return;
    const std::string stem = file.substr(0, file.find_last_of('.', end - 1));
    const size_t bar = stem.rfind('_');
    if (bar == std::string::npos || bar == 0 || bar + 1 >= stem.size())
      return;
    if (stem.find_first_not_of("0123456789", bar + 1) != std::string::npos)
      return;
    trace_.host = stem.substr(0, bar);
    trace_.process = base::json_int(stem.substr(bar + 1), -1);
  }

  base::JsonStream stream_;
  base::ReadReport& report_;
  RankTrace trace_;
  int64_t base_ns_ = 0;
  uint64_t events_ = 0;
  std::vector<Kernel> kernels_;
  std::vector<StepMark> gpu_steps_;
  std::vector<std::pair<int64_t, int64_t>> launches_;  // correlation, time
  std::unordered_map<int64_t, Label> calls_;           // by external id
  std::unordered_map<std::string, int32_t> group_index_;
  std::unordered_map<std::string, std::vector<int32_t>> config_;
  std::vector<Group> groups_;
};

}  // namespace

RankTrace read_kineto_collectives(const std::string& path, base::ReadReport& report) {
  return KinetoReader(path, report).read();
}

}  // namespace lento::fleet::ranks
