// The plan of which records are written, and their cost: the paper's five-tuple (where, what, when, level,
// structure; SLOTH, section III-B), written by hand or generated. YAML `lento.probes/1`
// (docs/formats/probes.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/map/mapping.h"
#include "spec/chip.h"

namespace lento::chip {

// One probe: the paper's five-tuple as fragment (where), type (what), place (when), level and structure.
struct Probe {
  enum class Fragment : uint8_t {
    Execution,
    Route,
    Memory
  } fragment = Fragment::Execution;
  enum class Type : uint8_t {
    Compute,
    Communication,
    InputOutput
  } type = Type::Compute;
  enum class Place : uint8_t {
    Before,
    After,
    Around
  } place = Place::Around;
  enum class Level : uint8_t {
    Instruction
  } level = Level::Instruction;
  enum class Structure : uint8_t {
    List,
    Sketch
  } structure = Structure::Sketch;
  std::vector<int> layers;  // layer ids; empty: all
};

struct ProbePlan {
  std::vector<Probe> probes;

  bool covers(Probe::Type type, int layer) const;  // writes records of this type for this layer
};

// Returns a plan by its name on the command line: "full" (compute, messages, memory), "communication",
// "compute", "none".
ProbePlan named_plan(const std::string& name);
inline const std::vector<std::string> kPlanNames{"full", "communication", "compute", "none"};

// Generates compute probes for every layer with operations, message probes where the mapping sends between
// cores, and memory probes where it uses DRAM, so that every probe can fire.
ProbePlan generate_plan(const Mapping& mapping);

ProbePlan read_plan(const std::string& path);
ProbePlan parse_plan(const std::string& text, const std::string& file);
std::string write_plan(const ProbePlan& plan);

// Returns the cycles that one record takes on its core: the clock reads at its place (one before or after,
// two around), its bytes at scratchpad width, and the insertion when it goes to a sketch.
uint32_t record_cost(const Probe& probe, const spec::Chip& chip);

// Returns by record kind (ProbeKind as a number) and layer index the cost in cycles, or -1 where no record is
// written.
std::vector<int32_t>
cost_table(const ProbePlan& plan, const std::vector<int>& layer_ids, const spec::Chip& chip);

}  // namespace lento::chip
