// Chips whose routes are not those of their file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chip/map/program.h"
#include "spec/chip.h"

namespace lento::chip {

enum class SheetError : uint8_t {
  Topology,     // a mesh that the file calls a torus, or the reverse
  ColumnsFirst  // routes go along columns first
};
inline constexpr int kSheetErrors = 2;

// The effect of one error of the chip file on each cell of the dictionary.
struct OtherSheet {
  SheetError error = SheetError::Topology;
  std::vector<float> noise;  // variance of each cell over that in the file's chip
  std::vector<float> shift;  // change of the log duration of each cell
};

struct OtherChip {
  spec::Chip chip;
  Program program;
};
// Returns the true chip and program if `file` has this error, or nothing when the error does not apply to the
// chip or changes no route. `program` must be built for `file`.
std::optional<OtherChip> with_error(SheetError error, const spec::Chip& file, const Program& program);

// Returns what the chip has in truth when its file has this error, such as "a mesh" where the file states a
// torus.
const char* name_of(SheetError error, const spec::Chip& file);

}  // namespace lento::chip
