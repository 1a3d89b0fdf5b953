// Reads a Kineto trace as a stream. The grammar: { "key": value, ..., "traceEvents": [ event, ... ], ... } or
// just the array of events. An event is
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
// A profiler that is killed leaves a truncated file, whose events are as valid as those of a whole file.
#include "fleet/ranks/read/kineto_events.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/scan/json_scan.h"

namespace lento::fleet::ranks {
namespace {

struct Event {
  std::string_view category;
  std::string_view name;
  std::string_view args;
  int64_t begin_ns = 0;
  int64_t duration_ns = 0;
  bool complete = false;  // "ph":"X" with readable times
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
    out_.trace.file = path;
    out_.trace.layout = "kineto";
  }

  KinetoEvents read() {
    try {
      stream_.peek() == '[' ? read_events() : read_top();
    } catch (const base::Error&) {
      if (!stream_.cut() || events_ == 0)
        throw;
      out_.trace.closed = false;
    }
    if (!out_.trace.closed)
      report_.skip({out_.trace.file}, "the missing end of a Kineto trace that was not closed");
    return std::move(out_);
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
        out_.base_ns = base::json_int(stream_.value(), 0);
        out_.trace.dated = true;
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
        out_.trace.rank = index_of(m.value());
      if (m.key() == "world_size")
        out_.trace.world = index_of(m.value());
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
      out_.config[name] = std::move(ranks);
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
      out_.trace.compute.push_back({e.begin_ns, e.begin_ns + e.duration_ns});
      return;
    }
    ++out_.trace.communication;
    KinetoKernel k;
    k.record.begin_ns = e.begin_ns;
    k.record.end_ns = e.begin_ns + e.duration_ns;
    k.label = parse_label(e.args);
    for (base::JsonMembers m(e.args); m.next();) {
      if (m.key() == "External id")
        k.external = base::json_int(m.value(), -1);
      if (m.key() == "correlation")
        k.correlation = base::json_int(m.value(), -1);
      if (m.key() == "device" && out_.trace.device < 0)
        out_.trace.device = index_of(m.value());
    }
    out_.kernels.push_back(k);
  }

  // Adds the bounds of a profiler step.
  void add_step(const Event& e) {
    int32_t number = 0;
    const std::string_view digits = e.name.substr(std::string_view("ProfilerStep#").size());
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc())
      return;
    std::vector<StepMark>& marks = e.category == "gpu_user_annotation" ? out_.gpu_steps : out_.trace.steps;
    marks.push_back({number, e.begin_ns, e.begin_ns + e.duration_ns});
  }

  // Stores the arguments of a communication call by its external id, which its kernels share.
  void add_call(const Event& e) {
    const KinetoLabel label = parse_label(e.args);
    if (label.group < 0)
      return;
    for (base::JsonMembers m(e.args); m.next();) {
      if (m.key() == "External id")
        out_.calls[base::json_int(m.value(), -1)] = label;
    }
  }

  void add_launch(const Event& e) {
    for (base::JsonMembers m(e.args); m.next();) {
      if (m.key() == "correlation")
        out_.launches.push_back({base::json_int(m.value(), -1), e.begin_ns});
    }
  }

  // Returns the collective and process group that an event's arguments name.
  KinetoLabel parse_label(std::string_view args) {
    KinetoLabel label;
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
    const auto [found, fresh] = group_index_.emplace(std::move(key), int32_t(out_.groups.size()));
    if (fresh) {
      bool complete = false;
      KinetoGroup g{std::string(name), std::string(description), size, base::json_ranks(ranks, complete)};
      if (!complete)
        g.ranks.clear();
      out_.groups.push_back(std::move(g));
    }
    return found->second;
  }

  base::JsonStream stream_;
  base::ReadReport& report_;
  KinetoEvents out_;
  uint64_t events_ = 0;
  std::unordered_map<std::string, int32_t> group_index_;
};

}  // namespace

KinetoEvents read_kineto_events(const std::string& path, base::ReadReport& report) {
  return KinetoReader(path, report).read();
}

}  // namespace lento::fleet::ranks
