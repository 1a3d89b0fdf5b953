// Reads records of data movement from any tool, for `import`, `simulate --trace`, `compare` and the
// judgement without a mapping.
#pragma once

#include <string>
#include <vector>

#include "base/read_report.h"
#include "chip/read/transfer_file.h"
#include "finding/finding.h"

namespace lento::chip {

struct RecordSources {
  std::vector<std::string> files;  // of one run: one file, or one for each chip
  std::string topology;            // tt-metal's topology file; empty: none
  TableColumns columns;            // column names of a generic table
  bool strict = false;             // an invalid record is an error
};

struct Records {
  TransferTrace trace;
  base::ReadReport report;
  std::vector<finding::Input> inputs;
};

// Throws base::Error when a file is not readable as records.
Records read_records(const RecordSources& sources);

struct ChipImportOptions {
  RecordSources sources;
  std::string output;  // file in the form lento-records 2; empty: only counted
};

// Returns the counts of records by component, zone and kind.
finding::Diagnosis chip_import(const ChipImportOptions& options);

// Adds facts about the contents of the records.
void add_record_facts(finding::Diagnosis& diagnosis, const TransferTrace& trace);

}  // namespace lento::chip
