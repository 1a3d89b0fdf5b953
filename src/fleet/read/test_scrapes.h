// Where recorded scrapes of exporters are, for the tests that read them.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <filesystem>

namespace lento::fleet::test {

struct RecordedScrape {
  const char* file;
  size_t devices = 0;
  size_t metrics = 0;
};

// LENTO_FLEET_SCRAPES, else the folder beside the sources. It may not exist.
inline std::filesystem::path recorded_scrapes() {
  const char* set = std::getenv("LENTO_FLEET_SCRAPES");
  return set ? set : "../shared/data/fleet/scrapes";
}

}  // namespace lento::fleet::test
