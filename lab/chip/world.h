// Judges chips and recorders that differ from the chip file without being faulty.
//
// Each row simulates healthy runs and runs with one slow part on such a chip, changes the records as its
// recorder would, and diagnoses them with the unchanged file. A finding that names a part of a healthy run is
// a false alarm. The answer to a run with a fault is right when it names the planted part and no other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "finding/finding.h"

namespace lento::chip {

struct WorldOptions {
  std::string chip;
  std::string mapping;
  std::string rows;  // a regular expression of the names; empty: all
  int healthy = 20;  // runs per row
  int faulty = 20;
  uint32_t inferences = 2;
  uint64_t seed = 1;
  bool model = true;  // false: without the chip's model
};

struct WorldRow {
  std::string name;
  int healthy = 0;
  int accused = 0;
  int unsure = 0;  // cannot judge
  int whole = 0;   // a class or the whole chip is named
  int faulty = 0;
  int right = 0;
  int among = 0;  // named as one of several that the records do not separate ("A or B")
  int faulty_unsure = 0;
  int wrong = 0;
  std::vector<double> factor_errors;  // of right answers, relative
  int intervals = 0;                  // right answers whose factor has one
  int covered = 0;                    // that holds the planted factor
  std::vector<std::string> odd;       // what was answered instead, a line each
};

std::vector<std::string> world_rows();
// Rows in their order. Throws base::Error when the files are broken or the expression is.
std::vector<WorldRow> run_world(const WorldOptions& options, const base::Progress& progress = {});
finding::Diagnosis world_table(const std::vector<WorldRow>& rows, const WorldOptions& options);

}  // namespace lento::chip
