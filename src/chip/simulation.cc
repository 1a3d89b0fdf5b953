// Runs the simulator with the requested outputs (records, sketch, Chrome trace), and reports times,
// utilisation, faults and blind spots of the mapping.
#include "chip/simulation.h"

#include <algorithm>

#include "base/file.h"
#include "base/units.h"
#include "chip/chip_file.h"
#include "chip/map/file/map_file.h"
#include "chip/read/probe_file.h"
#include "chip/sim/chrome_trace.h"
#include "chip/sim/released.h"
#include "chip/sim/simulate.h"
#include "finding/inputs.h"

namespace lento::chip {
namespace {

using base::format_number;
using base::percent;
using finding::Diagnosis;

std::string cycles_text(double cycles, double clock_hz) {
  return format_number(cycles, 12) + " cycles (" +
         base::format_quantity(cycles / clock_hz, base::Dimension::Time) + ")";
}

// Returns the share of time in which each core and link was busy.
finding::Figure mesh_figure(const Model& model, const Result& result) {
  finding::MeshFigure mesh;
  mesh.width = model.grid.width();
  mesh.height = model.grid.height();
  mesh.value_name = "share of time busy, %";
  const double total = std::max<double>(1, double(result.cycles));
  for (int core = 0; core < model.grid.core_count(); ++core) {
    const Position p = model.grid.position(core);
    mesh.cores.push_back(
        {p.x, p.y, 100 * double(result.core_busy[core]) / total, model.grid.core_name(core)});
  }
  for (int id = 0; id < model.grid.link_count(); ++id) {
    const Grid::Link& link = model.grid.link(id);
    if (link.wraps)
      continue;
    const Position a = model.grid.router_position(link.from);
    const Position b = model.grid.router_position(link.to);
    mesh.links.push_back({a.x, a.y, b.x, b.y, 100 * double(result.links[id].busy) / total});
  }
  return {
      "Utilisation of cores and links",
      "How long each compute unit and each directed link was busy.",
      mesh};
}

// Returns a table of the begin, the end and the compute cycles of each layer.
finding::Figure layer_table(const Model& model, const Result& result) {
  finding::TableFigure table;
  table.columns =
      {"layer", "name", "segment", "first start", "last end", "latency, cycles", "compute, cycles"};
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const Program::Layer& layer = model.program.layers[i];
    const Result::LayerTime& time = result.layers[i];
    if (time.end == 0)
      continue;
    table.rows.push_back(
        {std::to_string(layer.id),
         layer.name,
         std::to_string(layer.segment),
         std::to_string(time.begin),
         std::to_string(time.end),
         std::to_string(time.end - time.begin),
         std::to_string(time.busy)});
  }
  return {"Layers", "From a layer's first operation or transfer to its last, over the whole run.", table};
}

// Returns the use of the busiest links and ports.
finding::Figure link_table(const Model& model, const Result& result) {
  finding::TableFigure table;
  table.columns = {"component", "busy", "bytes"};
  const double total = std::max<double>(1, double(result.cycles));
  const auto row = [&](const std::string& name, const Result::Use& use, double servers) {
    table.rows.push_back({name, percent(double(use.busy) / total / servers), std::to_string(use.bytes)});
  };
  for (int id = 0; id < model.grid.link_count(); ++id)
    row(model.grid.link_name(id), result.links[id], 1);
  for (int id = 0; id < model.grid.port_count(); ++id)
    row(model.grid.port_name(id), result.ports[id], 1);
  for (int id = 0; id < model.grid.core_count(); ++id) {
    row(model.grid.memory_unit_name(id), result.memory_units[id], model.chip.memory_unit.slots);
  }
  return {
      "Links, DRAM ports and memory units",
      "Share of the run in which each was busy, and what passed it.",
      table};
}

// Returns the results of a run: time, utilisation, records and the cost of recording.
Diagnosis metrics(const Model& model, const Result& result) {
  Diagnosis d;
  d.scale = "chip";
  d.title = "Simulated run of " + model.program.name + " on " + model.chip.name;
  const double total = double(result.cycles);
  d.verdict = "The run took " + cycles_text(total, model.chip.clock_hz) + ".";
  const auto inferences = double(result.inference_end.size());
  double busy = 0;
  double link_busy = 0;
  double probe = 0;
  for (const uint64_t b : result.core_busy)
    busy += double(b);
  for (const uint64_t p : result.probe_cycles)
    probe += double(p);
  for (const Result::Use& use : result.links)
    link_busy = std::max(link_busy, double(use.busy));
  d.facts.emplace_back("total time", cycles_text(total, model.chip.clock_hz));
  d.facts.emplace_back("time of one inference", cycles_text(total / inferences, model.chip.clock_hz));
  const double cores = model.grid.core_count();
  d.facts.emplace_back("compute units busy, mean", percent(busy / std::max(1.0, total * cores)));
  d.facts.emplace_back("busiest link", percent(link_busy / std::max(1.0, total)));
  d.facts.emplace_back("spent on probes, mean per core", percent(probe / std::max(1.0, total * cores)));
  d.facts.emplace_back("records", std::to_string(result.records));
  if (result.dropped > 0)
    d.facts.emplace_back("records dropped", std::to_string(result.dropped));
  d.figures = {mesh_figure(model, result), layer_table(model, result), link_table(model, result)};
  return d;
}

// Returns the plan of what is recorded: generated, one of the named plans, or a file.
ProbePlan plan_of(const std::string& text, const Mapping& mapping) {
  if (text == "generated")
    return generate_plan(mapping);
  const auto& names = kPlanNames;
  if (std::ranges::find(names, text) != names.end())
    return named_plan(text);
  return read_plan(text);
}

void add_fault_facts(
    Diagnosis& d,
    const Model& model,
    const std::vector<Fault>& faults,
    const Result& result) {
  for (size_t i = 0; i < faults.size(); ++i) {
    const Fault& fault = faults[i];
    std::string when = "from cycle " + std::to_string(fault.begin) + " on";
    if (fault.end < result.cycles)
      when = "from cycle " + std::to_string(fault.begin) + " to " +
             cycles_text(double(fault.end), model.chip.clock_hz);
    d.facts.emplace_back(
        "slowed down",
        fault.name + " x" + base::format_number(fault.factor, 3) + " " + when);
    d.facts.emplace_back(
        "events inside the fault of " + faults[i].name,
        std::to_string(result.fault_hits[i]));
  }
}

// Passes each record to all requested outputs.
class Sinks {
 public:
  Sinks(const ChipSimulationOptions& o, const Mapping& mapping, const ChipFile& file) {
    const spec::Chip& chip = file.twin.chip;
    if (!o.records.empty()) {
      ProbeHeader header{chip.name, mapping.name, uint32_t(chip.core_count()), o.inferences, chip.clock_hz};
      if (chip.interconnect) {
        header.chips = uint32_t(chip.interconnect->chips);
        header.ports = uint32_t(chip.interconnect->count(spec::TileKind::Dram));
        header.clocks_hz = file.clocks_hz;
      }
      records_.emplace(o.records, header, o.form);
    }
    if (!o.chrome_trace.empty())
      trace_.emplace(o.chrome_trace, mapping, chip);
    if (records_ && trace_)
      both_.emplace(*records_, *trace_);
  }
  // Returns the sink for the records, or null when no output was requested.
  RecordSink* sink() {
    if (both_)
      return &*both_;
    if (records_)
      return &*records_;
    if (trace_)
      return &*trace_;
    return nullptr;
  }
  void commit() {
    if (records_)
      records_->commit();
    if (trace_)
      trace_->commit();
  }

 private:
  std::optional<ProbeWriter> records_;
  std::optional<ChromeTrace> trace_;
  std::optional<Tee> both_;
};

struct Job {
  ChipFile file;
  Mapping mapping;
  std::vector<Fault> faults;
};

// Runs the simulation. Returns nothing when the user interrupted it, and then leaves no partial file.
std::optional<Diagnosis>
run_full(const ChipSimulationOptions& o, const Job& job, const base::Progress& progress, RecordSink* sink) {
  const spec::Chip& chip = job.file.twin.chip;
  const Program program = expand(job.mapping, chip, o.mapping);
  const Model model(chip, program, job.file.twin.own);
  Options options;
  options.inferences = o.inferences;
  options.seed = o.seed;
  options.probes = plan_of(o.probes, job.mapping);
  options.stop = [&progress] {
    return progress.stopped();
  };
  const Result result = simulate(model, job.faults, options, sink);
  if (!result.finished)
    return std::nullopt;
  require_reached(job.faults, result.cycles, o.faults);
  Diagnosis d = metrics(model, result);
  add_fault_facts(d, model, job.faults, result);
  d.options = {{"inferences", std::to_string(o.inferences)}, {"probes", o.probes}};
  return d;
}

// Runs the model of the paper's released tool, for comparison.
Diagnosis run_released(const ChipSimulationOptions& o, const Job& job, RecordSink* sink) {
  const spec::Chip& chip = job.file.twin.chip;
  if (job.file.twin.own != Deviations{})
    throw base::Error(
        {o.chip},
        "the released model knows equal cores and one clock only",
        "leave --preset out");
  const ReleasedProgram program = expand_released(job.mapping, chip, o.mapping);
  const ReleasedResult result = simulate_released(chip, program, job.faults, {o.inferences, o.seed}, sink);
  require_reached(job.faults, result.cycles, o.faults);
  using Kind = ReleasedProgram::Kind;
  Diagnosis d;
  d.scale = "chip";
  d.title = "Simulated run of " + job.mapping.name + " on " + chip.name + ", released model";
  const auto total = double(result.cycles);
  d.verdict = "The run took " + cycles_text(total, chip.clock_hz) + ".";
  d.facts = {{"total time", cycles_text(total, chip.clock_hz)}, {"records", std::to_string(result.records)}};
  for (const auto& [name, kind] :
       {std::pair{"reads", Kind::Read},
        {"sends", Kind::Send},
        {"receives", Kind::Receive},
        {"computes", Kind::Compute},
        {"writes", Kind::Write}}) {
    d.facts.emplace_back(name, std::to_string(program.count(kind)));
  }
  if (result.unfinished > 0) {
    d.notes.push_back(
        std::to_string(result.unfinished) +
        " instructions never started: their window waits for itself, as it does in the released simulator");
  }
  d.options = {{"inferences", std::to_string(o.inferences)}, {"preset", "released"}};
  return d;
}

Job read_job(const ChipSimulationOptions& o) {
  Job job{read_chip_file(o.chip), read_map(o.mapping), {}};
  if (o.faults.empty())
    return job;
  job.faults = read_faults(o.faults, job.file.twin.chip);
  require_present(job.faults, o.faults);
  return job;
}

// Returns a note when all cores of the mapping lie in one corner of the chip, which suggests that the
// mapping was made for a smaller chip.
std::string of_smaller_chip(const Job& job) {
  int width = 0;
  int height = 0;
  for (const MappedLayer& layer : job.mapping.layers) {
    for (const OutputFeature& output : layer.outputs) {
      for (const Block& block : output.blocks) {
        for (const Position& core : block.cores) {
          width = std::max(width, core.x + 1);
          height = std::max(height, core.y + 1);
        }
      }
    }
  }
  const spec::Chip& chip = job.file.twin.chip;
  if (2 * width > chip.width || 2 * height > chip.height)
    return {};
  return "the mapping uses " + std::to_string(width) + "x" + std::to_string(height) + " of " +
         std::to_string(chip.width) + "x" + std::to_string(chip.height) +
         " cores: it may be that of a smaller chip";
}

// Returns the sections of a chip in YAML, version 1, that the file leaves to their defaults.
std::vector<std::string> sections_left_out(const std::string& path) {
  const std::string text = base::read_file(path, 16 << 20);
  std::vector<std::string> left_out;
  if (text.find("lento.chip/1") == std::string::npos)
    return left_out;
  for (const char* section : {"core", "network"}) {
    if (text.find("\n" + std::string(section) + ":") == std::string::npos)
      left_out.emplace_back(section);
  }
  return left_out;
}

}  // namespace

std::optional<Diagnosis> simulate_chip(const ChipSimulationOptions& o, const base::Progress& progress) {
  const Job job = read_job(o);
  Sinks sinks(o, job.mapping, job.file);
  std::optional<Diagnosis> d =
      o.released ? run_released(o, job, sinks.sink()) : run_full(o, job, progress, sinks.sink());
  if (!d)
    return d;
  sinks.commit();
  if (std::string remark = of_smaller_chip(job); !remark.empty())
    d->notes.push_back(std::move(remark));
  for (const std::string& section : sections_left_out(o.chip))
    d->notes.push_back(o.chip + " has no '" + section + "': its defaults are assumed");
  d->seed = o.seed;
  d->inputs = {finding::input_of("chip", o.chip), finding::input_of("mapping", o.mapping)};
  if (!o.faults.empty())
    d->inputs.push_back(finding::input_of("faults", o.faults));
  return d;
}

}  // namespace lento::chip
