// One run's line in a search's journal: numbers separated by a blank, "inf" for +infinity.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predict/search/minimise.h"

namespace lento::predict {

// Reads a line. A journal may have been edited, so an invalid field throws base::Error that names the run.
class Record {
 public:
  Record(const std::string& line, uint64_t run);

  size_t size() const {
    return values_.size();
  }
  double number(size_t at) const;                                      // in the range 0 to +infinity
  uint64_t count(size_t at, uint64_t most = uint64_t{1} << 53) const;  // a whole number, at most `most`
  Minimum minimum(const std::vector<size_t>& sizes) const;             // the fields that line_of wrote

  [[noreturn]] void refuse(const std::string& what) const;

 private:
  std::vector<double> values_;
  uint64_t run_;
};

std::string text_of(double value);

// Returns "<value> <evaluations> <share> ...".
std::string line_of(const Minimum& minimum);

}  // namespace lento::predict
