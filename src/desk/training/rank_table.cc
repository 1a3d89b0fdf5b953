// Tables with a row per rank and step, as training loops write them: CSV with any delimiter, or JSON Lines.
//
//   csv   = header {row}           "step,rank,step_time_ms,compute_ms,wait_ms"
//   jsonl = {object}               {"step": 0, "rank": 3, "host": "h0", "forward_s": 1.3045}
//
// Ranks are peers, whatever hosts they are on. A table needs a column of ranks, one of steps and one of
// measures. The name of a column shows its meaning: times should be short, rates and clocks high, and time in
// which a rank waits for others is not judged. Other columns are left out. Of nested objects the members of
// the first level count ("timers.forward").
//
// A table of steps without a column that names a rank, a host or a device is the course of one job, as
// loggers of experiments export it (metrics.csv of Lightning, W&B's history, TensorBoard's "Wall
// time,Step,Value"). Where it has no measure, the time for each step follows from its column of times.
//
// Tables with times instead of steps are those of the fleet's reader (fleet/read/table_layout.h).
#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/number.h"
#include "desk/read/log_date.h"
#include "desk/read/rank_word.h"
#include "desk/read/waiting.h"
#include "desk/training/training.h"

namespace lento::desk {
namespace {

using base::Json;

constexpr const char* kTableAdvice =
    "look at clocks, temperature, PCIe width and kernel log of that rank's GPU and at other programs on its "
    "host";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string small(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return out;
}

// Returns the words of a column name.
std::vector<std::string> words_in(std::string_view name) {
  std::vector<std::string> words;
  bool is_open = false;
  for (const char c : small(name)) {
    const bool is_inside = is_letter(c) || (c >= '0' && c <= '9');
    if (is_inside && !is_open)
      words.emplace_back();
    if (is_inside)
      words.back() += c;
    is_open = is_inside;
  }
  return words;
}

template <size_t N>
bool holds(const std::vector<std::string>& words, const std::array<std::string_view, N>& any) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::find(any, word) != any.end();
  });
}

constexpr std::array<std::string_view, 12> kSteps{
    "step",
    "global_step",
    "trainer/global_step",
    "iteration",
    "iter",
    "train_step",
    "train/step",
    "batch",
    "batch_idx",
    "_step",
    "it",
    "num_updates"};
constexpr std::array<std::string_view, 6>
    kHosts{"host", "hostname", "node", "node_name", "nodename", "machine"};
constexpr std::array<std::string_view, 9>
    kTimes{"time", "timestamp", "ts", "datetime", "date", "_timestamp", "wall time", "wall_time", "_runtime"};
constexpr std::array<std::string_view, 9>
    kParts{"gpu", "gpu_id", "device", "worker", "instance", "pod", "server", "local_rank", "chip"};

constexpr std::array<std::string_view, 14> kDurations{
    "ms",
    "us",
    "s",
    "ns",
    "sec",
    "secs",
    "seconds",
    "time",
    "duration",
    "latency",
    "elapsed",
    "millis",
    "msec",
    "usec"};
constexpr std::array<std::string_view, 12> kRates{
    "tflops",
    "tflop",
    "flops",
    "throughput",
    "tps",
    "mfu",
    "gbps",
    "bandwidth",
    "bw",
    "qps",
    "rate",
    "speed"};
constexpr std::array<std::string_view, 4> kClocks{"clock", "mhz", "clk", "freq"};
constexpr std::array<std::string_view, 10> kOfHardware{
    "clock",
    "mhz",
    "power",
    "watts",
    "temp",
    "temperature",
    "util",
    "utilization",
    "pcie",
    "nvlink"};
constexpr std::array<std::string_view, 8>
    kLeftOut{"start", "begin", "end", "wall", "epoch", "lr", "loss", "eta"};

// Returns the unit at the end of a name: "ms" for "compute_ms".
std::string unit_of(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 4> kUnits{"ms", "us", "ns", "s"};
  if (words.size() > 1 && std::ranges::find(kUnits, words.back()) != kUnits.end())
    return words.back();
  return words.size() > 1 && words.back() == "mhz" ? "MHz" : "";
}

// Finds the quantity that a column measures. Returns false when the column holds nothing that can be slow.
bool measures(std::string_view name, Quantity& out) {
  const std::vector<std::string> words = words_in(name);
  const bool is_per = std::ranges::find(words, "per") != words.end();  // tokens_per_s, samples/sec
  const bool is_rate = is_per || holds(words, kRates);
  const bool is_clock = holds(words, kClocks);
  const bool is_duration = !is_rate && holds(words, kDurations);
  if (holds(words, kLeftOut) || (!is_rate && !is_clock && !is_duration))
    return false;
  out = {
      std::string(name),
      is_rate ? "" : unit_of(words),
      Kind::Level,
      Better::Higher,
      "rank table",
      Scope::Own,
      kTableAdvice};
  out.is_wait = is_duration && is_waiting(words);
  if (is_duration)
    out.better = out.is_wait ? Better::Neither : Better::Lower;
  out.by_role = !is_clock;
  return true;
}

using Cells = std::vector<std::pair<std::string, std::string>>;  // column name and text

constexpr size_t kMostColumns = 512;

char delimiter_of(std::string_view header) {
  char best = ',';
  for (const char c : {',', ';', '\t', '|'})
    if (std::ranges::count(header, c) > std::ranges::count(header, best))
      best = c;
  return header.find(best) == header.npos ? ' ' : best;
}

// Splits a line at the delimiter, except inside quotes.
std::vector<std::string> split(std::string_view line, char delimiter) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"')
      is_quoted = !is_quoted;
    else if (
        c == delimiter && !is_quoted && cells.size() < kMostColumns && (c != ' ' || !cells.back().empty()))
      cells.emplace_back();
    else if (c != '\r' && (c != ' ' || !cells.back().empty()))
      cells.back() += c;
  }
  if (delimiter == ' ' && cells.back().empty())
    cells.pop_back();
  return cells;
}

std::string text_of(const Json& value) {
  if (value.is_string())
    return value.string({});
  return value.is_number() ? base::write_json(value, -1) : "";
}

// Returns the members of a JSON object and of the objects in it. Empty when the line is no object.
Cells object_cells(std::string_view line) {
  Cells cells;
  try {
    const Json object = base::parse_json(line, "line");
    for (const auto& [name, value] : object.members()) {
      if (!value.is_object() && cells.size() < kMostColumns)
        cells.emplace_back(name, text_of(value));
      for (const auto& [inner, nested] : value.members())
        if (cells.size() < kMostColumns)
          cells.emplace_back(name + "." + inner, text_of(nested));
    }
  } catch (const base::Error&) {
    cells.clear();
  }
  return cells;
}

// The kinds of columns that a table has.
struct Columns {
  bool has_rank = false;
  bool has_step = false;
  bool has_time = false;
  bool has_part = false;  // a host or a device
  bool has_telemetry =
      false;  // power, temperature or the like, which the fleet's scan judges and this reader does not
  size_t measures = 0;
};

template <size_t N>
bool is_one(const std::array<std::string_view, N>& names, std::string_view column) {
  return std::ranges::find(names, small(column)) != names.end();
}

// Returns what the columns mean: rank, step, quantities.
Columns columns_of(const std::vector<std::string>& names) {
  Columns columns;
  bool is_long = false;
  for (const std::string& name : names) {
    Quantity quantity;
    columns.has_rank = columns.has_rank || names_rank(name);
    columns.has_step = columns.has_step || is_one(kSteps, name);
    columns.has_time = columns.has_time || is_one(kTimes, name);
    columns.has_part = columns.has_part || is_one(kHosts, name) || is_one(kParts, name) ||
                       holds(words_in(name), kOfHardware);
    columns.has_telemetry =
        columns.has_telemetry || (holds(words_in(name), kOfHardware) && !measures(name, quantity));
    is_long = is_long || small(name) == "metric";
    columns.measures += !is_one(kTimes, name) && measures(name, quantity);
  }
  columns.measures += is_long;
  return columns;
}

// Returns the column names of a header or of a JSON line.
std::vector<std::string> header_names(std::string_view line) {
  std::vector<std::string> names;
  if (line.starts_with("{")) {
    for (const auto& [name, text] : object_cells(line))
      names.push_back(name);
    return names;
  }
  return split(line, delimiter_of(line));
}

double score_rank_table(std::string_view head, std::string& reason) {
  const std::string_view header = head.substr(0, head.find('\n'));
  const std::vector<std::string> names = header_names(header);
  // Blanks separate the words of a sentence too, but no row with as many cells follows a sentence.
  if (delimiter_of(header) == ' ') {
    const std::string_view rows = head.substr(std::min(header.size() + 1, head.size()));
    const std::vector<std::string> row = split(rows.substr(0, rows.find('\n')), ' ');
    if (row.size() != names.size() || !base::try_double(row[0]))
      return 0;
  }
  const Columns columns = columns_of(names);
  const bool is_of_job = !columns.has_rank && !columns.has_part;
  if (columns.has_time && columns.has_telemetry)
    return 0;
  if (!columns.has_step || (!columns.has_rank && !is_of_job) ||
      (columns.measures == 0 && !(is_of_job && columns.has_time)))
    return 0;
  reason = std::string("it has a row a ") + (is_of_job ? "step" : "rank and step") + ", with " +
           std::to_string(columns.measures) + " measures";
  return 0.8;
}

class RankTable : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    if (line.starts_with("{"))
      return take(object_cells(line), sink);
    if (header_.empty()) {
      delimiter_ = delimiter_of(line);
      header_ = split(line, delimiter_);
      return true;
    }
    const std::vector<std::string> texts = split(line, delimiter_);
    if (texts.size() != header_.size())
      return false;
    Cells cells;
    for (size_t i = 0; i < texts.size(); ++i)
      cells.emplace_back(header_[i], texts[i]);
    return take(cells, sink);
  }

  // Takes the cells of a row.
  bool take(const Cells& cells, Sink& sink) {
    Subject subject;
    double step = kUnknown;
    std::string metric;
    Moment time = sink.time();
    for (const auto& [name, text] : cells) {
      if (names_rank(name) && subject.rank.empty())
        subject.rank = text;
      else if (is_one(kSteps, name) && std::isnan(step))
        step = base::try_double(text).value_or(kUnknown);
      else if (is_one(kHosts, name))
        subject.host = text;
      else if (is_one(kTimes, name))
        time = time_of(text);
      else if (small(name) == "metric")
        metric = text;
    }
    if (subject.rank.size() > 16 || std::isnan(step))
      return false;
    sink.set_time(time);
    for (const auto& [name, text] : cells)
      write(metric.empty() || small(name) != "value" ? name : metric, text, {subject, step}, sink);
    if (subject.rank.empty())
      add_stamp(cells, step, sink);
    return true;
  }

  // Keeps the times of the steps of a job, which are used when no column measures a speed.
  void add_stamp(const Cells& cells, double step, Sink& sink) {
    constexpr size_t kMost = size_t{1} << 20;
    for (const auto& [name, text] : cells) {
      const Moment moment = is_one(kTimes, name) ? time_of(text) : Moment{};
      const double time =
          moment.clock != Clock::None ? moment.seconds : base::try_double(text).value_or(kUnknown);
      if (!is_one(kTimes, name) || std::isnan(time) || stamps_.size() == kMost)
        continue;
      stamps_.push_back({time, step, sink.number()});
      return;
    }
  }

  void end(Sink& sink) override {
    static const Quantity
        kByClock{"time per step by the times of the rows", "s", Kind::Level, Better::Lower, "", Scope::Job};
    for (size_t i = 1; i < stamps_.size() && !has_measures_; ++i) {
      const double seconds = stamps_[i].time - stamps_[i - 1].time;
      const double steps = stamps_[i].step - stamps_[i - 1].step;
      if (!(seconds > 0) || !(steps > 0))
        continue;
      sink.at("", stamps_[i].line, {}, {});
      sink.sample(kByClock, seconds / steps, {{}, stamps_[i].step});
    }
  }

  static Moment time_of(const std::string& text) {
    return iso_moment(text).value_or(Moment{});
  }

  void write(const std::string& name, const std::string& text, const Sink::Place& place, Sink& sink) {
    Quantity quantity;
    const auto value = base::try_double(text);
    if (!value || is_one(kTimes, name) || !measures(name, quantity))
      return;
    has_measures_ = true;
    if (place.subject.rank.empty()) {
      quantity.scope = Scope::Job;
      quantity.by_role = false;
    }
    sink.sample(quantity, *value, place);
  }

  struct Stamp {
    double time = 0;
    double step = 0;
    int64_t line = 0;
  };
  std::vector<Stamp> stamps_;
  bool has_measures_ = false;
  std::vector<std::string> header_;
  char delimiter_ = ',';
};

}  // namespace

const Format
    kRankTable{"table of ranks and steps", "training", {}, Shape::Table, make<RankTable>, score_rank_table};

}  // namespace lento::desk
