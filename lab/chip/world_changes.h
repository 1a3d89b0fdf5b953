// The rows of the world (world.h): how the chip, its routes or its recorder differ from the chip file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "chip/map/program.h"
#include "chip/model/dictionary.h"
#include "chip/read/probe_record.h"

namespace lento::chip {

struct WorldChange {
  std::string name;
  // Changes the chip and its routes. Empty: as the file says.
  std::function<void(Twin&, Program&, base::Rng&)> chip{};
  // Changes the records as the recorder would. Empty: as the simulator writes them.
  std::function<void(std::vector<ProbeRecord>&, base::Rng&)> recorder{};
};
std::vector<WorldChange> all_world_changes();

}  // namespace lento::chip
