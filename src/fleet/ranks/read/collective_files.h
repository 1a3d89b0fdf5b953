// Reads collective telemetry from files and folders of any layout. Other modules of fleet/ranks open no
// files.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "base/read_report.h"
#include "fleet/ranks/read/collective_record.h"
#include "fleet/ranks/read/inspector_prom.h"

namespace lento::fleet::ranks {

enum class CollectiveLayout {
  None,
  Kineto,
  Inspector,
  InspectorProm,
  FlightRecorder,
  Ras,
  Nsight
};
const char* name(CollectiveLayout layout);

// Recognises the layout by the first bytes of the file, decompressed.
CollectiveLayout recognise_collectives(const std::string& path);

struct CollectiveFiles {
  std::vector<RankTrace> ranks;
  std::vector<HangDump> dumps;
  std::vector<InspectorMean> means;
  std::vector<RasAnswer> ras;                                      // by time stamp
  std::vector<std::string> files;                                  // paths of the files read, sorted
  std::vector<std::pair<std::string, CollectiveLayout>> not_read;  // recognised, but not usable alone
};

// Reads files, and folders recursively. Throws base::Error for a named file of unknown layout. One found in a
// folder is skipped and counted.
CollectiveFiles read_collective_files(
    const std::vector<std::string>& paths,
    base::ReadReport& report,
    const base::Progress& progress = {});

}  // namespace lento::fleet::ranks
