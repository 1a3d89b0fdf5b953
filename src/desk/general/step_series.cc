// Logs of programs that no reader is made for: a number with one label and unit that comes again and again is
// the course of the job, when label or unit says that it is the time or the rate of its work.
//
//   line = any LABEL NUMBER [UNIT] any        labels, numbers and units: desk/general/labels.h
//
// The position of a sample is the step that its line names ("step 120", "[120/1000]"), else its time, else
// its place among the samples. A number that never falls is a clock or a sum and is left out, as is one in
// brackets behind another, which is most often its average.
//
// A program may mean something else by its words. Therefore a series is only compared with itself, and a file
// counts as known when it has a series that is long enough to show a change.
#include <algorithm>
#include <map>

#include "desk/general/general.h"
#include "desk/general/labels.h"

namespace lento::desk {
namespace {

// Fixed words that the lines hold. They only choose the lines to look at.
const LineForm kSeriesForms[] = {
    {"time", {"iter time: 112.20 ms"}},
    {"Time", {"Time  0.213 ( 0.215)"}},
    {"/s", {"1024 tokens/s"}},
    {"ms/", {"120ms/step"}},
    {"s/it", {"2.1 s/it"}},
    {"per_s", {"tokens_per_sec: 22.8K"}},
    {"PerSec", {"TokensPerSec=2210"}},
    {"wps", {"\"wps\": \"58000.1\""}},
    {"tps", {"tps=900"}},
    {"flops", {"tflops: 400"}},
    {"FLOP", {"TFLOPs: 400"}},
    {"hroughput", {"Throughput = 812"}},
    {"atency", {"step latency 0.21 s"}},
};

struct SeriesRow {
  double value;
  double step;
  int64_t line;
  Moment time;
};

struct StepColumn {
  Subject subject;
  Quantity quantity;
  uint64_t stride = 1;
  uint64_t seen = 0;
  std::vector<SeriesRow> rows;
};

bool never_falls(const std::vector<SeriesRow>& rows, double SeriesRow::*member) {
  return std::ranges::adjacent_find(rows, [member](const SeriesRow& a, const SeriesRow& b) {
           return !(b.*member >= a.*member);
         }) == rows.end();
}

class StepSeries : public Reader {
  static constexpr size_t kFewestRows = 12;  // as a change needs (incident/pieces.h)
  static constexpr size_t kMostRows = 2048;  // of one series, thinned evenly beyond
  static constexpr size_t kMostColumns = 256;

  void take(size_t, const Match&, Sink& sink) override {
    if (sink.number() == last_line_)  // of two words that stand in it
      return;
    last_line_ = sink.number();
    const std::vector<LabelledValue> values = labelled_values(sink.line());
    const double step = step_of(values, sink.line());
    for (const LabelledValue& value : values)
      add(value, step, sink);
  }

  // A number that its label calls a step, else the first of "120/1000".
  static double step_of(const std::vector<LabelledValue>& values, std::string_view line) {
    for (const LabelledValue& value : values)
      if (measure_of(value.label, value.unit).meaning == Meaning::Step &&
          value.value == std::floor(value.value))
        return value.value;
    static const Pattern progress("[~{done:int}/");
    Match match;
    return progress.match(line, match) ? match.number("done").value_or(kUnknown) : kUnknown;
  }

  void add(const LabelledValue& value, double step, const Sink& sink) {
    const Measure measure = measure_of(value.label, value.unit);
    const bool is_speed = measure.meaning == Meaning::Rate || measure.meaning == Meaning::Duration;
    if (value.is_bracketed || (!is_speed && measure.meaning != Meaning::Work))
      return;
    const std::string name = value.label.empty() ? value.unit : value.label;
    const Subject& subject = sink.subject();
    const std::string key = subject.host + '\n' + subject.rank + '\n' + name;
    auto at = columns_.find(key);
    if (at == columns_.end()) {
      if (columns_.size() == kMostColumns)
        return;
      at = columns_.try_emplace(key).first;
      StepColumn& column = at->second;
      column.subject = {subject.host, "", subject.rank};
      column.quantity = {name, measure.unit, Kind::Annotation, Better::Neither, "", Scope::Job};
      if (is_speed) {
        column.quantity.kind = Kind::Level;
        column.quantity.better = measure.meaning == Meaning::Rate ? Better::Higher : Better::Lower;
      }
    }
    push(at->second, {value.value * measure.scale, step, sink.number(), sink.time()});
  }

  static void push(StepColumn& column, const SeriesRow& row) {
    if (column.seen++ % column.stride != 0)
      return;
    if (column.rows.size() == kMostRows) {
      for (size_t i = 0; 2 * i < column.rows.size(); ++i)
        column.rows[i] = column.rows[2 * i];
      column.rows.resize(kMostRows / 2);
      column.stride *= 2;
    }
    column.rows.push_back(row);
  }

  void end(Sink& sink) override {
    bool has_speed = false;
    for (const auto& [key, column] : columns_)
      has_speed = has_speed || (column.quantity.kind == Kind::Level && is_series(column));
    if (!has_speed)
      return;
    for (const auto& [key, column] : columns_)
      if (is_series(column))
        write(column, sink);
  }

  static bool is_series(const StepColumn& column) {
    const bool is_short = column.rows.size() < kFewestRows;
    const bool has_zero =
        column.quantity.kind == Kind::Level && std::ranges::any_of(column.rows, [](const SeriesRow& row) {
          return !(row.value > 0);
        });
    const bool is_constant =
        !column.rows.empty() && std::ranges::all_of(column.rows, [&](const SeriesRow& row) {
          return row.value == column.rows[0].value;
        });
    return !is_short && !has_zero && (is_constant || !never_falls(column.rows, &SeriesRow::value));
  }

  static void write(const StepColumn& column, Sink& sink) {
    const std::vector<SeriesRow>& rows = column.rows;
    const bool has_steps = never_falls(rows, &SeriesRow::step) && rows.front().step < rows.back().step;
    const bool has_times = rows.front().time.clock != Clock::None;
    for (size_t i = 0; i < rows.size(); ++i) {
      const double place = has_times ? kUnknown : double(i * column.stride + 1);
      sink.at("", rows[i].line, column.subject, rows[i].time);
      sink.sample(column.quantity, rows[i].value, {{}, has_steps ? rows[i].step : place});
      sink.took();
    }
  }

  std::map<std::string, StepColumn> columns_;
  int64_t last_line_ = 0;
};

}  // namespace

const Format kStepSeries{
    "numbers of a log by their labels",
    "general",
    kSeriesForms,
    Shape::Lines,
    make<StepSeries>,
    nullptr,
    {},
    {},
    true};

}  // namespace lento::desk
