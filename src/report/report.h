// Diagnosis -> text for people, JSON for machines, one self-contained HTML page to look at.
#pragma once

#include <string>

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

}  // namespace lento::report
