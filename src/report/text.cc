// Writes a diagnosis as text for a terminal: verdict, findings with their first evidence, headline figures,
// notes. Text of foreign files could steer the terminal, so everything passes base::visible.
#include <algorithm>

#include "base/units.h"
#include "base/visible.h"
#include "report/report.h"
#include "report/window_text.h"

namespace lento::report {
namespace {

using base::format_number;
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

std::string evidence_line(const Evidence& evidence) {
  std::string line = "    - " + evidence.text;
  if (evidence.value)
    line += ": " + format_number(*evidence.value);
  if (evidence.value && !evidence.unit.empty())
    line += " " + evidence.unit;
  if (!evidence.source.empty())
    line += "  [" + evidence.source + "]";
  return line + "\n";
}

// Composes the lines of a finding after its subject.
std::string below_subject(const Finding& f, const TextOptions& options) {
  std::string text = "  " + f.category;
  if (f.factor)
    text += "  " + format_number(*f.factor) + "x";
  text += "  score " + format_number(f.score) + "\n";
  if (!f.summary.empty())
    text += "    " + f.summary + "\n";
  if (f.when) {
    text += "    " + window_text(*f.when, 6) + "\n";
  }
  if (f.lost_share)
    text += "    lost share of run time: " + format_number(*f.lost_share * 100) + " %\n";
  const size_t all = f.evidence.size();
  const size_t shown = options.explain ? all : std::min<size_t>(1, all);
  for (size_t i = 0; i < shown; ++i)
    text += evidence_line(f.evidence[i]);
  if (shown < all)
    text += "    (" + std::to_string(all - shown) + " more with --explain)\n";
  if (!f.next_step.empty())
    text += "    next: " + f.next_step + "\n";
  return text;
}

std::string finding_block(const Finding& f, size_t rank, const TextOptions& options) {
  std::string text = std::to_string(rank) + ". " + painted(f.subject, "1;31", options.color);
  return text + base::visible(below_subject(f, options));
}

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

std::string skipped(const Diagnosis& d) {
  if (d.records_skipped == 0)
    return "";
  const uint64_t all = d.records_taken + d.records_skipped;
  std::string text = "skipped " + std::to_string(d.records_skipped);
  text += " of " + std::to_string(all) + " records:";
  for (const auto& [reason, count] : d.skip_reasons)
    text += " " + reason + " (" + std::to_string(count) + ")";
  return text + "\n";
}

// Composes the lines after the findings.
std::string tail(const Diagnosis& d, const TextOptions& options) {
  std::string text;
  if (!d.facts.empty())
    text += "\n";
  size_t width = 0;
  for (const auto& [name, value] : d.facts)
    width = std::max(width, name.size());
  for (const auto& [name, value] : d.facts)
    text += name + std::string(width - name.size() + 2, ' ') + value + "\n";
  for (const std::string& note : d.notes)
    text += "note: " + note + "\n";
  if (options.explain)
    text += "\n" + origin(d) + "repeat: " + d.command + "\n";
  return text;
}

}  // namespace

std::string write_text(const Diagnosis& d, const TextOptions& options) {
  std::string text = d.title.empty() ? "" : painted(d.title, "1", options.color) + "\n";
  std::string head = skipped(d) + d.verdict + "\n";
  if (!d.remedy.empty())
    head += "what would help: " + d.remedy + "\n";
  if (!d.covered.empty())
    head += "looked at: " + d.covered + "\n";
  text += base::visible(head);
  for (size_t i = 0; i < d.findings.size(); ++i)
    text += "\n" + finding_block(d.findings[i], i + 1, options);
  return text + base::visible(tail(d, options));
}

}  // namespace lento::report
