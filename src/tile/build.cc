// Builds, verifies and approves images for the tile. To approve an image, the owner's source is compiled
// again and the result compared with the image, so that the owner approves exactly the code that was
// reviewed.
#include "tile/build.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/file.h"
#include "base/units.h"
#include "program/symbols.h"
#include "tile/keys.h"
#include "tile/seal/policy.h"
#include "tile/unit/isa.h"

namespace lento::tile {
namespace {

using base::Error;
using base::read_file;
using program::Symbols;

constexpr size_t kMaxSource = 1 << 20;
constexpr size_t kMaxImage = 4 << 20;
constexpr size_t kMaxElf = 64 << 20;

BuildOptions compiler(const std::string& optimise) {
  BuildOptions out;
  out.flags = {"-O" + optimise};
  return out;
}

void require_shipped(const std::string& name) {
  if (!shipped_source(name).empty())
    return;
  throw Error({name}, "there is no such program", base::suggestion(name, shipped_programs()));
}

// Compiles the source file or the shipped program that the options name. A shipped program is returned as
// built in advance when neither another optimisation level nor its ELF file is asked for.
Built compile(const TileBuildOptions& options) {
  if (options.source.empty() == options.shipped.empty())
    throw Error({}, "give a source file or --shipped NAME, one of the two");
  if (options.shipped.empty()) {
    if (!std::filesystem::exists(options.source) && !shipped_source(options.source).empty())
      throw Error(
          {options.source},
          "there is no such file",
          "a program of that name ships: --shipped " + options.source);
    const std::string text = read_file(options.source, kMaxSource);
    return build_program(text, options.source, compiler(options.optimise));
  }
  require_shipped(options.shipped);
  if (options.optimise == "2" && !options.keep_elf)
    return shipped_build(options.shipped);
  return build_program(shipped_source(options.shipped), options.shipped, compiler(options.optimise));
}

// Throws base::Error unless `source` compiles to the image's code, data and declarations, and has the digest
// that the image names. Fields that the developer sets, such as block and rollback counter, are not compared.
void require_source(const Image& image, const std::string& source, const TileApproveOptions& options) {
  if (source_digest(image) != sha256_hex(source))
    throw Error(
        {options.source},
        "the image names another source in its metadata",
        "approve the source that it was built from");
  const Image built = build_program(source, options.source, compiler(options.optimise)).image;
  Image same = image;
  same.block = built.block;
  same.abi = built.abi;
  same.policy = built.policy;
  same.rollback = built.rollback;
  same.expires = built.expires;
  same.triggered = built.triggered;
  same.trigger_start = built.trigger_start;
  same.trigger_end = built.trigger_end;
  same.soft_logic = built.soft_logic;
  same.metadata = built.metadata;
  if (same != built)
    throw Error(
        {options.source},
        "the source does not compile to this image",
        "build it again with the compiler and -O that the developer used");
}

}  // namespace

uint32_t tile_instructions(const Image& image) {
  uint32_t count = 0;
  for (size_t at = 0; at + 4 <= image.code.size(); at += 4)
    count += image.code.compare(at, 4, std::string(4, '\0')) != 0;
  return count;
}

// Compiles a tile program and makes its image. Block, interface version, rollback counter, policy, expiry and
// trigger come from the options, the declared rates from the source.
TileBuild build_tile(const TileBuildOptions& options) {
  TileBuild out;
  out.built = compile(options);
  Image& image = out.built.image;
  image.block = options.block;
  image.abi = options.abi;
  image.rollback = options.rollback;
  image.policy = parse_policy(options.policy, "--policy");
  if (!options.expires.empty())
    image.expires = parse_utc_end(options.expires, {"--expires"});
  if (options.trigger) {
    image.triggered = true;
    image.trigger_start = options.trigger->first;
    image.trigger_end = options.trigger->second;
  }
  out.bytes = write_image(image);
  out.instructions = tile_instructions(image);
  return out;
}

namespace {

// Returns the source line of an address ("echo.c:7"), or the address in hexadecimal when its line is not
// known.
std::string place_of(const program::Symbols* symbols, uint32_t pc) {
  if (symbols) {
    const std::vector<program::SourceFrame> frames = symbols->frames(pc);
    if (!frames.empty() && frames.front().line > 0) {
      const std::string& file = frames.front().file;
      return file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(frames.front().line);
    }
  }
  return base::hex(pc);
}

// Returns the file name of a place FILE:LINE.
std::string file_of(const std::string& place) {
  return place.substr(0, place.rfind(':'));
}

// Returns the source lines in main's file that call the function around `pc`, such as "bandwidth.c:15,
// bandwidth.c:20".
std::string callers_of(const Image& image, uint32_t pc, const program::Symbols& symbols) {
  const program::Symbol* function = symbols.function_at(pc);
  if (!function)
    return "";
  std::set<std::string> places;
  uint32_t at = 0;
  for (const TileOp& op : decode_code(image.code)) {
    const uint64_t target = uint64_t{at} + uint64_t(int64_t{op.base.imm});
    const bool inside = at >= function->low && at < function->high;
    const bool calls = op.custom == Custom::None && op.base.op == riscv::Op::Jal;
    if (calls && !inside && target >= function->low && target < function->high)
      places.insert(place_of(&symbols, at));
    at += 4;
  }
  const std::string main_file = file_of(place_of(&symbols, image.main_entry));
  std::string out;
  for (const std::string& place : places) {
    if (file_of(place) == main_file)
      out += (out.empty() ? "" : ", ") + place;
  }
  return out;
}

// Returns the source line of an address. An address in another file than main's, such as the compiler's
// division, is named by its function and the function's callers instead, when there are any in main's file.
std::string line_or_function(const Image& image, const program::Symbols* symbols, uint32_t pc) {
  const std::string place = place_of(symbols, pc);
  const program::Symbol* function = symbols ? symbols->function_at(pc) : nullptr;
  if (!function || file_of(place) == file_of(place_of(symbols, image.main_entry)))
    return place;
  const std::string callers = callers_of(image, pc, *symbols);
  return callers.empty() ? place : function->name + ", called from " + callers;
}

// Returns text that lists the places with the most cycles on main's worst path, at most kShown of them.
// `cycles` is the result of worst_path().
std::string
show_path(const Image& image, const std::vector<uint64_t>& cycles, const program::Symbols* symbols) {
  constexpr size_t kShown = 12;
  std::map<std::string, uint64_t> by_place;
  for (size_t i = 0; i < cycles.size(); ++i) {
    if (cycles[i] > 0)
      by_place[line_or_function(image, symbols, uint32_t(4 * i))] += cycles[i];
  }
  std::vector<std::pair<std::string, uint64_t>> rows(by_place.begin(), by_place.end());
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
    return a.second > b.second;
  });
  std::string out = rows.empty() ? "" : "worst path of main, cycles by place:\n";
  for (size_t i = 0; i < std::min(rows.size(), kShown); ++i)
    out += "  " + rows[i].first + ": " + std::to_string(rows[i].second) + "\n";
  if (rows.size() > kShown)
    out += "  and " + std::to_string(rows.size() - kShown) + " places more\n";
  return out;
}

}  // namespace

// Verifies the image in a file (verify). Lists the violations of a refused image when there is an ELF file,
// and then main's path of most cycles (TileVerification::worst_path).
TileVerification verify_tile(const TileVerifyOptions& options, const base::Progress& progress) {
  const Image image = parse_image(read_file(options.image, kMaxImage), options.image);
  std::optional<program::Symbols> symbols;
  if (!options.elf.empty())
    symbols.emplace(options.elf);
  const program::Symbols* names = symbols ? &*symbols : nullptr;
  TileVerification out;
  std::vector<DataObject> objects;
  if (!options.elf.empty())
    objects = data_objects(read_file(options.elf, kMaxElf), options.elf);
  out.report = verify(image, progress, objects);
  constexpr uint64_t kFollowed = 200'000;  // instructions of main; worst_path() gives up above this number
  if (names && !out.report.accepted) {
    for (const Violation& violation : out.report.violations)
      out.worst_path += describe(
                            violation,
                            [&](uint32_t pc) {
                              return place_of(names, pc);
                            }) +
                        "\n";
  }
  if (out.report.main.worst_cycles > 0 && out.report.main.steps <= kFollowed)
    out.worst_path += show_path(image, worst_path(image, progress), names);
  return out;
}

std::optional<VerifyReport> approve_tile(const TileApproveOptions& options, const base::Progress& progress) {
  const std::string bytes = read_file(options.image, kMaxImage);
  const std::string source = read_file(options.source, kMaxSource);
  const Image image = parse_image(bytes, options.image);
  const VerifyReport report = verify(image, progress);
  if (report.stopped)
    return std::nullopt;
  if (!report.accepted)
    throw Error({options.image}, "the verifier does not accept it:\n" + write_report(report));
  require_source(image, source, options);
  const Approval approval{sha256_hex(bytes), sha256_hex(source), sha256_hex(write_report(report))};
  write_tile_signed(
      options.output,
      write_approval(approval),
      read_tile_secret(options.owner, options.password),
      "approval");
  return report;
}

}  // namespace lento::tile
