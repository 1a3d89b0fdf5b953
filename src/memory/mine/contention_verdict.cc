// A trace that lacks what a verdict needs allows none: readable accesses with latencies, of several CPUs,
// whose losses are known to be others' doing. The checks come in the order of what the user can mend first.
#include "memory/mine/contention_verdict.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/units.h"
#include "memory/mine/quiet.h"
#include "memory/mine/tuning.h"

namespace lento::memory {
namespace {

using base::percent;
using base::ReadReport;
using program::TraceFacts;

double working_time_of(const Scan& scan, const TraceFacts& facts) {
  uint64_t most = 0;
  for (const auto& [cpu, time] : scan.cpus)
    most = std::max(most, time.accesses);
  double span = 0;
  for (const auto& [cpu, time] : scan.cpus) {
    const bool idle = double(time.accesses) < tuning::kWorkingShare * double(most);
    span += std::max(double(time.latency), idle ? 0 : double(time.last - time.first + 1));
  }
  const bool by_latency = scan.sampled || facts.time_unit != facts.latency_unit;
  return std::max(1.0, by_latency ? double(scan.latency_sum) : span);
}

}  // namespace

ContentionVerdict::ContentionVerdict(
    const ContentionOptions& options,
    const TraceFacts& facts,
    const Scan& scan,
    const WindowScan& windows)
    : options_(options),
      facts_(facts),
      scan_(scan),
      windows_(windows),
      time_(working_time_of(scan, facts)) {
}

double ContentionVerdict::share_of_time(double cycles) const {
  LENTO_CHECK(cycles <= time_ * (1 + 1e-9), "more time was lost than the CPUs had");
  return cycles / time_;
}

std::string ContentionVerdict::unit_of_loss() const {
  const bool by_latency = scan_.sampled || facts_.time_unit != facts_.latency_unit;
  return by_latency ? " of the sampled latency" : " of CPU time";
}

std::string ContentionVerdict::covered(const ReadReport& read, std::optional<double> named) const {
  std::string text = std::to_string(scan_.events) + " accesses of " + std::to_string(scan_.cpus.size()) +
                     " CPUs (" + scan_.cpu_set().text() + ")";
  if (scan_.with_thread > 0)
    text += ", " + std::to_string(scan_.actors.size()) + " threads";
  text += " over " + std::to_string(scan_.duration()) + " " + facts_.time_unit;
  const double period = options_.period > 0 ? options_.period : facts_.period;
  if (scan_.sampled)
    text += period > 1 ? ", one sample in " + base::format_number(period, 6) : ", sampled";
  const double share = scan_.events == 0 ? 0 : 1 - double(scan_.no_latency) / double(scan_.events);
  text += "; " + percent(share) + " with a latency";
  if (scan_.set_aside > 0)
    text += "; " + std::to_string(scan_.set_aside) + " set aside";
  if (read.skipped > 0)
    text += "; " + std::to_string(read.skipped) + " records skipped";
  if (!facts_.names.empty() && named)
    text += "; " + percent(*named) + " of code addresses named";
  return text;
}

// Returns what the trace lacks as a whole.
std::optional<NoVerdict> ContentionVerdict::missing_in_trace(const ReadReport& read, bool found) const {
  if (scan_.events == 0)
    return NoVerdict{"the trace holds no accesses", "record the program while it works"};
  if (double(read.skipped) > tuning::kMostSkipped * double(read.skipped + read.taken))
    return NoVerdict{
        percent(double(read.skipped) / double(read.skipped + read.taken)) +
            " of the records could not be read",
        "name the format with --format, or see the reasons below"};
  if (scan_.latency_sum == 0)
    return NoVerdict{
        "no access carries a latency",
        "'lento memory replay' gives an address trace latencies; record with perf mem for measured ones"};
  if (!found && scan_.cpus.size() < 2)
    return NoVerdict{
        "the trace holds one CPU only, and nobody fights alone",
        "give the traces of all CPUs, or record with -a; threads of an address "
        "trace: 'lento memory replay'"};
  if (scan_.sampled && !options_.paper && scan_.events - scan_.no_latency < tuning::kLeastSamples)
    return NoVerdict{
        std::to_string(scan_.events - scan_.no_latency) + " samples with a latency are too few",
        "sample for longer or more often: " + std::to_string(tuning::kLeastSamples) + " at least"};
  return {};
}

std::optional<NoVerdict>
ContentionVerdict::missing(const ReadReport& read, bool has_findings, uint64_t handed_on) const {
  // Patterns as the paper lists them are no verdict on a loss.
  const bool found = has_findings || options_.paper;
  if (std::optional<NoVerdict> lacks = missing_in_trace(read, found))
    return lacks;
  if (!found && scan_.writes == 0 && !scan_.has_reasons())
    return NoVerdict{
        "the trace holds loads only and does not say what answered them: who took a line away is not to be "
        "seen",
        "record stores too, or the data source of the loads (perf mem record, perf c2c record)"};
  if (!found && scan_.events < tuning::kLeastMeetings)
    return NoVerdict{
        std::to_string(scan_.events) + " accesses are too few: a finding needs " +
            std::to_string(tuning::kLeastMeetings) + " that met",
        "record for longer"};
  if (!found && !scan_.has_reasons() && least_chance(scan_, windows_.high_events) > options_.alpha)
    return NoVerdict{
        "nearly all accesses go to data that several CPUs write, and too few others show what one takes "
        "alone",
        "record every access of the program, or what answered each: perf c2c record"};
  if (!found && unnamed_share() >= options_.least_loss)
    return NoVerdict{
        "what answered " + percent(unnamed_share()) +
            " of the sampled latency, beyond the last cache, is not told: a cache or the memory of another "
            "node, or the own memory",
        "record where the data source names them: perf c2c record, or a newer processor"};
  if (!found && contended_share() - share_of_time(double(handed_on)) >= tuning::kSpread)
    return NoVerdict{
        percent(contended_share()) + unit_of_loss() + " is lost to other CPUs, spread so that no data has " +
            percent(options_.least_loss) + " of it",
        "name the program with --elf, so that lines of one variable count together, or record for longer"};
  return {};
}

double ContentionVerdict::unnamed_share() const {
  const bool by_level = scan_.levels_known && !scan_.culprits_known;
  if (by_level)
    return double(scan_.unnamed_latency) / time_;
  return 0;
}

std::string ContentionVerdict::sentence(
    const std::vector<finding::Finding>& findings,
    uint64_t found_cycles,
    uint64_t handed_on) const {
  if (!findings.empty())
    return findings.front().category + " on " + findings.front().subject + " leads; " +
           percent(share_of_time(double(found_cycles))) + unit_of_loss() + " is lost to what was found.";
  if (scan_.latencies.total() == 0)
    return "No significant contention: every access was served by its own CPU's cache.";
  if (!scan_.has_reasons())
    return std::ranges::count(scan_.contended, 0) == kAccessTypes
               ? "No significant contention: no CPU uses what another one writes."
               : "No significant contention: accesses to what several CPUs write take no longer than "
                 "undisturbed ones.";
  const std::string share = percent(contended_share()) + unit_of_loss();
  if (contended_share() < options_.least_loss)
    return "No significant contention: " + share + " is lost to other CPUs.";
  if (contended_share() - share_of_time(double(handed_on)) < options_.least_loss)
    return "Nothing is fought over: " + share + " went to data that threads hand on to one another.";
  return "No data stands out: " + share + " is lost to other CPUs, spread over data with less than " +
         percent(options_.least_loss) + " each.";
}

// Returns the share of the time spent waiting for others. Without culprits or levels that share is unknown,
// and 0 is returned.
double ContentionVerdict::contended_share() const {
  if (scan_.has_reasons())
    return share_of_time(double(scan_.losses[size_t(Loss::Contended)] + scan_.losses[size_t(Loss::Bank)]));
  return 0;
}

}  // namespace lento::memory
