// The door of the desk: the files that people hold on the day something is slow, in any mixture, and one
// verdict from them.
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

// Whether the beginning of this file is of a form that the desk reads. Nothing is taken from a pipe.
bool reads(const std::string& path);

// The files of a list of paths: a folder stands for the regular files in it and in its folders, by name.
// At most kMostFiles; `left_out` counts the others.
inline constexpr size_t kMostFiles = 10000;
std::vector<std::string> files_of(const std::vector<std::string>& paths, size_t& left_out);

// The rows of all files; subjects that no line states are named by the files' names, where these differ.
Records read_all_files(const std::vector<std::string>& files, const base::Progress& progress = {});

// Throws base::Error when no file can be read. A file of another kind is listed in the notes.
finding::Diagnosis diagnose(const DeskOptions& options, const base::Progress& progress = {});

}  // namespace lento::desk
