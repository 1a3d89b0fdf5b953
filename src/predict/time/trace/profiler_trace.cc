// Reads Chrome traces of the PyTorch profiler. Times are in microseconds. A matrix product is an event of
// category "cpu_op" with "Input Dims" and an "External id". Its device kernels are events of category
// "kernel" with the same id. Dims: mm [[m,k],[k,n]]; bmm [[b,m,k],[b,k,n]]; addmm [bias,[m,k],[k,n]]; linear
// [[...,k],[n,k]].
#include <algorithm>
#include <cctype>
#include <map>

#include "base/file.h"
#include "predict/time/trace/compare_run.h"

namespace lento::predict {
namespace {

using base::Json;
using Sizes = std::vector<int64_t>;

constexpr uint64_t kMostBytes = uint64_t{2} << 30;
constexpr int64_t kMostSize = int64_t{1} << 23;

// Returns the sizes of each operand. Anything that is not a list (scalars, absent tensors) becomes an empty
// list.
std::vector<Sizes> dims_of(const Json& args) {
  std::vector<Sizes> out;
  const Json* dims = args.find("Input Dims");
  if (!dims)
    dims = args.find("Input dims");
  if (!dims)
    return out;
  for (const Json& tensor : dims->items()) {
    Sizes& sizes = out.emplace_back();
    for (const Json& size : tensor.items()) {
      if (!size.is_int())
        continue;
      sizes.push_back(size.integer({}, INT64_MIN, INT64_MAX));
    }
  }
  return out;
}

// Returns the precision of an operator's inputs.
Precision precision_of(const Json& args) {
  const Json* types = args.find("Input type");
  const std::pair<const char*, Precision> known[] = {
      {"c10::BFloat16", Precision::Bf16},
      {"c10::Half", Precision::Fp16},
      {"float", Precision::Fp32}};
  if (!types)
    return Precision::Fp32;
  for (const Json& type : types->items()) {
    for (const auto& [spelling, precision] : known) {
      if (type.is_string() && type.string({}) == spelling)
        return precision;
    }
  }
  return Precision::Fp32;
}

// Returns the matrix product of two input shapes. `transposed`: the second operand is stored transposed.
std::optional<Gemm> product(Sizes a, Sizes b, bool transposed, Precision precision) {
  if (a.size() < 2 || b.size() < 2)
    return std::nullopt;
  Gemm g;
  g.precision = precision;
  g.k = a.back();
  g.m = a[a.size() - 2];
  g.n = transposed ? b[b.size() - 2] : b.back();
  for (size_t i = 0; i + 2 < a.size(); ++i) {
    if (a[i] < 1 || a[i] > kMostSize || g.batch > kMostSize)
      return std::nullopt;
    g.batch *= a[i];
  }
  if (transposed) {  // one matrix of weights for the whole batch
    if (g.batch > kMostSize || g.m < 1 || g.m > kMostSize)
      return std::nullopt;
    g.m *= g.batch;
    g.batch = 1;
  }
  for (const int64_t size : {g.batch, g.m, g.n, g.k}) {
    if (size < 1 || size > kMostSize)
      return std::nullopt;
  }
  return g;
}

// Returns the matrix product that an operator computes, or nothing for other operators.
std::optional<Gemm> product_of(const std::string& name, const Json& args) {
  const std::vector<Sizes> dims = dims_of(args);
  const Precision p = precision_of(args);
  if ((name == "aten::mm" || name == "aten::bmm") && dims.size() >= 2)
    return product(dims[0], dims[1], false, p);
  if (name == "aten::addmm" && dims.size() >= 3)
    return product(dims[1], dims[2], false, p);
  if (name == "aten::linear" && dims.size() >= 2)
    return product(dims[0], dims[1], true, p);
  return std::nullopt;
}

std::string text_of(const Json& event, const char* key) {
  const Json* value = event.find(key);
  return value && value->is_string() ? value->string({}) : "";
}

// Returns the number that joins an operator with the kernels it launched.
std::optional<int64_t> id_of(const Json& args) {
  for (const char* key : {"External id", "external id"}) {
    const Json* id = args.find(key);
    if (id && id->is_int())
      return id->integer({});
  }
  return std::nullopt;
}

double seconds_of(const Json& event) {
  const Json* length = event.find("dur");
  return length && length->is_number() ? length->number({}) * 1e-6 : 0;
}

bool is_product(const std::string& name) {
  return name == "aten::mm" || name == "aten::bmm" || name == "aten::addmm" || name == "aten::linear";
}

// Returns the category in the spelling of newer traces: "Kernel" becomes "kernel", "Operator" becomes
// "cpu_op".
std::string category_of(const Json& event) {
  std::string category = text_of(event, "cat");
  for (char& c : category)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return category == "operator" ? "cpu_op" : category;
}

double start_of(const Json& event) {
  const Json* start = event.find("ts");
  return start && start->is_number() ? start->number({}) * 1e-6 : 0;
}

struct Interval {
  double from;
  double to;
};

// Returns the length of the union of the intervals.
double covered(std::vector<Interval> intervals) {
  std::ranges::sort(intervals, {}, &Interval::from);
  double sum = 0;
  double end = -1e300;
  for (const Interval& i : intervals) {
    sum += std::max(0.0, i.to - std::max(end, i.from));
    end = std::max(end, i.to);
  }
  return sum;
}

bool is_communication(const std::string& kernel) {
  return kernel.find("nccl") != std::string::npos || kernel.find("rccl") != std::string::npos;
}

// One matrix product with its device kernels, collected over the events of a trace.
struct Launch {
  std::optional<Gemm> gemm;
  double device_s = 0;
};

class TraceReader {
 public:
  explicit TraceReader(base::ReadReport& report)
      : report_(report) {
  }

  // Adds a trace event: a step, an operator, or a device kernel with its interval.
  void add(const Json& event, const base::Location& where) {
    const std::string category = category_of(event);
    const std::string name = text_of(event, "name");
    if (name.starts_with("ProfilerStep#") && category != "gpu_user_annotation" && seconds_of(event) > 0)
      run_.steps_s.push_back(seconds_of(event));
    const Json* args = event.find("args");
    const std::optional<int64_t> id = args ? id_of(*args) : std::nullopt;
    if (category == "kernel")
      add_kernel(event, name);
    if (id && category == "kernel")
      launches_[*id].device_s += seconds_of(event);
    if (category != "cpu_op" || !is_product(name))
      return;
    const std::optional<Gemm> gemm = args ? product_of(name, *args) : std::nullopt;
    if (id && gemm) {
      launches_[*id].gemm = gemm;
    } else {
      report_.skip(where, "matrix product without 'External id' or usable 'Input Dims' (record_shapes=True)");
    }
  }

  // Returns the measured products, steps and intervals of communication that no computation overlaps.
  MeasuredRun finish() && {
    for (const auto& [id, launch] : launches_) {
      if (launch.gemm && launch.device_s > 0)
        run_.kernels.push_back({{*launch.gemm, {}, kTraced}, launch.device_s, uint64_t{run_.kernels.size()}});
    }
    std::vector<Interval> all = computing_;
    all.insert(all.end(), communicating_.begin(), communicating_.end());
    if (!all.empty()) {
      const auto first = std::ranges::min_element(all, {}, &Interval::from);
      const auto last = std::ranges::max_element(all, {}, &Interval::to);
      run_.span_s = last->to - first->from;
    }
    run_.busy_s = covered(all);
    run_.exposed_communication_s = run_.busy_s - covered(computing_);
    report_.taken += run_.kernels.size() + run_.steps_s.size();
    return std::move(run_);
  }

 private:
  // The devices of one trace run at the same time, so only the first one met is counted.
  void add_kernel(const Json& event, const std::string& name) {
    const Json* device = event.find("pid");
    const int64_t id = device && device->is_int() ? device->integer({}) : 0;
    if (!device_)
      device_ = id;
    if (*device_ != id)
      return;
    const double from = start_of(event);
    const double length = seconds_of(event);
    run_.kernels_s += length;
    (is_communication(name) ? communicating_ : computing_).push_back({from, from + length});
  }

  base::ReadReport& report_;
  MeasuredRun run_;
  std::optional<int64_t> device_;
  std::vector<Interval> computing_;
  std::vector<Interval> communicating_;
  std::map<int64_t, Launch> launches_;  // by External id
};

}  // namespace

MeasuredRun parse_profiler_trace(const std::string& text, const std::string& file, base::ReadReport& report) {
  const base::Location top{file};
  const Json root = base::parse_json(text, file);
  const base::Location where = root.is_array() ? top : base::child(top, "traceEvents");
  const Json::Array& events = (root.is_array() ? root : root.at("traceEvents", top)).array(where);
  TraceReader reader(report);
  for (size_t i = 0; i < events.size(); ++i) {
    const base::Location at = base::child(where, i);
    if (events[i].is_object()) {
      reader.add(events[i], at);
    } else {
      report.skip(at, "an event that is no object");
    }
  }
  MeasuredRun run = std::move(reader).finish();
  const Json* devices = root.is_array() ? nullptr : root.find("deviceProperties");
  if (devices && devices->is_array() && !devices->items().empty())
    run.device_name = text_of(devices->items().front(), "name");
  return run;
}

MeasuredRun read_run(const std::string& path, base::ReadReport& report) {
  if (path.ends_with(".json") || path.ends_with(".json.gz"))
    return parse_profiler_trace(base::read_file(path, kMostBytes), path, report);
  if (path != "-" && is_rocprof(path))
    return read_rocprof(path, report);
  MeasuredRun run;
  run.kernels = read_measurements(path, report);
  for (const Measurement& m : run.kernels) {
    const bool same = run.device_name.empty() || run.device_name == m.question.device;
    run.device_name = same ? m.question.device : "";
    if (run.device_name.empty())
      break;
  }
  return run;
}

}  // namespace lento::predict
