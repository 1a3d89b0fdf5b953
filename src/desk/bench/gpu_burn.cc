// gpu-burn loads all GPUs of a host with the same matrix product and prints the rate, the number of wrong
// results and the temperature of each, so that GPUs of one model are peers.
//
//   device = "GPU " N ": " MODEL " (UUID: " ID ")"
//   report = X "%  proc'd: " rate {" - " rate} "errors: " errors {"-" errors} "temps: " N " C" {" - " N " C"}
//   rate   = N " (" N " Gflop/s)"     errors = N ["  (WARNING!)" | "  (DIED!)"]
//   result = "GPU " N ": OK" | "GPU " N ": FAULTY"
//
// On a terminal, reports overwrite each other in one line by carriage returns, and only the last one is
// read. When every GPU has errors the comparison values themselves do not fit these GPUs, and no GPU is
// reported.
//
// Source: output of wilicc/gpu-burn from 2018 to 2025, as shown in its issues 1, 8, 12, 48, 52 and 69.
#include <algorithm>
#include <map>
#include <set>

#include "base/number.h"
#include "desk/bench/bench.h"

namespace lento::desk {
namespace {

enum BurnForm {
  Device,
  Report,
  Faulty,
  Fine,
};

const LineForm kBurnForms[] = {
    {"GPU {gpu:int}: {model} (UUID: GPU-",
     {"GPU 0: Tesla K80 (UUID: GPU-6b15ee7a-dc27-9450-1be9-43cff0faef9b)"}},
    {"proc'd: {rates}errors: {errors}temps: {temps}",
     {"11.7%  proc'd: 2947 (7124 Gflop/s) - 2664 (6963 Gflop/s)   errors: 0 - 0   temps: 56 C - 73 C "}},
    {"GPU {gpu:int}: FAULTY", {"\tGPU 2: FAULTY"}},
    {"^~GPU {gpu:int}: OK$", {"\tGPU 3: OK"}},
};

constexpr const char* kAdvice = "look at nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER of that GPU";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Returns the numbers before each occurrence of a word: "47700 Gflop/s", "67 C".
std::vector<double> numbers_before(std::string_view text, std::string_view word) {
  std::vector<double> numbers;
  constexpr size_t kMost = 64;
  for (size_t at = text.find(word); at != text.npos && numbers.size() < kMost; at = text.find(word, at + 1)) {
    size_t begin = at;
    while (begin > 0 && (is_digit(text[begin - 1]) || text[begin - 1] == '.'))
      --begin;
    numbers.push_back(base::try_double(text.substr(begin, at - begin)).value_or(0));
  }
  return numbers;
}

struct Errors {
  bool any = false;
  bool died = false;
};

// Returns the error counts in a progress line, one for each GPU.
std::vector<Errors> errors_of(std::string_view text) {
  std::vector<Errors> list;
  constexpr size_t kMost = 64;
  for (size_t at = 0; at < text.size() && list.size() < kMost;) {
    if (!is_digit(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && is_digit(text[end]))
      ++end;
    size_t next = end;
    while (next < text.size() && !is_digit(text[next]))
      ++next;
    const bool is_zero = text.substr(at, end - at).find_first_not_of('0') == text.npos;
    list.push_back({!is_zero, text.substr(end, next - end).find("(DIED!)") != text.npos});
    at = end;
  }
  return list;
}

class GpuBurn : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    const std::string gpu = match.text("gpu");
    if (gpu.size() > 2)  // more GPUs than a host has
      return;
    switch (form) {
      case Device:
        if (models_.size() < 64 && models_.try_emplace(gpu, match.text("model")).second)
          gpus_.push_back(gpu);
        return;
      case Report:
        host_ = sink.subject().host;
        report(sink);
        return;
      case Faulty:
        host_ = sink.subject().host;
        wrong_[gpu].assign(sink.line());
        tested_.insert(gpu);
        return;
      default:
        tested_.insert(gpu);
    }
  }

  // Returns the number of the GPU at an index of a report with `count` GPUs, or the index when the list of
  // GPUs above the reports has lost its beginning.
  std::string name(size_t index, size_t count) const {
    return gpus_.size() >= count ? gpus_[index] : std::to_string(index);
  }

  // Returns the model of a GPU as its group of peers. When all listed GPUs are one model, the group is "",
  // because the list may be incomplete and the others are assumed to be the same.
  std::string group_of(const std::string& gpu) const {
    const bool is_mixed = std::ranges::any_of(models_, [&](const auto& other) {
      return other.second != models_.begin()->second;
    });
    const auto model = models_.find(gpu);
    return !is_mixed || model == models_.end() ? "" : model->second;
  }

  // Takes a progress line: rate and temperature of each GPU, and which GPU computed wrong results or stopped.
  void report(Sink& sink) {
    const std::string_view line = sink.line();
    const std::string_view last = line.substr(line.rfind("proc'd:"));
    const size_t errors_at = last.find("errors:");
    const size_t temps_at = last.find("temps:");
    if (errors_at == last.npos || temps_at == last.npos || temps_at < errors_at)
      return;
    ++reports_;
    const std::vector<double> rates = numbers_before(last.substr(0, errors_at), " Gflop/s");
    const std::vector<double> temps = numbers_before(last.substr(temps_at), " C");
    const std::vector<Errors> errors = errors_of(last.substr(errors_at + 7, temps_at - errors_at - 7));
    for (size_t i = 0; i < rates.size(); ++i) {
      const std::string gpu = name(i, rates.size());
      tested_.insert(gpu);
      const std::string group = group_of(gpu);
      const Sink::Place place{{"", "gpu" + gpu, ""}, reports_};
      if (rates[i] > 0)
        sink.sample(
            {"rate of matrix products", "GFLOP/s", Kind::Level, Better::Higher, group, Scope::Own, kAdvice},
            rates[i],
            place);
      if (i < temps.size() && temps[i] > 0)
        sink.sample(
            {"GPU temperature",
             "C",
             Kind::Level,
             Better::Lower,
             group,
             Scope::Own,
             "check air flow and fans"},
            temps[i],
            place);
      if (i < errors.size() && errors[i].died)
        died_[gpu].assign(last.substr(0, 320));
      else if (i < errors.size() && errors[i].any)
        wrong_[gpu].assign(last.substr(0, 320));
    }
  }

  void end(Sink& sink) override {
    const bool is_test =
        tested_.size() > 1 && (wrong_.size() == tested_.size() || died_.size() == tested_.size());
    for (const auto& [gpu, line] : wrong_)
      write(sink, gpu, line, "it computed wrong results under load", is_test);
    for (const auto& [gpu, line] : died_)
      write(sink, gpu, line, "the load on it ended with an error", is_test);
  }

  void write(Sink& sink, const std::string& gpu, const std::string& line, const char* meaning, bool is_test) {
    sink.at(line, 0, {host_, "", ""}, {});
    Event event;
    event.kind = "gpu-burn/errors";
    event.severity = is_test ? Severity::Note : Severity::Fault;
    event.origin = is_test ? Origin::Program : Origin::Hardware;
    event.subject.device = "gpu" + gpu;
    event.meaning = meaning;
    if (is_test)
      event.meaning += ", as every other GPU: the test itself (compare.ptx, driver) may not fit";
    event.action = "look for Xid messages in the kernel log, run dcgmi diag -r 3, and drain it";
    sink.event(std::move(event));
  }

  std::vector<std::string> gpus_;
  std::map<std::string, std::string> models_;
  std::set<std::string> tested_;
  std::map<std::string, std::string> wrong_;  // a line that shows the wrong results, by GPU
  std::map<std::string, std::string> died_;
  std::string host_;
  double reports_ = 0;
};

}  // namespace

const Format kGpuBurn{"gpu-burn", "bench", kBurnForms, Shape::Lines, make<GpuBurn>};

}  // namespace lento::desk
