// Lines with a number of one rank each, as tests of GPUs and hand-written loops print them: ranks are peers.
//
//   line    = ("rank" | "Rank") N ["node" HOST] NAME ":" X UNIT
//             "  rank  21 node gpu02 GEMM 8192x8192x8192: 561.3 TFLOP/s"
//   sniff   = "GPU sniff test" any                      a report begins, with its iteration and size
//   metric  = NAME "[" UNIT "]: median=" X ", mean=" X ", min=" X ", max=" X
//   outlier = "OUTLIER rank" N ["(" HOST ")"] ":" X "(" PERCENT "%)"
//   section = "=== Straggler Report at Step" N "===" any {NAME ":" any {"Rank" N ":" X "ms"}}
//
// The unit decides on which side a deviation is slow. A number without a known unit may be anything, so it is
// an open question. A report begins where a rank recurs.
//
// Megatron-LM's sniff test names the ranks that are a tenth or more from the median. Slower ones are events,
// faster ones are none. Where more than a quarter of the ranks are named the links differ by design.
//
// Sources: megatron/training/gpu_sniff_test.py of Megatron-LM (pull request 4662); FlagScale's report (pull
// request 1215).
#include <algorithm>
#include <map>
#include <set>

#include "base/number.h"
#include "base/units.h"
#include "desk/training/rank_rows.h"
#include "desk/training/training.h"

namespace lento::desk {
namespace {

constexpr const char* kAdvice =
    "look at clocks, temperature and kernel log of that rank's GPU (nvidia-smi -q -d "
    "PERFORMANCE,TEMPERATURE)";

struct Unit {
  std::string_view text;
  const char* name;
  double scale;
  Better better;
};
constexpr Unit kUnits[] = {
    {"TFLOP/s", "TFLOP/s", 1, Better::Higher},
    {"TFLOPS", "TFLOP/s", 1, Better::Higher},
    {"TFLOPs", "TFLOP/s", 1, Better::Higher},
    {"TF", "TFLOP/s", 1, Better::Higher},
    {"TFLOP/s/GPU", "TFLOP/s", 1, Better::Higher},
    {"GFLOP/s", "GFLOP/s", 1, Better::Higher},
    {"GFLOPS", "GFLOP/s", 1, Better::Higher},
    {"GB/s", "GB/s", 1, Better::Higher},
    {"GB/sec", "GB/s", 1, Better::Higher},
    {"GBps", "GB/s", 1, Better::Higher},
    {"MB/s", "MB/s", 1, Better::Higher},
    {"Gb/s", "Gb/s", 1, Better::Higher},
    {"Gbit/s", "Gb/s", 1, Better::Higher},
    {"Gbps", "Gb/s", 1, Better::Higher},
    {"tok/s", "tokens/s", 1, Better::Higher},
    {"tokens/s", "tokens/s", 1, Better::Higher},
    {"samples/s", "samples/s", 1, Better::Higher},
    {"img/s", "images/s", 1, Better::Higher},
    {"images/s", "images/s", 1, Better::Higher},
    {"it/s", "1/s", 1, Better::Higher},
    {"MHz", "MHz", 1, Better::Higher},
    {"s", "s", 1, Better::Lower},
    {"sec", "s", 1, Better::Lower},
    {"seconds", "s", 1, Better::Lower},
    {"ms", "s", 1e-3, Better::Lower},
    {"us", "s", 1e-6, Better::Lower},
};

const Unit* unit_of(std::string_view text) {
  const auto* const at = std::ranges::find(kUnits, text, &Unit::text);
  return at == std::end(kUnits) ? nullptr : at;
}

// Returns the quantity of a name. Step times may differ by the work of a rank. The rate of a test depends
// only on the rank's GPU or link.
Quantity quantity_of(const std::string& name, const Unit& unit) {
  Quantity quantity{name, unit.name, Kind::Level, unit.better, "ranks", Scope::Own, kAdvice};
  quantity.by_role = unit.better == Better::Lower;
  return quantity;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t-:>");
  return begin == text.npos ? std::string_view()
                            : text.substr(begin, text.find_last_not_of(" \t-:>=") + 1 - begin);
}

enum NumberForm {
  Sniff,
  Metric,
  Outlier,
  Section,
  OfNode,
  OfRank,
};

const LineForm kNumberForms[] = {
    {"GPU sniff test{rest}",
     {"> GPU sniff test (iteration 2000), 256 MiB", "  GPU sniff test -- iteration 100"}},
    {"]: median={median:num}, mean={_:num}, min={min:num}, max={max:num}",
     {"  GEMM throughput (8192x8192x8192, bf16) [TFLOP/s/GPU]: median=695.41, mean=690.12, min=561.30, "
      "max=701.8"}},
    {"OUTLIER rank {rank:int}(? ({host:name})?): {value:num} ({percent:num}%)",
     {"    OUTLIER rank 21 (gpu02): 561.30 (-19.3%)", "OUTLIER rank 3: 40.10 (-12.0%)"}},
    {"=== Straggler Report at Step {step:int} ===", {"=== Straggler Report at Step 10 ==="}},
    {"^~rank {rank:int} node {host:name} {what}: {value:num}~{unit:word}$",
     {"  rank  21 node gpu02 GEMM 8192x8192x8192: 561.3 TFLOP/s", "rank 3 node n1 p2p stride 8: 45.1 GB/s"}},
    {"^~rank {rank:int} {what}: {value:num}~{unit:word}$",
     {"rank 7 matmul 4096: 611.2 TFLOPS", "rank 12 all_reduce 1GB: 183.1 GB/s"}},
};

class RankNumbers : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    switch (form) {
      case Sniff:
        begin_report(match["rest"]);
        return;
      case Metric:
        end_metric(sink);
        metric_ = metric_name(sink.line());
        return;
      case Outlier:
        outlier(match, sink);
        return;
      case Section:
        step_ = match.number("step").value_or(kUnknown);
        heading_.clear();
        sink.follow(kMostLines);
        return;
      default:
        number(match, sink);
    }
  }

  // Begins a report at "iteration 2000), 256 MiB": the iteration is the step, and the size belongs to the
  // quantity's name.
  void begin_report(std::string_view rest) {
    constexpr std::string_view kIteration = "iteration ";
    seen_.clear();
    step_ = kUnknown;
    size_.clear();
    const size_t at = rest.find(kIteration);
    if (at != rest.npos) {
      std::string_view number = rest.substr(at + kIteration.size());
      step_ = take_number(number);
    }
    if (const size_t comma = rest.rfind(", "); comma != rest.npos)
      size_ = std::string(rest.substr(comma));
  }

  // Reads one number. A rank that recurs with the same name begins a new report.
  void number(const Match& match, Sink& sink) {
    const Unit* unit = unit_of(match["unit"]);
    const std::string rank = match.text("rank");
    const auto value = match.number("value");
    const std::string name(trimmed(match["what"]));
    constexpr size_t kMost = size_t{1} << 16;
    const bool is_of_node = match["what"].starts_with("node ") && match["host"].empty();  // the other form's
    if (!unit || !value || is_of_node || rank.size() > 8 || name.empty() || name.size() > 80)
      return;
    if (seen_.size() < kMost && !seen_.insert({name, rank}).second) {
      seen_.clear();
      seen_.insert({name, rank});
      ++report_;
      step_ = kUnknown;
    }
    const double step = std::isnan(step_) ? report_ : step_;
    sink.sample(
        quantity_of(name + size_, *unit),
        *value * unit->scale,
        {{match.text("host"), "", rank}, step});
  }

  static std::string metric_name(std::string_view line) {
    return std::string(trimmed(line.substr(0, line.rfind(" [", line.find("]: median=")))));
  }

  // Keeps a rank that the test lists as an outlier below the median, until the metric ends. A rank above it
  // only shows how many ranks there are at least.
  void outlier(const Match& match, Sink& sink) {
    constexpr size_t kMost = 4096;
    const auto rank = match.integer("rank");
    if (!rank || *rank < 0 || *rank > 10'000'000)
      return;
    ranks_ = std::max(ranks_, double(*rank + 1));
    if (match["percent"].starts_with("-") && outliers_.size() < kMost)
      outliers_.push_back(
          {{match.text("host"), "", match.text("rank")},
           match.text("value"),
           match.text("percent"),
           std::string(sink.line()),
           sink.number()});
  }

  // Writes an event for each rank that is slow in the metric that ends.
  void end_metric(Sink& sink) {
    const bool is_pattern = double(outliers_.size()) * 4 > ranks_ && outliers_.size() > 1;
    const std::string_view line = sink.line();
    const int64_t number = sink.number();
    for (const Slow& slow : outliers_) {
      sink.at(slow.line, slow.number, {}, sink.time());
      Event event;
      event.kind = "straggler/sniff test";
      event.severity = is_pattern ? Severity::Note : Severity::Fault;
      event.origin = metric_.starts_with("GEMM") ? Origin::Hardware : Origin::Link;
      event.subject = slow.subject;
      event.meaning = metric_ + " " + slow.value + ", " + slow.percent + " % beside the median of the ranks" +
                      (is_pattern ? ", as many others" : "");
      event.action = kAdvice;
      sink.event(std::move(event));
    }
    sink.at(line, number, {}, sink.time());
    outliers_.clear();
  }

  // Takes lines that follow a heading.
  void behind(std::string_view line, Sink& sink) override {
    if (std::string heading = heading_of(line); !heading.empty())
      heading_ = std::move(heading);
    else if (const auto row = rank_row(line); row && !heading_.empty())
      section_row(*row, sink);
    else
      return;
    sink.follow(kMostLines);
  }

  void section_row(const RankRow& row, Sink& sink) const {
    if (const Unit* unit = unit_of(row.unit))
      sink.sample(quantity_of(heading_, *unit), row.value * unit->scale, {{"", "", row.rank}, step_});
  }

  void end(Sink& sink) override {
    end_metric(sink);
  }

  struct Slow {
    Subject subject;
    std::string value;
    std::string percent;
    std::string line;
    int64_t number = 0;
  };
  static constexpr int kMostLines = 64;
  double step_ = kUnknown;
  double report_ = 1;
  std::string size_;
  std::set<std::pair<std::string, std::string>> seen_;
  std::string metric_;
  std::string heading_;
  double ranks_ = 0;
  std::vector<Slow> outliers_;
};

}  // namespace

const Format kRankNumbers{
    "numbers of ranks (sniff test, sections)",
    "training",
    kNumberForms,
    Shape::Lines,
    make<RankNumbers>};

}  // namespace lento::desk
