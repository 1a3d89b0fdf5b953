// Recognises files and lists the commands that they allow, for `lento` alone and for `lento diagnose
// FILE...`. The table kUses alone assigns a role to each kind of file that base/sniff.h recognises by its
// bytes. Files of other tools are recognised by their readers.
#pragma once

#include <string>
#include <vector>

#include "base/sniff.h"

namespace lento::desk {

enum class Role {
  None,
  ChipRecords,  // probe records or a sketch of a chip
  Chip,
  Mapping,
  Transfers,  // data movement on a real chip
  Accesses,
  Program,
  Metrics,  // a table of metrics of machines
  MetricsPage,
  MetricsAnswer,  // samples of a period as Prometheus answers a range query
  Collectives,
  Measurements,  // questions with measured times
  Questions,
  Workload,
  Network,
  System,
  SearchSpace,
  Diagnosis,
  TileImage,
  Waveform,   // a recording of signals
  SignalMap,  // which of them go to which IOReg of a tile
  TileSource,
};

struct RecognisedFile {
  std::string path;
  Role role = Role::None;
  base::FileKind kind;             // as it is called: "access trace", "perf script"
  std::vector<std::string> words;  // options that are needed to read it, such as --machine-column node
  std::string machine = {};        // the one that the first rows of a table of metrics name; several: empty
};

// Reads at most the first 64 KiB of a regular file, and nothing of other files.
RecognisedFile recognise(const std::string& path);

// Recognises the regular files of a folder in order of name, without hidden files and at most 2,000. A
// folder that cannot be read gives an empty list.
std::vector<RecognisedFile> recognise_folder(const std::string& folder);

// The description of a missing data sheet of a system, for Question::missing.
inline constexpr const char* kSystemSheet =
    "a system data sheet (lento.system/1, or a shipped one: --system h100)";

// A command that the files allow, or would allow together with the missing ones.
struct Question {
  std::string text;                  // "Which core, link or port has gone slow?"
  std::vector<std::string> command;  // words after "lento"
  // Descriptions of missing files ("a chip (lento.chip/1)"); empty: complete.
  std::vector<std::string> missing;
  std::vector<std::string> doubtful;  // "a.yaml and b.yaml could both be the chip"
  std::vector<std::string> uses;      // paths
  bool verdict = false;               // the command judges, rather than predicts, shows or converts
};

// Returns the questions about the fleet, then those about chips, memory, tiles and predictions. Files of one
// role that belong to one run are in one question.
std::vector<Question> questions_of(const std::vector<RecognisedFile>& files);

}  // namespace lento::desk
