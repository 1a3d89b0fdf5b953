// Diagnoses a report of perf c2c. The events it counts are loads of a line that another cache had modified
// (HitM), or that another cache forwarded (Arm). The cause of a line follows from the words of these loads
// and the words with stores:
//
//   lock           most of its loads are made by functions that take or release locks
//   true sharing   most of its loads are of words with stores
//   false sharing  most are of words without a sampled store, and other words of the line have stores
//   shared line    no store was sampled, so the two cannot be distinguished
#include "memory/c2c.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "evidence/share.h"
#include "finding/inputs.h"
#include "memory/mine/tuning.h"
#include "memory/read/c2c_report.h"
#include "program/address_space.h"

namespace lento::memory {
namespace {

using base::percent;
using finding::Diagnosis;

constexpr size_t kShownUses = 12;  // most uses of a line that its evidence lists
constexpr double kMost = 0.5;      // "most" of the loads of a line

// Parts of the names of functions that take or release locks, of the kernel and of C libraries.
constexpr std::array<std::string_view, 8> kLockWords =
    {"lock", "mutex", "rwsem", "down_write", "down_read", "up_write", "up_read", "futex"};

// Returns the loads of one row that found the line in another cache.
double taken_by(const C2cLine& line, const C2cUse& use) {
  return use.remote * double(line.remote) + use.local * double(line.local) + use.peer * double(line.peers);
}

bool names_a_lock(const C2cUse& use) {
  return std::ranges::any_of(kLockWords, [&](std::string_view word) {
    return use.symbol.find(word) != std::string::npos;
  });
}

struct Shares {
  double all = 0;
  double locks = 0;
  double stored_to = 0;  // on words with sampled stores
  bool any_store = false;
};

// Counts the loads of a line that another cache served: all, those in lock functions, those of words with
// sampled stores.
Shares shares_of(const C2cLine& line) {
  std::set<uint32_t> stored;
  for (const C2cUse& use : line.uses) {
    if (use.stores > 0)
      stored.insert(use.offset);
  }
  Shares s;
  s.any_store = !stored.empty();
  for (const C2cUse& use : line.uses) {
    const double taken = taken_by(line, use);
    s.all += taken;
    s.locks += names_a_lock(use) ? taken : 0;
    s.stored_to += stored.contains(use.offset) ? taken : 0;
  }
  return s;
}

struct CountersCause {
  std::string name;
  std::string next_step;
};

// Returns the kind of sharing of a line and its remedy.
CountersCause cause_of(const Shares& s) {
  if (s.locks > kMost * s.all)
    return {"lock", "hold the lock for less, split it, or keep what it guards off its line"};
  if (!s.any_store)
    return {"shared line", "sample stores too (perf c2c record, not perf mem -t load), then ask again"};
  if (s.stored_to > kMost * s.all)
    return {"true sharing", "give each thread a copy and combine them, or write less often"};
  return {"false sharing", "move what is stored to a line of its own: pad or align it"};
}

// Returns the cycles that loads of the line took.
double cycles_of(const C2cLine& line) {
  double sum = 0;
  for (const C2cUse& use : line.uses)
    sum += use.remote * double(line.remote) * double(use.remote_cycles) +
           use.local * double(line.local) * double(use.local_cycles);
  return sum;
}

std::string interval_text(uint64_t hits, uint64_t trials) {
  constexpr double kNothing = 1e-6;  // what rounding leaves of a lower end of 0
  const evidence::Interval i = evidence::wilson95(hits, trials);
  return percent(i.low < kNothing ? 0 : i.low) + " to " + percent(i.high);
}

class Judge {
 public:
  explicit Judge(const C2cDiagnosisOptions& options)
      : options_(options) {
    for (const std::string& program : options.programs)
      names_.add_program(program);
    for (const std::string& path : options.maps)
      names_.read_maps(base::read_file(path), 0);
    base::ReadReport read;
    read.strict = options.strict;
    report_ = parse_c2c_report(read_text(), options.report, read);
    finding::add_read_report(d_, read);
  }

  // Judges each line with enough loads served by another cache, and concludes.
  Diagnosis run() {
    d_.scale = "memory";
    d_.title = "Lines that caches took from one another";
    sum_up();
    size_t few = 0;
    for (const C2cLine& line : report_.lines) {
      if (line.taken() < memory::tuning::kLeastMeetings || !is_much(line.taken()))
        ++few;
      else
        add(line);
    }
    if (few > 0)
      d_.notes.push_back(
          std::to_string(few) + " lines were taken in less than " +
          std::to_string(memory::tuning::kLeastMeetings) + " samples, or less than " +
          percent(options_.least_share) + " of the loads: nobody is accused for them");
    if (report_.unparsed > 0)
      d_.notes.push_back(
          std::to_string(report_.unparsed) + " samples had a data source that perf could not read");
    add_table();
    add_facts();
    conclude();
    d_.inputs.push_back(finding::input_of("report", options_.report));
    for (const std::string& program : options_.programs)
      d_.inputs.push_back(finding::input_of("program", program.substr(0, program.rfind("@0x"))));
    return std::move(d_);
  }

 private:
  std::string read_text() const {
    constexpr uint64_t kMostBytes = uint64_t{256} << 20;
    base::InputStream in(options_.report);
    return base::read_all(in, kMostBytes);
  }

  // A pasted table has no totals. Its lines count as the whole then.
  void sum_up() {
    for (const C2cLine& line : report_.lines) {
      in_table_ += line.taken();
      for (const C2cUse& use : line.uses)
        in_lines_ += use.records;
    }
    taken_ = std::max(in_table_, report_.local + report_.remote + report_.peers);
    samples_ = std::max(report_.records, in_lines_);
    loads_ = std::max({report_.loads, taken_, uint64_t{1}});
  }

  bool is_much(uint64_t taken) const {
    return double(taken) >= options_.least_share * double(loads_);
  }

  std::string name_at(uint64_t address) const {
    return names_.describe(0, address);
  }

  // Returns a subject such as "line 0x4000 (counters[0].hits, total)".
  std::string subject_of(const C2cLine& line) const {
    std::vector<std::string> names;
    for (const C2cUse& use : line.uses) {
      const std::string name = name_at(line.address + use.offset);
      if (!name.empty() && std::ranges::find(names, name) == names.end())
        names.push_back(name);
    }
    std::string text;
    for (const std::string& name : names)
      text += (text.empty() ? "" : ", ") + name;
    return "line " + base::hex(line.address) + (text.empty() ? "" : " (" + text + ")");
  }

  // Adds the finding for one line.
  void add(const C2cLine& line) {
    const Shares shares = shares_of(line);
    const CountersCause cause = cause_of(shares);
    finding::Finding f;
    f.subject = subject_of(line);
    f.category = cause.name;
    f.score = double(line.taken()) / double(std::max<uint64_t>(1, taken_));
    f.next_step = cause.next_step;
    f.summary = cause.name + ": " + percent(f.score) + " of the loads that found their line in another cache";
    f.evidence.push_back(
        {"loads of the line that another cache had modified or forwarded, " + std::to_string(line.remote) +
             " of them on another node; 95 % interval of their share of such loads " +
             interval_text(line.taken(), taken_),
         double(line.taken()),
         "samples",
         "perf c2c"});
    if (shares.any_store)
      f.evidence.push_back(
          {"share of them to words that somebody was seen to store to (0: padding helps)",
           shares.all > 0 ? shares.stored_to / shares.all : 0,
           "",
           "perf c2c"});
    if (cycles_of(line) > 0)
      f.evidence.push_back(
          {"cycles of these loads", cycles_of(line), "cycles", "perf c2c, means times counts"});
    add_uses(line, f);
    d_.findings.push_back(std::move(f));
  }

  // Lists the uses of the line, those with most loads from other caches first, then those with most stores.
  void add_uses(const C2cLine& line, finding::Finding& f) const {
    std::vector<const C2cUse*> uses;
    for (const C2cUse& use : line.uses)
      uses.push_back(&use);
    std::ranges::stable_sort(uses, [&](const C2cUse* a, const C2cUse* b) {
      const double left = taken_by(line, *a);
      const double right = taken_by(line, *b);
      if (left != right)
        return left > right;
      return a->stores > b->stores;
    });
    uses.resize(std::min(uses.size(), kShownUses));
    for (const C2cUse* use : uses)
      f.evidence.push_back({text_of(line, *use), taken_by(line, *use), "samples", "perf c2c"});
  }

  // Describes one use of a line: offset, variable, function, source line, samples and CPUs.
  std::string text_of(const C2cLine& line, const C2cUse& use) const {
    const std::string name = name_at(line.address + use.offset);
    std::string text = "+" + std::to_string(use.offset) + (name.empty() ? "" : " (" + name + ")") + " in " +
                       use.symbol + " " + base::hex(use.pc) + " " + use.source + " of " + use.object + ", " +
                       std::to_string(use.records) + " samples on " + std::to_string(use.cpus) + " CPUs";
    if (use.stores > 0)
      text += ", " + percent(use.stores) + " of its stores";
    for (const std::string& caller : use.callers)
      text += " < " + caller;
    return text;
  }

  // Adds the table of all lines and their uses.
  void add_table() {
    finding::TableFigure table;
    table.columns = {"line", "offset", "taken", "stores", "samples", "CPUs", "function", "source", "object"};
    for (const C2cLine& line : report_.lines) {
      for (const C2cUse& use : line.uses)
        table.rows.push_back(
            {base::hex(line.address),
             "+" + std::to_string(use.offset),
             base::format_number(taken_by(line, use), 4),
             percent(use.stores),
             std::to_string(use.records),
             std::to_string(use.cpus),
             use.symbol,
             use.source,
             use.object});
    }
    if (!table.rows.empty())
      d_.figures.push_back(
          {"Lines, offsets, readers and writers",
           "Loads that found the line in another cache, and shares of the line's stores.",
           table});
  }

  void add_facts() {
    d_.facts.emplace_back("samples", std::to_string(samples_));
    d_.facts.emplace_back("loads", std::to_string(loads_));
    d_.facts.emplace_back("stores", std::to_string(report_.stores));
    d_.facts.emplace_back(
        "loads that found their line in another cache",
        std::to_string(taken_) + " (" + percent(share()) + ", 95 % interval " +
            interval_text(taken_, loads_) + ")");
  }

  double share() const {
    return double(taken_) / double(loads_);
  }

  // Writes the verdict, or why the report allows none.
  void conclude() {
    const std::string covered = std::to_string(samples_) + " samples, " + std::to_string(loads_) +
                                " of them loads, " + std::to_string(report_.lines.size()) + " lines";
    if (samples_ < memory::tuning::kLeastSamples)
      return finding::cannot_judge(
          d_,
          std::to_string(samples_) + " samples are too few",
          "record for longer: " + std::to_string(memory::tuning::kLeastSamples) + " at least",
          covered);
    if (2 * report_.unparsed > samples_ && d_.findings.empty())
      return finding::cannot_judge(
          d_,
          std::to_string(report_.unparsed) + " of " + std::to_string(samples_) +
              " samples do not say what answered them",
          "record with a perf that knows this machine's data source",
          covered);
    const std::string from_others =
        percent(share()) + " of the sampled loads found their line in another cache";
    const bool much = share() >= options_.least_share;
    if (d_.findings.empty() && much && 2 * in_table_ < taken_)
      return finding::cannot_judge(
          d_,
          from_others + ", and the report does not show on which lines",
          "print the whole report: perf c2c report --stdio without --stats; or give its perf.data",
          covered);
    if (!d_.findings.empty())
      d_.verdict = d_.findings.front().category + " on " + d_.findings.front().subject + " leads; " +
                   from_others + ".";
    else
      d_.verdict = (much ? "No line stands out: " : "No significant sharing: ") + from_others + ".";
    finding::judged(d_, covered);
  }

  const C2cDiagnosisOptions& options_;
  program::AddressSpace names_;
  C2cReport report_;
  Diagnosis d_;
  uint64_t in_table_ = 0;  // of taken_, on the lines that the report shows
  uint64_t taken_ = 0;
  uint64_t loads_ = 1;
  uint64_t samples_ = 0;
  uint64_t in_lines_ = 0;
};

}  // namespace

Diagnosis diagnose_c2c_report(const C2cDiagnosisOptions& options) {
  Diagnosis d = Judge(options).run();
  finding::sort_findings(d.findings);
  return d;
}

}  // namespace lento::memory
