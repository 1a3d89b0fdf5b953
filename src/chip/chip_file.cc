// Reads a chip file, and turns the classes of unequal cores and chips in it into deviations of single parts.
#include "chip/chip_file.h"

#include "base/file.h"
#include "chip/map/file/declared.h"
#include "spec/fabric_sheet.h"

namespace lento::chip {
namespace {

constexpr size_t kMaxBytes = 16 << 20;

}  // namespace

ChipFile read_chip_file(const std::string& path) {
  const std::string text = base::read_file(path, kMaxBytes);
  ChipFile out;
  out.twin.chip = spec::parse_chip(text, path);
  if (!out.twin.chip.interconnect)
    return out;
  const spec::FabricSheet sheet = spec::parse_fabric(text, path);
  out.twin.own = declared_parts(sheet, out.twin.chip);
  out.clocks_hz = sheet.clocks_hz;
  return out;
}

}  // namespace lento::chip
