// Composes the beginning of a report, the same for text and HTML: how much slower, since when and how sure,
// the next steps, what was examined, and the smallest effects that the detector would have reported.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "finding/finding.h"

namespace lento::report {

using Lines = std::vector<std::pair<std::string, std::string>>;  // name, text

// Returns slow-down, begin and certainty of the first finding as pairs of name and text. Empty without
// findings.
Lines keys_of(const finding::Diagnosis& diagnosis);

// Returns whether the diagnosis only answers a question, such as a prediction, and judges nothing. Its
// `remedy` is then a command that usually follows and is listed without the words "What would help".
bool is_question(const finding::Diagnosis& diagnosis);

// Returns the recommended steps of the first three findings (Finding::next_step), each once, and then the
// remedy of the diagnosis.
std::vector<std::string> next_steps(const finding::Diagnosis& diagnosis);

// Returns what the detector examined and the smallest effects that it would have reported, as pairs of name
// and text.
Lines seen_of(const finding::Diagnosis& diagnosis);

// Returns whether a fact's name says that it is the smallest effect that the detector would have reported.
bool tells_reach(const std::string& fact);

// Returns "very sure (0.94)" for a score from 0 to 1.
std::string sure_text(double score);

// Returns the value with its unit in three digits, empty without a value.
std::string value_text(const finding::Evidence& evidence);

// Returns "skipped 3 of 10 records: REASON (3)", empty when all were read.
std::string skipped_text(const finding::Diagnosis& diagnosis);

}  // namespace lento::report
