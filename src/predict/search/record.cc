// Parses and writes the numbers of a run's line in the journal. Lines may have been edited, so every field is
// checked for its range, and an error names the run.
#include "predict/search/record.h"

#include <cmath>
#include <limits>
#include <sstream>

#include "base/number.h"
#include "base/units.h"

namespace lento::predict {
namespace {

base::Location place_of(uint64_t run) {
  return {"journal", 0, 0, "run " + std::to_string(run)};
}

}  // namespace

Record::Record(const std::string& line, uint64_t run)
    : run_(run) {
  std::istringstream words(line);
  for (std::string word; words >> word;)
    values_.push_back(
        word == "inf" ? std::numeric_limits<double>::infinity() : base::parse_double(word, place_of(run)));
}

void Record::refuse(const std::string& what) const {
  throw base::Error(place_of(run_), what, "delete the line: the run will be done again");
}

double Record::number(size_t at) const {
  if (at >= values_.size())
    refuse("the line ends after " + std::to_string(values_.size()) + " numbers");
  if (values_[at] < 0)
    refuse("'" + base::format_number(values_[at]) + "' is below zero");
  return values_[at];
}

uint64_t Record::count(size_t at, uint64_t most) const {
  const double value = number(at);
  if (value != std::floor(value) || !(value <= double(most)))
    refuse("'" + base::format_number(value) + "' is no whole number up to " + std::to_string(most));
  return uint64_t(value);
}

Minimum Record::minimum(const std::vector<size_t>& sizes) const {
  Minimum m;
  m.value = number(0);
  m.evaluations = count(1);
  if (!std::isfinite(m.value) && size() == 2)
    return m;  // nothing to optimise
  size_t at = 2;
  for (const size_t part : sizes) {
    m.at.emplace_back();
    for (size_t i = 0; i < part; ++i)
      m.at.back().push_back(number(at++));
  }
  if (at != size())
    refuse("the design has " + std::to_string(at - 2) + " shares");
  return m;
}

std::string text_of(double value) {
  return std::isfinite(value) ? base::format_exact(value) : "inf";
}

std::string line_of(const Minimum& m) {
  std::string line = text_of(m.value) + " " + std::to_string(m.evaluations);
  for (const auto& part : m.at) {
    for (const double share : part)
      line += " " + base::format_exact(share);
  }
  return line;
}

}  // namespace lento::predict
