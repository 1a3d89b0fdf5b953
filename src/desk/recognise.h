// Recognises files and the questions that they allow, for `lento` alone and for `lento diagnose FILE...`.
// This is the one table of Lento's use of each kind of file. base/sniff.h recognises kinds by their bytes,
// and the readers recognise the files of other tools.
#pragma once

#include <string>
#include <vector>

#include "base/sniff.h"

namespace lento::desk {

enum class Role {
  None,
  ChipRecords,  // probe records or a sketch
  Chip,
  Mapping,
  Transfers,  // data movement of a real chip
  Accesses,
  Program,
  Metrics,  // a table of machines' metrics
  MetricsPage,
  Collectives,
  Measurements,  // questions with their times
  Questions,
  Workload,
  Network,
  System,
  SearchSpace,
  Diagnosis,
  TileImage,
  TileSource,
};

struct RecognisedFile {
  std::string path;
  Role role = Role::None;
  base::FileKind kind;             // as it is called: "access trace", "perf script"
  std::vector<std::string> words;  // what the command line needs to read it, such as --machine-column node
};

// Reads at most the first 64 KiB, and nothing of what is no regular file.
RecognisedFile recognise(const std::string& path);

// The regular files of a folder, by name; hidden ones and all beyond the first 2,000 are left out. A folder
// that cannot be read is empty.
std::vector<RecognisedFile> recognise_folder(const std::string& folder);

// A command that these files allow, or would with what is missing.
struct Question {
  std::string text;                   // "Which core, link or port has gone slow?"
  std::vector<std::string> command;   // words after "lento"
  std::vector<std::string> missing;   // "a chip (lento.chip/1)"; empty: it can be asked as it stands
  std::vector<std::string> doubtful;  // "a.yaml and b.yaml could both be the chip"
  std::vector<std::string> uses;      // paths
  bool verdict = false;               // judges something, rather than predicts, shows or converts
};

// In the order of the table; files of one role that belong to one run are asked about together.
std::vector<Question> questions_of(const std::vector<RecognisedFile>& files);

}  // namespace lento::desk
