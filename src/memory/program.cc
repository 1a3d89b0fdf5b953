// Checks that the named program is the one that was traced, by digest, build id, or the addresses themselves
// (program.h). The address check counts, over the first 65,536 records or more, how many code addresses lie
// in executable sections and how many accesses their instructions can make.
#include "memory/program.h"

#include <algorithm>
#include <map>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"

namespace lento::memory {
namespace {

using base::Error;
using program::GivenProgram;

constexpr uint64_t kEnough = uint64_t{1} << 16;  // records that an address check reads at least
// Share of the addresses inside a program that must agree with it. The traced program reaches 1. Jump tables
// and data between functions, which a profiler may point at, are a few in a thousand.
constexpr double kAgree = 0.95;

struct Count {
  uint64_t code = 0;     // code addresses inside the program
  uint64_t in_code = 0;  // of them in executable sections
  uint64_t decoded = 0;  // accesses whose instruction could be read
  uint64_t made = 0;     // those that this instruction can make
};

struct Seen {
  uint64_t records = 0;
  bool any_named = false;
  std::map<const program::Symbols*, Count> counts;
};

// Counts how many accesses lie in code of each program and agree with its instructions.
Seen count_agreements(const program::AddressSpace& names, AccessSource& source) {
  Seen seen;
  program::DataObject object;
  const auto enough = [&seen] {
    return seen.any_named && !seen.counts.empty() && seen.records >= kEnough;  // a loader may run first
  };
  for (auto batch = source.next(); !batch.empty() && !enough(); batch = source.next()) {
    for (const AccessRecord& r : batch) {
      ++seen.records;
      if (!seen.any_named) {
        seen.any_named =
            names.function_at(r.process, r.pc) != nullptr || names.object_at(r.process, r.address, object);
      }
      uint64_t linked = 0;
      const program::Symbols* program = names.program_at(r.process, r.pc, linked);
      if (!program)
        continue;
      Count& count = seen.counts[program];
      ++count.code;
      count.in_code += program->is_code(linked);
      const auto makes = program->makes_access(linked, r.type);
      count.decoded += makes.has_value();
      count.made += makes.value_or(false);
    }
  }
  return seen;
}

// Returns whether the trace has the digest of this file, so that no further check is needed, and false when
// the trace has no digest. Throws base::Error when it has those of other files only.
bool is_recorded(const program::TraceFacts& facts, const program::GivenProgram& program) {
  if (facts.programs.empty())
    return false;
  const std::string digest = base::digest(base::read_file(program.path, uint64_t{1} << 30));
  for (const auto& [known, name] : facts.programs) {
    if (known == digest)
      return true;
  }
  throw Error(
      {program.path},
      "is not the program of the trace: its content differs from that of '" + facts.programs[0].second +
          "', which ran",
      "give the file that ran, or trace this one anew");
}

// Throws base::Error when the build id differs from the traced one.
void refuse_another_build(const program::GivenProgram& program) {
  const std::string id = program.symbols->build_id();
  if (program.mapped || program.mapped_build_id.empty())
    return;
  throw Error(
      {program.path},
      "is another build than the traced program: build id " + id + ", the trace has " +
          program.mapped_build_id,
      "give the file that ran, or trace this one anew");
}

std::string share_text(uint64_t part, uint64_t whole) {
  return std::to_string(part) + " of " + std::to_string(whole);
}

// Throws base::Error when too few accesses agree with the program.
void require_agreement(const program::GivenProgram& program, const Count& count) {
  const char* remedy = "give the program that was traced; without it leave --elf out";
  if (double(count.in_code) < kAgree * double(count.code))
    throw Error(
        {program.path},
        "is not the program of the trace: only " + share_text(count.in_code, count.code) +
            " code addresses inside it lie in its code",
        remedy);
  if (double(count.made) < kAgree * double(count.decoded))
    throw Error(
        {program.path},
        "is not the program of the trace: only " + share_text(count.made, count.decoded) +
            " accesses are made by the instruction that it has there",
        remedy);
}

// Throws base::Error when the program names none of the accesses.
void require_a_name(const program::GivenProgram& program, const Seen& seen) {
  if (seen.any_named)
    return;
  throw Error(
      {program.path},
      "names none of the first " + std::to_string(seen.records) + " accesses of the trace",
      "give the program that was traced; for a position-independent one its load address too: "
      "--elf " +
          program.path + "@0x555555554000 (under Valgrind @0x108000), or --maps");
}

// Returns a note that the program was checked by its instructions only.
std::string note_unproven(const program::GivenProgram& program, const Count& count) {
  std::string text = "the trace does not say which program ran; " + program.path +
                     " is believed: " + share_text(count.in_code, count.code) +
                     " code addresses inside it lie in its code";
  if (count.decoded > 0)
    text += ", " + share_text(count.made, count.decoded) + " accesses are made by its instructions";
  return text;
}

// A load address that a program may have, and how many code addresses of the trace fall into it there.
struct Place {
  std::string text;
  std::unique_ptr<program::AddressSpace> names;
  Count count;
};

}  // namespace

std::string with_load_address(const std::string& program, AccessSource& source) {
  if (program.find("@0x") != std::string::npos)
    return program;
  std::vector<Place> places;
  for (const char* base : {"", "@0x108000", "@0x555555554000"}) {
    places.push_back({program + base, std::make_unique<program::AddressSpace>(), {}});
    places.back().names->add_program(places.back().text);
  }
  for (auto batch = source.next(); !batch.empty(); batch = source.next()) {
    for (const AccessRecord& r : batch) {
      for (Place& place : places) {
        uint64_t linked = 0;
        const program::Symbols* const symbols = place.names->program_at(r.process, r.pc, linked);
        place.count.code += symbols != nullptr;
        place.count.in_code += symbols != nullptr && symbols->is_code(linked);
      }
    }
    const bool enough = std::ranges::any_of(places, [](const Place& place) {
      return place.count.code > kEnough;
    });
    if (enough)
      break;
  }
  // Takes the load address at which most code addresses fall into executable sections. At a wrong one, a part
  // of a large program lies outside.
  const auto agreement = [](const Place& place) {
    const bool agrees = double(place.count.in_code) >= kAgree * double(place.count.code);
    return agrees ? place.count.in_code : 0;
  };
  return std::ranges::max_element(places, {}, agreement)->text;
}

std::vector<std::string> check_programs(const program::TraceFacts& facts, AccessSource& source) {
  Seen seen = count_agreements(facts.names, source);
  std::vector<std::string> notes;
  for (const program::GivenProgram& program : facts.names.programs()) {
    if (is_recorded(facts, program))
      continue;
    refuse_another_build(program);
    require_a_name(program, seen);
    const Count& count = seen.counts[program.symbols];
    require_agreement(program, count);
    if (!program.mapped)
      notes.push_back(note_unproven(program, count));
  }
  return notes;
}

}  // namespace lento::memory
