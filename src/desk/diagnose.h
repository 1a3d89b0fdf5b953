// Reads files of any kind from a job or its hardware, and reaches one verdict about all of them: `lento
// diagnose FILE...`.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "desk/incident/incident.h"
#include "desk/read/records.h"
#include "finding/finding.h"

namespace lento::desk {

struct DeskOptions {
  std::vector<std::string> paths;  // files and folders; "-" is standard input
  JudgeOptions judge;
};

// Returns whether the beginning of a file is in a format of the desk. Does not read from a pipe.
bool reads(const std::string& path);

// The kind of labelled numbers (desk/general) in a file that fits no known format.
enum class Labels {
  None,
  Numbers,  // numbers of one report, which can be judged only beside at least two other such reports
  Known     // values over the time of a job, or states of parts
};
// Reads the first 4 MiB of a file, or a JSON document as a whole, and returns the kind of its labels. None
// also when it cannot be read. For files that no other module judges, which have no role (desk/recognise.h).
Labels labels_in(const std::string& path);

// Lists the files of `paths`: a folder is replaced by all regular files below it, in order of name. At most
// kMostFiles are returned, and `left_out` counts the others.
inline constexpr size_t kMostFiles = 10000;
std::vector<std::string> files_of(const std::vector<std::string>& paths, size_t& left_out);

// Reads the rows of all files. Subjects that no line names are named after the files, when the file names
// differ.
Records read_all_files(const std::vector<std::string>& files, const base::Progress& progress = {});

// Judges all files as one incident. Throws base::Error when no file can be read. Files of unknown kinds are
// listed in the notes.
finding::Diagnosis diagnose(const DeskOptions& options, const base::Progress& progress = {});

}  // namespace lento::desk
