// Writes a diagnosis as text for a terminal, in the order of the HTML page: the verdict, the findings with
// next steps and their first evidence, what was examined and the smallest effects that would have been
// reported. --explain adds all other facts. Text of foreign files could steer the terminal, so everything
// passes base::visible.
#include <algorithm>

#include "base/units.h"
#include "base/visible.h"
#include "report/lead.h"
#include "report/report.h"
#include "report/window_text.h"

namespace lento::report {
namespace {

using finding::Diagnosis;
using finding::Evidence;
using finding::Finding;

// Makes text of files visible before colouring it, so that colours are the only escape sequences that reach a
// terminal.
std::string painted(const std::string& given, const char* code, bool color) {
  const std::string text = base::visible(given);
  if (color)
    return "\033[" + std::string(code) + "m" + text + "\033[0m";
  return text;
}

// Returns a line for one piece of evidence.
std::string evidence_line(const Evidence& evidence) {
  std::string line = "    - " + evidence.text;
  if (evidence.value)
    line += ": " + value_text(evidence);
  if (!evidence.source.empty())
    line += "  [" + evidence.source + "]";
  return line + "\n";
}

// Composes the lines of a finding after its subject. The verdict precedes it, so its words are not repeated.
std::string below_subject(const Finding& f, const std::string& verdict, const TextOptions& options) {
  std::string text = "  " + f.category;
  if (f.factor)
    text += "  " + finding::factor_text(f);
  text += "  " + sure_text(f.score) + "\n";
  if (!f.summary.empty() && verdict.find(f.summary) == std::string::npos)
    text += "    " + f.summary + "\n";
  if (f.when)
    text += "    " + window_text(*f.when, 4) + "\n";
  if (f.lost_share)
    text += "    lost share of run time: " + base::percent(*f.lost_share) + "\n";
  if (!f.next_step.empty())
    text += "    next: " + f.next_step + "\n";
  const size_t all = f.evidence.size();
  const size_t shown = options.explain ? all : std::min<size_t>(1, all);
  for (size_t i = 0; i < shown; ++i)
    text += evidence_line(f.evidence[i]);
  if (shown < all)
    text += "    (" + std::to_string(all - shown) + " more with --explain)\n";
  return text;
}

std::string
finding_block(const Finding& f, size_t rank, const std::string& verdict, const TextOptions& options) {
  std::string text = std::to_string(rank) + ". " + painted(f.subject, "1;31", options.color);
  return text + base::visible(below_subject(f, verdict, options));
}

// Returns inputs, seed and options of the diagnosis.
std::string origin(const Diagnosis& d) {
  std::string text;
  for (const auto& input : d.inputs)
    text += "input " + input.role + ": " + input.name + "  " + input.digest + "\n";
  if (d.seed)
    text += "seed: " + std::to_string(*d.seed) + "\n";
  for (const auto& [name, value] : d.options)
    text += name + ": " + value + "\n";
  return text;
}

// Lists the facts of the diagnosis, one a line. Where something was judged, only the smallest detectable
// effects are listed, and --explain adds the internal figures of the detector.
std::string facts_text(const Diagnosis& d, const TextOptions& options) {
  const bool all = options.explain || d.outcome == finding::Outcome::Answer;
  size_t width = 0;
  for (const auto& [name, value] : d.facts) {
    if (all || tells_reach(name))
      width = std::max(width, name.size());
  }
  std::string text = width > 0 ? "\n" : "";
  size_t left_out = 0;
  for (const auto& [name, value] : d.facts) {
    if (all || tells_reach(name))
      text += name + std::string(width - name.size() + 2, ' ') + value + "\n";
    else
      ++left_out;
  }
  if (left_out > 0)
    text += "(" + std::to_string(left_out) + " more figures with --explain)\n";
  return text;
}

// Composes the lines after the findings: what was examined, the facts, the notes, and with --explain how to
// repeat the run.
std::string tail(const Diagnosis& d, const TextOptions& options) {
  std::string text;
  if (!d.covered.empty() && !d.findings.empty())
    text += "\nlooked at: " + d.covered + "\n";
  text += facts_text(d, options);
  for (const std::string& note : d.notes)
    text += "note: " + note + "\n";
  if (options.explain)
    text += "\n" + origin(d) + "repeat: " + d.command + "\n";
  return text;
}

}  // namespace

std::string write_text(const Diagnosis& d, const TextOptions& options) {
  std::string text = d.title.empty() ? "" : painted(d.title, "1", options.color) + "\n";
  std::string head = skipped_text(d);
  head += (head.empty() ? "" : "\n") + d.verdict + "\n";
  if (!d.remedy.empty())
    head += (is_question(d) ? "next: " : "what would help: ") + d.remedy + "\n";
  if (!d.covered.empty() && d.findings.empty())
    head += "looked at: " + d.covered + "\n";
  text += base::visible(head);
  for (size_t i = 0; i < d.findings.size(); ++i)
    text += "\n" + finding_block(d.findings[i], i + 1, d.verdict, options);
  return text + base::visible(tail(d, options));
}

}  // namespace lento::report
