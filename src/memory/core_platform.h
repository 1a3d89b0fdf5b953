// The machine that a recording is replayed on: the part `core` of lento.platform/1, in times and sizes as
// data sheets state them (docs/formats/platform.md). Sheets of usual servers are shipped under
// share/lento/platforms.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "memory/record/recording.h"

namespace lento::memory {

struct CorePlatform {
  static constexpr const char* kSchema = "lento.platform/1";

  std::string name;
  std::string title;
  std::string source;  // of its figures
  double clock = 3e9;  // hertz
  CoreModel core;      // in cycles of that clock
  // Times of `core` as they were read or measured, in seconds, before they were rounded to cycles.
  std::vector<std::pair<uint64_t CoreModel::*, double>> unrounded = {};

  void set(uint64_t CoreModel::*time, double seconds);
  double seconds(uint64_t CoreModel::*time) const;
};

// Returns the machine on which programs are replayed without --platform. It has round figures of a server's
// core that waits for each miss, without a third level, so that a fault is visible on whatever machine the
// program will run.
CorePlatform usual_platform();

// Reads a machine from a file, or a machine that is shipped with Lento by its name. Members that the file
// leaves out are those of usual_platform(). Throws base::Error for mistakes in the file, and for an unknown
// name with the names of the shipped ones.
CorePlatform read_core_platform(const std::string& file_or_name);

std::vector<std::string> shipped_core_platforms();

// Returns the platform as a file that read_core_platform reads back.
std::string to_yaml(const CorePlatform& platform);

}  // namespace lento::memory
