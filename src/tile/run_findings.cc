// Findings of a run of a tile. Each compares a counter of the tile with what the
// image declares or the verifier proved. A lost input is a finding even when the image declares drops,
// because counts are wrong from then on.
#include "tile/run_findings.h"

#include <algorithm>
#include <cstdio>

#include "base/units.h"

namespace lento::tile {
namespace {

using finding::Diagnosis;

// Returns the beginning of a finding's summary, up to the first comma or semicolon behind the first colon. A
// violation is kept to the end of its sentence, because its clauses are meaningless alone.
std::string first_clause(const finding::Finding& finding) {
  const std::string& summary = finding.summary;
  const size_t consequence = std::min(summary.find(": "), summary.size());
  std::string clause = summary.substr(0, summary.find_first_of(",;", consequence));
  if (finding.category == "unverified")
    clause = summary.substr(0, std::min(summary.find(". "), summary.find(';')));
  if (clause.ends_with('.'))
    clause.pop_back();
  return clause;
}

class Verdict {
 public:
  Verdict(const LoadedImage& loaded, const TileRun& run, Diagnosis& out)
      : image_(loaded.image),
        report_(loaded.report),
        connected_(run.connected),
        reading_(run.reading),
        run_(run),
        with_queue_(run.with_queue),
        taps_count_(run.taps_count),
        counters_(connected_.unit().counters()),
        out_(out) {
  }

  // Adds a finding for each breach of the image's declarations and each loss of inputs, and writes the
  // verdict.
  void judge() {
    fault();
    endless();
    unverified();
    arrivals();
    drops();
    crossing();
    untaken();
    add_reading_findings(reading_, counters_.inputs, out_);
    full_accumulators();
    output();
    summary();
  }

 private:
  void find(
      const std::string& category,
      const std::string& text,
      double score,
      finding::Evidence evidence,
      const std::string& next) {
    add_program_finding(out_, {category, text, score, std::move(evidence), next});
  }

  // Reports the fault that stopped the tile, if there was one (FaultCause).
  void fault() {
    const Fault& fault = connected_.unit().fault();
    if (fault.cause == FaultCause::None)
      return;
    char text[96];
    std::snprintf(
        text,
        sizeof text,
        "The tile stopped: %s at pc 0x%x, 0x%x.",
        std::string(fault_name(fault.cause)).c_str(),
        fault.pc,
        fault.address);
    find(
        "fault",
        text,
        1,
        {"address", double(fault.address), "", "FAULT register"},
        "run 'lento tile verify' on the image");
  }

  // Reports that init, or main or finish, did not end within its limit of tile cycles (run_recording).
  void endless() {
    if (connected_.init_ends() && connected_.main_ends())
      return;
    find(
        "endless",
        std::string(connected_.init_ends() ? "main or finish" : "init") + " did not end.",
        1,
        {"cycles that a region ran", double(counters_.active_cycles), "cycles", "tile"},
        "bound its loops; 'lento tile verify' names them");
  }

  // Reports that the verifier does not accept the image, with its first violation.
  void unverified() {
    if (report_.accepted)
      return;
    std::string why = "interrupted";
    if (!report_.violations.empty())
      why = describe(report_.violations.front());
    find(
        "unverified",
        "The verifier does not accept the image: " + why + ".",
        1,
        {"violations", double(report_.violations.size()), "", "lento tile verify"},
        "no tile would load it; 'lento tile verify IMAGE --elf ELF' names the line");
  }

  // Reports inputs that came sooner after the one before than the image's declared arrival period.
  void arrivals() {
    const Arrivals& a = connected_.arrivals();
    if (a.early == 0)
      return;
    find(
        "arrival rate",
        count_text(a.early, "input") + " of " + std::to_string(counters_.inputs) +
            " came sooner than the declared " + std::to_string(image_.arrival_cycles) +
            " cycles after the one before, as close as " + count_text(a.least, "cycle") + ".",
        0.9,
        {"first at tile cycle", double(*a.first_early), "cycles", "recording"},
        "declare YPU_ARRIVAL(" + std::to_string(a.least) + "), or give the tile more cycles (--tile-cycles)");
  }

  void add_evidence(finding::Evidence evidence) {
    out_.findings.back().evidence.push_back(std::move(evidence));
  }

  uint64_t dropped(Drop cause) const {
    return counters_.dropped[size_t(cause)];
  }

  // Reports a finding as soon as one input was dropped while main ran, because counts of inputs are wrong
  // from then on. The finding's score (0 to 1) is higher when the image does not declare that drops are
  // acceptable, or when more were dropped than the verifier proved possible.
  void drops() {
    const uint64_t lost = dropped(Drop::Running);
    if (lost == 0)
      return;
    const double share = double(lost) / double(counters_.inputs);
    const double proved = report_.predicted_drop_share * double(counters_.inputs) + report_.drop_burst;
    const bool more = report_.accepted && connected_.arrivals().early == 0 && double(lost) > proved + 1e-6;
    std::string text = std::to_string(lost) + " of " + count_text(counters_.inputs, "input") + " (" +
                       percent_text(share) + " %) were dropped while main ran: its counts are not " +
                       "to be trusted, and may be short by as many";
    if (connected_.longest_hole() > 0)
      text += ", and no input was taken for up to " + std::to_string(connected_.longest_hole()) + " cycles";
    if (taps_count_)
      text += "; what taps count is exact all the same";
    if (!image_.drops_declared)
      text += "; the image declares none";
    else if (more)
      text += "; at most " + percent_text(report_.predicted_drop_share) + " % over many runs were proved";
    find(
        "drops",
        text + ".",
        image_.drops_declared && !more ? 0.92 : 0.95,
        {"share of inputs lost", share, "", "drop counter of the tile"},
        remedy_for_drops());
    add_evidence({"mean time of main", connected_.mean_main_cycles(), "cycles", "tile"});
    add_evidence({"mean time between inputs", connected_.mean_gap(), "cycles", "recording"});
  }

  // Returns advice on lost inputs. When the second run (QueueTrial) lost none, it names the length of queue
  // that was enough.
  std::string remedy_for_drops() const {
    const std::string slower = "filter before the tile, shorten main, or give it more cycles (--tile-cycles)";
    if (!with_queue_)
      return slower;
    const bool falls_behind = connected_.mean_main_cycles() > connected_.mean_gap();
    if (with_queue_->lost == 0)
      return "--queue " + std::to_string(with_queue_->longest) +
             (falls_behind
                  ? " loses none here, but main takes longer than inputs are apart on average, so that a "
                    "longer recording loses some; "
                  : " holds the longest burst; or ") +
             slower;
    return "--queue " + std::to_string(kMostQueue) + " still loses " +
           percent_text(double(with_queue_->lost) / double(counters_.inputs)) + " %; " + slower;
  }

  // Reports inputs of other clocks than the block's that were lost before they reached the tile, because they
  // came faster than tile cycles.
  void crossing() {
    if (connected_.crossing_lost() + reading_.late_edges == 0)
      return;
    find(
        "clock crossing",
        count_text(connected_.crossing_lost() + reading_.late_edges, "input") +
            " of other clocks came faster than tile cycles and were lost.",
        0.95,
        {"inputs lost",
         double(connected_.crossing_lost() + reading_.late_edges),
         "",
         "crossing before the tile"},
        "give the tile more cycles (--tile-cycles), or take the fastest clock as the map's own");
  }

  // Reports IORegs that the program read although nothing, or not every value, was taken for them. An IOReg
  // that has data at every edge is taken beside another, and then only a value at that edge is meant.
  void untaken() {
    for (unsigned i = 0; i < kIoRegs; ++i) {
      const uint32_t bit = 1u << i;
      const ConnectedTile::SideInputs& side = connected_.side_inputs(i);
      const bool is_mapped = run_.mapped & bit;
      if (!(counters_.io_read & bit) || (is_mapped && image_.input_mask & bit))
        continue;
      if (is_mapped && (side.missed == 0 || (!(run_.sparse & bit) && side.missed < side.came)))
        continue;
      const std::string reads = "The program reads IOReg " + std::to_string(i);
      find(
          "untaken input",
          is_mapped ? reads + ", which YPU_INPUTS does not name: " + std::to_string(side.missed) +
                          " of its " + count_text(side.came, "value") +
                          " came at edges without an input that it names, and were not taken."
                    : reads + ", to which the map connects no signal: it is 0.",
          0.95,
          {"values not taken", double(side.missed), "", "recording"},
          is_mapped ? "add bit " + std::to_string(i) + " to YPU_INPUTS" : "give it a signal in the map");
    }
  }

  // Reports increments that were lost because an accumulator of the histogram was at its maximum.
  void full_accumulators() {
    const uint64_t lost = connected_.unit().histogram().lost();
    if (lost == 0)
      return;
    find(
        "full accumulator",
        "Accumulators of the histogram unit were full at " + std::to_string(kAccumulatorMax) + ": " +
            count_text(lost, "count") + " were not added.",
        0.95,
        {"counts lost", double(lost), "", "saturation of the histogram unit"},
        "send and clear the histogram (ypu_emit) before an accumulator can hold so much");
  }

  // Compares the bytes of output of the whole run with those of the declared rate over its tile cycles. The
  // most bytes that one run of each region can send are allowed in addition.
  void output() {
    const double allowed =
        double(image_.output_bytes) / double(image_.output_cycles) * double(counters_.cycles) +
        double(std::max(report_.main.worst_bytes, uint64_t{image_.output_bytes})) +
        double(report_.init.worst_bytes + report_.finish.worst_bytes);
    if (double(counters_.output_bytes) <= allowed)
      return;
    find(
        "output rate",
        std::to_string(counters_.output_bytes) + " bytes in " + std::to_string(counters_.cycles) +
            " cycles, declared are " + std::to_string(image_.output_bytes) + " per " +
            std::to_string(image_.output_cycles) + ".",
        0.9,
        {"bytes", double(counters_.output_bytes), "B", "output FIFO"},
        "declare YPU_OUTPUT as it is");
  }

  // Sorts the findings and writes the verdict: the beginning of the first finding's summary, and how many
  // inputs were processed.
  void summary() {
    const uint64_t lost = counters_.total_dropped();
    const std::string processed = std::to_string(counters_.inputs - lost) + " of " +
                                  std::to_string(counters_.inputs) + " inputs were processed";
    const std::string covered =
        count_text(counters_.inputs, "input") + " in " + count_text(counters_.cycles, "cycle");
    finding::sort_findings(out_.findings);
    finding::judged(out_, covered);
    if (out_.findings.empty()) {
      out_.verdict = processed + "; what the image declares held.";
      return;
    }
    const finding::Finding& first = out_.findings.front();
    out_.verdict = first_clause(first) + ".";
    if (first.category != "drops")  // which has both counts
      out_.verdict += " " + processed + ".";
  }

  const Image& image_;
  const VerifyReport& report_;
  const ConnectedTile& connected_;
  const VcdReading& reading_;
  const TileRun& run_;
  const std::optional<QueueTrial>& with_queue_;
  bool taps_count_;
  const TileCounters& counters_;
  Diagnosis& out_;
};

}  // namespace

void add_findings(const LoadedImage& loaded, const TileRun& run, Diagnosis& out) {
  Verdict(loaded, run, out).judge();
}

}  // namespace lento::tile
