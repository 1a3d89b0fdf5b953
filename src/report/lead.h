// The parts of a verdict that come first, in text and on a page alike: one sentence worth forwarding, how
// much, since when and how sure, what to do next, the evidence in a few lines, what was seen and what could
// have been.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "finding/finding.h"

namespace lento::report {

using Lines = std::vector<std::pair<std::string, std::string>>;  // name, text

// Returns how much, when and how sure, for the first finding. Empty without findings.
Lines keys_of(const finding::Diagnosis& diagnosis);

// True where nothing was judged: the remedy of a prediction is the question that usually follows.
bool is_question(const finding::Diagnosis& diagnosis);

// Lists the steps of the first three findings without repetitions, and what would help a verdict.
std::vector<std::string> next_steps(const finding::Diagnosis& diagnosis);

// Lists what was looked at, and the smallest effects that would have been named.
Lines seen_of(const finding::Diagnosis& diagnosis);

// True for a fact about the smallest effect that would have been named.
bool tells_reach(const std::string& fact);

// Returns "very sure (0.94)" for a score from 0 to 1.
std::string sure_text(double score);

// Returns the value with its unit in three digits, empty without a value.
std::string value_text(const finding::Evidence& evidence);

// Returns "skipped 3 of 10 records: REASON (3)", empty when all were read.
std::string skipped_text(const finding::Diagnosis& diagnosis);

}  // namespace lento::report
