// Records of data movement, from whatever wrote them: what `import`, `simulate --trace`, `compare` and the
// judgement without a mapping read.
#pragma once

#include <string>
#include <vector>

#include "base/read_report.h"
#include "chip/read/transfer_file.h"
#include "finding/finding.h"

namespace lento::chip {

struct RecordSources {
  std::vector<std::string> files;  // one run: one file, or one a chip
  std::string topology;            // tt-metal's topology file; empty: none
  TableColumns columns;            // of a generic table
  bool strict = false;             // the first broken record is an error
};

struct Records {
  TransferTrace trace;
  base::ReadReport report;
  std::vector<finding::Input> inputs;
};

// Throws base::Error when a file cannot be read as records.
Records read_records(const RecordSources& sources);

struct ChipImportOptions {
  RecordSources sources;
  std::string output;  // lento-records 2; empty: only counted
};

// An answer: what was read, counted by component, zone and kind.
finding::Diagnosis chip_import(const ChipImportOptions& options);

// Facts that say what records hold.
void add_record_facts(finding::Diagnosis& diagnosis, const TransferTrace& trace);

}  // namespace lento::chip
