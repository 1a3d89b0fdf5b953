// Writes a Diagnosis as text for people, as JSON for machines and as one self-contained HTML page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "finding/finding.h"

namespace lento::report {

struct TextOptions {
  bool explain = false;  // all evidence, options and inputs, not only the first line of each finding
  bool color = false;    // ANSI colours
};

std::string write_text(const finding::Diagnosis& diagnosis, const TextOptions& options = {});

// Writes finding::to_json, indented, with a final newline.
std::string write_json(const finding::Diagnosis& diagnosis);

// Writes one file that needs no network and is readable without scripts: every picture is inline SVG with its
// table below it. All text of the diagnosis is escaped.
std::string write_html(const finding::Diagnosis& diagnosis);

// One section of a page that shows several diagnoses of one system (Story): a title, an explanation, the
// commands that a user would type, and the diagnosis that they return.
struct Chapter {
  std::string title;
  std::string text;
  std::vector<std::string> commands;
  finding::Diagnosis diagnosis;
};
struct Story {
  std::string title;
  std::string lead;
  std::vector<Chapter> chapters;
};
std::string write_html(const Story& story);

// Writes one figure as comma-separated values: a header, then its rows (RFC 4180 quoting).
std::string write_csv(const finding::Figure& figure);

// Writes all timelines of the diagnosis as a Chrome trace (JSON object format, which Perfetto reads too): one
// process a figure, one thread a track, complete events. Axis values are microseconds unless the name of the
// axis ends in "s", "ms" or "ns". A cycle is shown as 1 us.
std::string write_trace(const finding::Diagnosis& diagnosis);

// Writes SARIF 2.1.0: one result a finding, with the source lines that its evidence names
// (docs/formats/sarif.md).
std::string write_sarif(const finding::Diagnosis& diagnosis);

// Writes the body of an OTLP request for logs: one record for the verdict, one a finding
// (docs/formats/otlp.md). `observed_unix_ns` is 0 when the time of observation is not given.
std::string write_otlp(const finding::Diagnosis& diagnosis, uint64_t observed_unix_ns = 0);

}  // namespace lento::report
