// A simulated job whose Inspector logs grow piece by piece, for tests of readers that follow them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "fleet/simulate/rank_job.h"

namespace lento::fleet {

// Four ranks, of which rank 3 computes 1.5 times as long from step 100 on.
inline RankJob job_with_slow_rank() {
  RankJob job;
  job.dp = 4;
  job.fault = RankFaultKind::SlowGpu;
  job.place = 3;
  job.factor = 1.5;
  job.from_step = 100;
  return job;
}

struct Growing {
  std::string source;
  std::string target;
  std::map<std::string, std::vector<std::string>> lines;

  Growing(const std::string& name, const RankJob& job) {
    source = testing::TempDir() + "/ranks_live_source_" + name;
    target = testing::TempDir() + "/ranks_live_" + name;
    std::filesystem::remove_all(source);
    std::filesystem::remove_all(target);
    std::filesystem::create_directories(target);
    write_ranks(simulate_ranks(job), RankLayout::Inspector, source);
    for (const auto& entry : std::filesystem::directory_iterator(source)) {
      if (entry.path().extension() != ".log")
        continue;
      std::istringstream in(base::read_file(entry.path().string()));
      for (std::string line; std::getline(in, line);)
        lines[entry.path().filename().string()].push_back(line);
    }
  }
  // Appends the lines of each log from the share `from` of its lines to the share `to` (0 to 1). With `cut`
  // the last line is only half written.
  void grow(double from, double to, bool cut) {
    for (const auto& [name, all] : lines) {
      std::ofstream out(target + "/" + name, std::ios::app | std::ios::binary);
      const auto begin = size_t(from * double(all.size()));
      const auto end = size_t(to * double(all.size()));
      for (size_t i = begin; i < end; ++i) {
        if (cut && i + 1 == end) {
          out << all[i].substr(0, all[i].size() / 2);
          rest[name] = all[i].substr(all[i].size() / 2) + "\n";
        } else {
          out << rest[name] << all[i] << "\n";
          rest[name].clear();
        }
      }
    }
  }
  std::map<std::string, std::string> rest;
};

}  // namespace lento::fleet
