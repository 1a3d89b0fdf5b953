// Logs of programs that no reader is made for: a number with one label and unit that comes again and again is
// the course of the job, when label or unit shows that it is the time or the rate of its work.
//
//   line = any LABEL NUMBER [UNIT] any        labels, numbers and units: desk/general/labels.h
//
// The position of a sample is the step that its line or the last one before it names ("step 120",
// "[120/1000]"), else its time, else its place among the samples. A number that never falls is a clock or a
// sum and is left out, as is one in brackets behind another, which is most often its average.
//
// Four sources of a speed are tried in this order, and the first that gives a series is used:
//   1. numbers whose label or unit says that they are the time or the rate of the work
//   2. the times at which lines of one shape name one step after another:  (t - t') / (step - step')
//   3. a sum of time since the program began, by its increase
//   4. numbers with a unit of time, whatever their label
//
// A program may mean something else by its words. Therefore a series is only compared with itself, and a file
// counts as known when it has a series that is long enough to show a change.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "desk/general/general.h"
#include "desk/general/label_sense.h"
#include "desk/read/rank_word.h"
#include "desk/read/rest_lines.h"
#include "desk/read/waiting.h"

namespace lento::desk {
namespace {

// Fixed words that select the lines to examine.
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
    {"GF", {"iGF= 2164.20"}},
    {"step=", {"epoch=0 step=120 loss=3.1"}},
    {"step:", {"step: 10 loss 4.01"}},
    {"Step ", {"Step 50/100000; acc: 12.1"}},
    {"iter ", {"iter 100 loss 3.2"}},
    {"Iteration ", {"Iteration 100, loss 3.2"}},
};

struct SeriesRow {
  double value;
  double step;
  int64_t line;
  Moment time;
};

struct StepColumn {
  Source source = Source::Named;
  size_t shape = 0;  // of the lines whose clock it is by
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

size_t mixed(size_t hash, size_t value) {
  constexpr size_t kPrime = 0x100000001b3;  // FNV-1a
  return (hash ^ value) * kPrime;
}

constexpr const char* kRankAdvice =
    "look at clocks, temperature, PCIe width and kernel log of that rank's GPU and at other programs on its "
    "host";

class StepSeries : public RestReader {
  static constexpr size_t kFewestRows = 12;  // as a change needs (incident/pieces.h)
  static constexpr size_t kMostRows = 2048;  // of one series, thinned evenly beyond
  static constexpr size_t kMostColumns = 1024;

  void take(size_t, const Match&, Sink& sink) override {
    if (sink.number() == last_line_)  // the line holds two of the words and was read before
      return;
    last_line_ = sink.number();
    found_nothing_ = true;
    const std::vector<LabelledValue> values = labelled_values(sink.line());
    const std::vector<const LabelSense*> senses = senses_of(values);
    who_ = {sink.subject().host, "", sink.subject().rank};
    states_rank_ = false;
    for (size_t i = 0; i < values.size(); ++i)
      if (senses[i]->is_rank && is_whole(values[i])) {
        who_.rank = std::to_string(int64_t(values[i].value));
        states_rank_ = true;
      }
    if (const RankWord rank = rank_in(sink.line()); !states_rank_ && !rank.number.empty()) {  // "[rank5]"
      who_.rank = rank.number;
      states_rank_ = true;
    }
    const double step = step_of(values, senses, sink.line());
    found_nothing_ = std::isnan(step) && std::ranges::none_of(senses, [](const LabelSense* sense) {
                       return sense->is_series || sense->seconds >= 0;
                     });
    if (!std::isnan(step)) {
      step_ = step;
      if (lasts_.size() < kMostColumns || lasts_.contains(who_)) {
        Last& last = lasts_[who_];
        last.rises += step > last.step;
        last.step = step;
        last.number = sink.number();
        last.time = sink.time();
        last.line.assign(sink.line());
      }
    }
    add_stamps(values, step, sink);
    for (size_t i = 0; i < values.size(); ++i) {
      // A number in brackets behind one of the same unit is its average.
      const bool is_average =
          values[i].is_bracketed &&
          std::any_of(values.begin(), values.begin() + std::ptrdiff_t(i), [&](const LabelledValue& other) {
            return other.unit == values[i].unit;
          });
      if (!is_average)
        add(values[i], *senses[i], step_, sink);
    }
  }

  std::vector<const LabelSense*> senses_of(const std::vector<LabelledValue>& values) {
    constexpr size_t kMostSenses = 32768;
    if (senses_.size() > kMostSenses)
      senses_.clear();
    std::vector<const LabelSense*> senses;
    senses.reserve(values.size());
    for (const LabelledValue& value : values) {
      key_.assign(value.label).append(1, '\n').append(value.unit);
      auto at = senses_.find(key_);
      if (at == senses_.end())
        at = senses_.emplace(key_, sense_of(value)).first;
      senses.push_back(&at->second);
    }
    return senses;
  }

  bool row(std::string_view, Sink& sink) override {
    take(0, {}, sink);
    return false;
  }
  bool takes_log_lines() const override {
    return true;
  }
  bool found_nothing() const override {
    return found_nothing_;
  }
  bool has_meaning(std::string_view word) const override {
    return has_meaning_alone(word);
  }

  static bool is_whole(const LabelledValue& value) {
    return value.value >= 0 && value.value == std::floor(value.value) && !value.has_point &&
           value.unit.empty();
  }

  // Returns a number whose label calls it a step, else the first of "120/1000".
  static double step_of(
      const std::vector<LabelledValue>& values,
      const std::vector<const LabelSense*>& senses,
      std::string_view line) {
    for (size_t i = 0; i < values.size(); ++i)
      if (senses[i]->is_step && is_whole(values[i]))
        return values[i].value;
    static const Pattern progress("[~{done:int}/");
    Match match;
    return progress.match(line, match) ? match.number("done").value_or(kUnknown) : kUnknown;
  }

  // Adds the steps that a line with a time stamp names to the series of Source::Stamps: the number whose
  // label calls it a step, or else each whole number of the line, because any of them may count steps.
  void add_stamps(const std::vector<LabelledValue>& values, double step, const Sink& sink) {
    if (sink.time().clock == Clock::None)
      return;
    constexpr size_t kLongest = 96;
    write_shape(sink.line().substr(0, kLongest), shape_);
    const size_t shape = mixed(hash_of_subject(), std::hash<std::string>{}(shape_));
    if (!std::isnan(step)) {
      add_stamp(shape, step, sink);
      return;
    }
    for (size_t i = 0; i < values.size(); ++i)
      if (is_whole(values[i]))
        add_stamp(shape + i + 1, values[i].value, sink);
  }

  // Adds the time per step since the last line of this shape. An interval spans at least 32 ticks of the
  // log's clock, so that their size does not matter.
  void add_stamp(size_t key, double step, const Sink& sink) {
    constexpr double kGrains = 32;
    constexpr double kMillis = 1e-3;
    const Moment now = sink.time();
    const auto at = stamps_.size() < kMostColumns ? stamps_.try_emplace(key).first : stamps_.find(key);
    if (at == stamps_.end())
      return;
    Stamp& last = at->second;
    found_nothing_ = found_nothing_ && last.is_no_position();
    last.is_whole = last.is_whole && now.seconds == std::floor(now.seconds);
    const double seconds = now.seconds - last.time.seconds;
    const bool goes_on = last.time.clock == now.clock && seconds >= 0 && step >= last.step;
    last.stays += goes_on && step == last.step;
    if (goes_on && (step == last.step || seconds < kGrains * (last.is_whole ? 1 : kMillis)))
      return;
    last.rises += goes_on;
    if (goes_on)
      put({"time per step by the clock of the log", {Meaning::Duration, "s", 1}, Source::Stamps, key},
          seconds / (step - last.step),
          step,
          sink);
    else
      ++last.falls;
    last.time = now;
    last.step = step;
  }

  void add(const LabelledValue& value, const LabelSense& sense, double step, const Sink& sink) {
    if (sense.seconds >= 0)
      put({"increase of " + value.label, {Meaning::Duration, "s", 1}, Source::Sums, 0},
          value.value * sense.seconds,
          step,
          sink);
    const bool is_part = sense.measure.meaning == Meaning::Work && value.value != std::floor(value.value);
    if (sense.is_series && !is_part)
      put({sense.name, sense.measure, sense.source, 0}, value.value * sense.measure.scale, step, sink);
  }

  struct Named {
    std::string name;
    Measure measure;
    Source source;
    size_t shape;
  };

  void put(const Named& named, double value, double step, const Sink& sink) {
    const size_t hash = mixed(mixed(hash_of_subject(), std::hash<std::string>{}(named.name)), named.shape);
    auto at = columns_by_hash_.find(hash);
    if (at == columns_by_hash_.end()) {
      if (columns_.size() == kMostColumns)
        return;
      StepColumn* const column =
          &columns_[who_.host + '\n' + who_.rank + '\n' + named.name + '\n' + std::to_string(named.shape)];
      column->source = named.source;
      column->shape = named.shape;
      column->subject = who_;
      column->quantity = quantity_of(named);
      at = columns_by_hash_.emplace(hash, column).first;
    }
    push(*at->second, {value, step, sink.number(), sink.time()});
  }

  size_t hash_of_subject() const {
    return mixed(std::hash<std::string>{}(who_.host), std::hash<std::string>{}(who_.rank));
  }

  // Returns the quantity of a series. All ranks take a step together, so most quantities are those of the
  // job. Work that a rank does alone, and numbers on a line that names its rank, are the rank's own.
  Quantity quantity_of(const Named& named) const {
    Quantity quantity{named.name, named.measure.unit, Kind::Annotation, Better::Neither, "", Scope::Job};
    if (named.measure.meaning == Meaning::Work)
      return quantity;
    const std::vector<std::string> words = label_words(named.name);
    quantity.kind = Kind::Level;
    quantity.better = named.measure.meaning == Meaning::Rate ? Better::Higher : Better::Lower;
    const bool is_own = (!who_.rank.empty() && states_rank_) ||
                        (!(who_.rank.empty() && who_.host.empty()) && is_local_work(words));
    if (!is_own || named.source == Source::Stamps)
      return quantity;
    quantity.scope = Scope::Own;
    quantity.group = "ranks";
    quantity.by_role = true;
    quantity.advice = kRankAdvice;
    quantity.is_wait = quantity.better == Better::Lower && is_waiting(words);
    if (quantity.is_wait)
      quantity.better = Better::Neither;
    return quantity;
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
    take_differences();
    for (const Source source : {Source::Named, Source::Stamps, Source::Sums, Source::Unnamed}) {
      const bool has_speed = std::ranges::any_of(columns_, [&](const auto& one) {
        const StepColumn& column = one.second;
        return column.source == source && column.quantity.kind == Kind::Level && is_usable(column);
      });
      if (!has_speed)
        continue;
      for (const auto& [key, column] : columns_)
        if (is_usable(column) &&
            (column.source == source || column.quantity.kind == Kind::Annotation || column.quantity.is_wait))
          write(column, sink);
      break;
    }
    for (const auto& [subject, last] : lasts_)
      write_last(subject, last, sink);
  }

  // Replaces sums of time by their increase per step, or per line when no line names a step.
  void take_differences() {
    for (auto& [key, column] : columns_) {
      if (column.source != Source::Sums)
        continue;
      std::vector<SeriesRow> rows = std::move(column.rows);
      column.rows.clear();
      if (!never_falls(rows, &SeriesRow::value))
        continue;
      const bool has_steps =
          rows.size() > 1 && never_falls(rows, &SeriesRow::step) && rows.front().step < rows.back().step;
      for (size_t i = 1; i < rows.size(); ++i) {
        const double steps = has_steps ? rows[i].step - rows[i - 1].step : double(column.stride);
        if (!(steps > 0))
          continue;
        column.rows.push_back(rows[i]);
        column.rows.back().value = (rows[i].value - rows[i - 1].value) / steps;
      }
    }
  }

  // Returns whether the values of a column are a usable series. When lines of several shapes name steps
  // (Source::Stamps), only the shape with most samples of a rank is used.
  bool is_usable(const StepColumn& column) const {
    if (!is_series(column))
      return false;
    if (column.source != Source::Stamps)
      return true;
    const auto grows = [this](const StepColumn& one) {
      return stamps_.at(one.shape).falls * 10 <= one.seen;
    };
    return grows(column) && std::ranges::none_of(columns_, [&](const auto& one) {
             const StepColumn& other = one.second;
             const bool is_rival =
                 other.source == Source::Stamps && other.subject == column.subject && grows(other);
             return is_rival && (other.seen > column.seen || (other.seen == column.seen && &other < &column));
           });
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

  struct Last {
    double step = 0;
    int64_t number = 0;
    Moment time;
    std::string line;
    uint64_t rises = 0;
  };

  static void write_last(const Subject& subject, const Last& last, Sink& sink) {
    if (last.rises < kFewestRows)
      return;
    sink.at(last.line, last.number, subject, last.time);
    sink.took();
    Event event;
    event.kind = "progress/last step";
    event.meaning = "its last step in the log";
    event.fields = {{"step", std::to_string(int64_t(std::clamp(last.step, 0.0, 1e15)))}};
    sink.event(std::move(event));
  }

  struct Stamp {
    Moment time;
    double step = kUnknown;
    bool is_whole = true;  // seconds have no fraction
    uint64_t falls = 0;    // how often the position or the clock fell
    uint64_t rises = 0;
    uint64_t stays = 0;
    // Returns whether the numbers do not count steps: they fall at least as often as they rise, or stay the
    // same.
    bool is_no_position() const {
      constexpr uint64_t kEnough = 64;
      constexpr uint64_t kEnoughSame = 4096;
      return (falls >= kEnough && falls >= rises) || (stays >= kEnoughSame && rises == 0);
    }
  };
  std::map<std::string, StepColumn> columns_;
  std::unordered_map<size_t, StepColumn*> columns_by_hash_;
  std::unordered_map<size_t, Stamp> stamps_;  // by the hash of rank and shape of the lines
  std::unordered_map<std::string, LabelSense> senses_;
  std::string key_;
  std::string shape_;
  std::map<Subject, Last> lasts_;
  Subject who_;
  bool states_rank_ = false;  // the line, not its prefix
  double step_ = kUnknown;
  int64_t last_line_ = 0;
  bool found_nothing_ = false;  // in the last line, nor in others of its shape
};

}  // namespace

const Format kStepSeries{
    "numbers of a log by their labels",
    "general",
    kSeriesForms,
    Shape::Rest,
    make<StepSeries>,
    nullptr,
    {},
    {},
    true};

}  // namespace lento::desk
