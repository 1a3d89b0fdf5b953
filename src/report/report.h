// Diagnosis -> text for people, JSON for machines, one self-contained HTML page to look at.
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

// finding::to_json, indented, with a final newline.
std::string write_json(const finding::Diagnosis& diagnosis);

// One file, no network, readable without scripts: every picture is inline SVG with its table below it.
// All text of the diagnosis is escaped.
std::string write_html(const finding::Diagnosis& diagnosis);

// Several diagnoses of one system as one page: what was asked, the commands that answer it, what was found.
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

// One figure as comma-separated values: a header, then its rows (RFC 4180 quoting).
std::string write_csv(const finding::Figure& figure);

// All timelines of the diagnosis as a Chrome trace (JSON object format, also read by Perfetto): one process a
// figure, one thread a track, complete events. Axis values are taken as microseconds unless the axis name
// ends in a unit the format can hold: "s", "ms", "us", "ns", "cycles" (1 cycle = 1 us).
std::string write_trace(const finding::Diagnosis& diagnosis);

// SARIF 2.1.0: one result a finding, with the source lines that its evidence names (docs/formats/sarif.md).
std::string write_sarif(const finding::Diagnosis& diagnosis);

// The body of an OTLP request for logs: one record for the verdict, one a finding (docs/formats/otlp.md).
// `observed_unix_ns` 0: not said.
std::string write_otlp(const finding::Diagnosis& diagnosis, uint64_t observed_unix_ns = 0);

}  // namespace lento::report
