// Writes findings as SARIF 2.1.0, the form in which code hosts and editors accept results of analyses
// (docs/formats/sarif.md). A finding has no field for source lines, so they are parsed from its evidence,
// where they have the form "path/file.c:17".
#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "base/file.h"
#include "base/json.h"
#include "report/report.h"

namespace lento::report {
namespace {

using base::Json;
using finding::Diagnosis;
using finding::Finding;

struct SourceLine {
  std::string file;
  int64_t line = 0;
  std::string text;  // the evidence that names it
};

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c));
}

// Returns whether the file name has an extension.
bool has_extension(std::string_view file) {
  const size_t dot = file.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == file.size())
    return false;
  const auto first = static_cast<unsigned char>(file[dot + 1]);
  const bool in_folder = file.find('/', dot) != std::string_view::npos;
  return std::isalpha(first) && !in_folder;
}

// Parses a word of the form "dir/file.c:17": a name whose extension begins with a letter, then a line number.
std::optional<SourceLine> source_line(std::string_view word) {
  const size_t last = word.find_last_not_of(",;)");
  word = word.substr(0, last + 1);
  const size_t colon = word.rfind(':');
  if (colon == std::string_view::npos || colon == 0)
    return std::nullopt;
  const size_t behind = word.size() - colon - 1;
  if (behind < 1 || behind > 8)
    return std::nullopt;
  const std::string_view file = word.substr(0, colon);
  const std::string_view number = word.substr(colon + 1);
  if (!has_extension(file) || !std::ranges::all_of(number, is_digit))
    return std::nullopt;
  const int64_t line = std::stoll(std::string(number));
  if (line < 1)
    return std::nullopt;
  return SourceLine{std::string(file), line, {}};
}

// Returns the source lines in the order of the evidence, each once.
std::vector<SourceLine> source_lines(const Finding& finding) {
  std::vector<SourceLine> found;
  std::set<std::pair<std::string, int64_t>> seen;
  for (const finding::Evidence& evidence : finding.evidence) {
    const std::string& text = evidence.text;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find(' ', at), text.size());
      const std::string_view word = std::string_view(text).substr(at, end - at);
      std::optional<SourceLine> line = source_line(word);
      if (line && seen.emplace(line->file, line->line).second) {
        line->text = text;
        found.push_back(std::move(*line));
      }
      at = end + 1;
    }
  }
  return found;
}

// Returns a URI reference: absolute paths as file URIs, others relative to the folder in which the program
// was built.
std::string uri_of(const std::string& path) {
  constexpr std::string_view kPlain = "/-._~!$&'()*+,;=:@";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out = path.starts_with("/") ? "file://" : "";
  for (const char c : path) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || kPlain.find(c) != std::string_view::npos)
      out += c;
    else
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

Json message(const std::string& text) {
  return Json::object().set("text", text);
}

Json location(const SourceLine& source) {
  Json physical = Json::object();
  physical.set("artifactLocation", Json::object().set("uri", uri_of(source.file)));
  physical.set("region", Json::object().set("startLine", source.line));
  return Json::object().set("physicalLocation", std::move(physical));
}

Json logical(const std::string& subject) {
  Json names = Json::array();
  names.push(Json::object().set("fullyQualifiedName", subject));
  return names;
}

Json locations_of(const Finding& finding, const std::vector<SourceLine>& lines) {
  Json first = lines.empty() ? Json::object() : location(lines.front());
  first.set("logicalLocations", logical(finding.subject));
  Json all = Json::array();
  all.push(std::move(first));
  return all;
}

// Returns the further source lines of a finding.
Json related_of(const std::vector<SourceLine>& lines) {
  Json all = Json::array();
  for (size_t i = 1; i < lines.size(); ++i) {
    Json one = location(lines[i]);
    one.set("id", uint64_t(i));
    one.set("message", message(lines[i].text));
    all.push(std::move(one));
  }
  return all;
}

// Returns the rule of a finding: "memory/false-sharing" for "false sharing".
std::string rule_of(const Diagnosis& d, const Finding& finding) {
  std::string id = d.scale + "/" + finding.category;
  std::ranges::replace(id, ' ', '-');
  return id;
}

// Returns the text of a finding with its next step.
std::string words_of(const Finding& finding) {
  std::string text = finding.summary;
  if (text.empty())
    text = finding.subject + ": " + finding.category;
  if (!finding.next_step.empty())
    text += ". Next: " + finding.next_step;
  return text;
}

// Returns a finding as a SARIF result.
Json result_of(const Diagnosis& d, const Finding& finding) {
  const std::vector<SourceLine> lines = source_lines(finding);
  const std::string rule = rule_of(d, finding);
  Json properties = Json::object();
  properties.set("score", finding.score);
  if (finding.factor)
    properties.set("factor", *finding.factor);
  if (finding.lost_share)
    properties.set("lostShare", *finding.lost_share);
  Json result = Json::object();
  result.set("ruleId", rule);
  result.set("level", finding.score >= 0.5 ? "warning" : "note");
  result.set("message", message(words_of(finding)));
  result.set("locations", locations_of(finding, lines));
  if (lines.size() > 1)
    result.set("relatedLocations", related_of(lines));
  result.set(
      "partialFingerprints",
      Json::object().set("ruleAndSubject/v1", base::digest(rule + "\n" + finding.subject)));
  result.set("properties", std::move(properties));
  return result;
}

Json rule_json(const std::string& id, const std::string& description) {
  Json out = Json::object();
  out.set("id", id);
  out.set("shortDescription", message(description));
  return out;
}

// Returns the rules: one for each category of findings.
Json rules_of(const Diagnosis& d) {
  Json rules = Json::array();
  std::set<std::string> seen;
  for (const Finding& finding : d.findings) {
    const std::string id = rule_of(d, finding);
    if (seen.insert(id).second)
      rules.push(rule_json(id, finding.category));
  }
  return rules;
}

// Describes the run. A healthy subject and a run without a verdict both have no results, so a notification
// carries the verdict.
Json invocation_of(const Diagnosis& d) {
  const bool judged = d.outcome != finding::Outcome::CannotJudge;
  Json invocation = Json::object();
  invocation.set("executionSuccessful", judged);
  invocation.set("commandLine", d.command);
  Json note = Json::object();
  note.set("level", judged ? "note" : "warning");
  std::string text = d.verdict;
  if (!d.remedy.empty())
    text += ". What would help: " + d.remedy;
  note.set("message", message(text));
  invocation.set("toolExecutionNotifications", Json::array().push(std::move(note)));
  return invocation;
}

}  // namespace

std::string write_sarif(const Diagnosis& d) {
  Json driver = Json::object();
  driver.set("name", "lento");
  driver.set("version", d.version);
  driver.set("rules", rules_of(d));
  Json results = Json::array();
  for (const Finding& finding : d.findings)
    results.push(result_of(d, finding));
  Json run = Json::object();
  run.set("tool", Json::object().set("driver", std::move(driver)));
  run.set("invocations", Json::array().push(invocation_of(d)));
  run.set("results", std::move(results));
  Json log = Json::object();
  log.set("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  log.set("version", "2.1.0");
  log.set("runs", Json::array().push(std::move(run)));
  return base::write_json(log, 1) + "\n";
}

}  // namespace lento::report
