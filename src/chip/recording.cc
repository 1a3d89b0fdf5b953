// Feeds the records of a file through clock correction and the checks of true_records.h into a recorder, and
// compares their number with the plan of the mapping.
#include "chip/recording.h"

#include <algorithm>
#include <memory>

#include "base/file.h"
#include "base/units.h"
#include "chip/detect/belongs.h"
#include "chip/detect/path.h"
#include "chip/read/probe_file.h"
#include "chip/read/true_records.h"

namespace lento::chip {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;
using Kind = ChipRecorderOptions::Kind;

// Yields the records of a file one by one. A run of fewer than kMostPrepared records is read as a whole,
// corrected by `prepare` and sorted by the ends of records, so that their order in the file does not matter.
// A longer run comes uncorrected and in the order of the file.
class PreparedReader {
 public:
  PreparedReader(ProbeReader& reader, const Prepare& prepare)
      : reader_(reader) {
    ProbeRecord record;
    while (prepared_.size() < kMostPrepared && reader.next(record))
      prepared_.push_back(record);
    if (prepared_.size() == kMostPrepared)
      return;
    if (prepare)
      prepare(prepared_);
    std::ranges::stable_sort(prepared_, {}, &ProbeRecord::end);
  }

  bool next(ProbeRecord& out) {
    if (returned_ == prepared_.size())
      return reader_.next(out);
    out = prepared_[returned_++];
    return true;
  }

 private:
  ProbeReader& reader_;
  std::vector<ProbeRecord> prepared_;
  size_t returned_ = 0;
};

// Gives all records to the recorder and returns its sketch.
Sketch record_with(SketchRecorder& recorder, TrueRecords& feed, Facts& facts) {
  ProbeRecord record;
  while (feed.next(record))
    recorder.record(record);
  Sketch sketch = recorder.finish();
  facts = recorder.facts();
  return sketch;
}

// Reduces the records to a sketch within the memory budget of the options.
Sketch sketched(TrueRecords& feed, ChipRecorderOptions options, const ChipUnderTest& of, Facts& facts) {
  options.sketch.ops_per_cycle = recorder_rate(of.chip.core.ops_per_cycle, of.chip.core.rate_deviation);
  const auto counts = count_patterns(of.program, of.chip);
  const std::vector<SketchShape> shapes = options.kind == Kind::ExactTable
                                              ? plan_exact_tables(counts, options.sketch)
                                              : plan_shapes(counts, options.sketch);
  if (options.kind == Kind::Given)
    return record_with(*options.make(shapes, options.sketch), feed, facts);
  Sketch sketch(shapes, options.sketch);
  ProbeRecord record;
  while (feed.next(record))
    sketch.record(record);
  return sketch;
}

// Throws base::Error when the number of cores differs from the chip's.
void require_cores(const std::string& path, const std::string& what, size_t cores, const spec::Chip& chip) {
  if (cores == size_t(chip.core_count()))
    return;
  throw base::Error(
      {path},
      what + " of " + std::to_string(cores) + " cores, the chip has " + std::to_string(chip.core_count()),
      "give the chip file that the records were made with");
}

// Returns in what the records' chip and mapping differ from the given ones.
std::vector<std::string> differences(const ProbeHeader& head, const ChipUnderTest& of) {
  std::vector<std::string> out;
  const auto compare = [&](const std::string& what, const std::string& recorded, const std::string& given) {
    if (!recorded.empty() && recorded != given)
      out.push_back(
          "the records are of the " + what + " '" + recorded + "', the file given is of '" + given + "'");
  };
  compare("chip", head.chip, of.chip.name);
  compare("mapping", head.mapping, of.program.name);
  if (head.clock_hz > 0 && head.clock_hz != of.chip.clock_hz)
    out.push_back(
        "the records were made at " + base::format_quantity(head.clock_hz, base::Dimension::Frequency) +
        ", the chip file says " + base::format_quantity(of.chip.clock_hz, base::Dimension::Frequency));
  return out;
}

// Reads a sketch file, and adds a note when its recorder had another nominal compute rate than follows from
// the chip file.
void take_sketch(base::InputStream& in, const spec::Chip& chip, ChipRecording& out) {
  out.sketch = read_sketch(in);
  require_cores(in.path(), "the sketch is", out.sketch.cores().size(), chip);
  out.report.taken = out.sketch.records();
  out.recorder = "sketch file";
  const double usual = recorder_rate(chip.core.ops_per_cycle, chip.core.rate_deviation);
  if (out.sketch.options().ops_per_cycle != usual)
    out.notes.push_back(
        "the sketch was made for " + base::format_number(out.sketch.options().ops_per_cycle) +
        " operations a cycle, of the chip file follow " + base::format_number(usual));
}

// Sets the share of the mapping's records that were recorded. Throws base::Error when the sketch holds too
// many patterns that the mapping does not make.
void require_mapping(const std::string& path, const ChipUnderTest& of, ChipRecording& out) {
  const Belonging seen = belonging_of(out.sketch, of.program, of.chip);
  out.share = seen.share();
  out.gap = seen.gap();
  if (size_t(seen.entries) < seen.patterns)
    out.facts.emplace_back(
        "patterns held, of those that the mapping makes",
        std::to_string(seen.entries) + " of " + std::to_string(seen.patterns));
  if (seen.belongs())
    return;
  std::string examples;
  for (const std::string& example : seen.examples)
    examples += (examples.empty() ? "" : ", ") + example;
  throw base::Error(
      {path},
      "the records are not of this mapping: " + std::to_string(seen.strange) + " of " +
          std::to_string(seen.entries) + " recorded patterns are not what it plans (" + examples + ")",
      "give the mapping and the chip that ran");
}

std::string name_of(const ChipRecorderOptions& options) {
  if (options.kind == Kind::Given)
    return options.name;
  if (options.kind == Kind::ExactTable)
    return "exact table";
  return "sketch";
}

}  // namespace

// Reads probe records or a sketch, checks that they fit chip and mapping, and returns the sketch.
ChipRecording read_recording(
    const std::string& role,
    const std::string& path,
    const ChipUnderTest& of,
    const ChipDiagnosisOptions& options,
    const Prepare& prepare) {
  ChipRecording out;
  out.report.strict = options.strict;
  base::Digest digest;
  base::InputStream in(path);
  in.count_into(digest);
  if (looks_like_sketch(in.peek(32))) {
    if (!options.recorder_set_by.empty() && role == "records")
      throw base::Error(
          {path},
          options.recorder_set_by + " is about recording, and this is a sketch already",
          "leave the option out, or give the records");
    take_sketch(in, of.chip, out);
  } else {
    ProbeReader reader(std::move(in), out.report);
    require_cores(path, "the records are", reader.header().cores, of.chip);
    out.notes = differences(reader.header(), of);
    // Clocks are corrected first, so that a counter that wrapped or started elsewhere does not count as
    // damage.
    PreparedReader feed(reader, prepare);
    TrueRecords records(
        [&feed](ProbeRecord& record) {
          return feed.next(record);
        },
        path,
        out.report);
    out.sketch = sketched(records, options.recorder, of, out.facts);
    out.damage = records.damage();
    if (records.origin() > 0)
      out.notes.push_back(
          "the counter ran before the run: times count from its first record, cycle " +
          std::to_string(records.origin()));
    out.recorder = name_of(options.recorder);
  }
  require_mapping(path, of, out);
  out.input = {role, path, digest.text()};
  return out;
}

void add_recording(finding::Diagnosis& d, const ChipRecording& recording) {
  finding::add_read_report(d, recording.report);
  d.facts.insert(d.facts.end(), recording.facts.begin(), recording.facts.end());
  d.notes.insert(d.notes.end(), recording.notes.begin(), recording.notes.end());
  d.inputs.push_back(recording.input);
}

}  // namespace lento::chip
