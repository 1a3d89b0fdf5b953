// Turns a Detection into the findings, facts and figures of a diagnosis.
#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "chip/detect/alike.h"
#include "chip/detect/detect.h"
#include "chip/detect/evidence.h"
#include "chip/map/identify.h"
#include "chip/sketch/level.h"

namespace lento::chip {
namespace {

using base::format_number;

std::string kind_of(Part part) {
  switch (part) {
    case Part::Core:
      return "slow core";
    case Part::Link:
      return "slow link";
    case Part::Router:
      return "slow router";
    case Part::MemoryUnit:
      return "slow memory unit";
    case Part::DramPort:
      return "slow DRAM port";
  }
  return {};
}

std::string advice(const Suspect& s, const std::string& name) {
  switch (s.component.part) {
    case Part::Core:
      return "Check clock and temperature of " + name + "; until then map its layers to other cores.";
    case Part::Link:
      return "Route around " + name + " or place its talkers elsewhere; check both of its ends for retries.";
    case Part::Router:
      return "Keep traffic off " + name + ": place communicating layers on other rows and columns.";
    case Part::MemoryUnit:
      return "Give the core of " + name + " less to read and write, or leave it idle; check its scratchpad.";
    case Part::DramPort:
      return "Check the DRAM channel behind " + name +
             " (temperature, refresh); move its rows' reads elsewhere.";
  }
  return {};
}

finding::Finding finding_of(const Suspect& s, const Grid& grid, const spec::Chip& chip) {
  finding::Finding f;
  f.subject = s.alike.size() > 1 ? name_of(s.alike, grid) : name_of(s.component, grid);
  f.category = kind_of(s.component.part);
  f.score = s.score;
  f.factor = s.factor;
  f.when = {double(s.begin) / chip.clock_hz, double(s.end) / chip.clock_hz, "s"};
  f.summary = f.subject + " was about " + format_factor(s.factor) + " times slower than it should be for " +
              base::format_quantity(double(s.end - s.begin) / chip.clock_hz, base::Dimension::Time) + ".";
  f.evidence = s.evidence;
  if (s.alike.size() > 1)
    f.evidence.push_back(
        {"components that the same transfers passed in that time: one of them is slow",
         double(s.alike.size()),
         "",
         "sketch, time bins"});
  f.evidence.push_back({"records through it in that time", double(s.seen), "", "sketch"});
  if (s.component.part != Part::Core)
    f.evidence.push_back(
        {"waiting that it added to the transfers through it, summed over them",
         s.lost_cycles,
         "cycles",
         "sketch, time bins"});
  f.next_step = advice(s, f.subject);
  return f;
}

// Returns the name of the other end of a transfer: a core, or the DRAM port when no core is at its place.
std::string peer_name(const Grid& grid, const Pattern& p) {
  if (p.kind == chip::ProbeKind::Message)
    return grid.core_name(p.subject);
  const int core = grid.core(grid.port_position(p.subject));
  return core >= 0 ? grid.core_name(core) : grid.port_name(p.subject);
}

void add_routes(finding::MeshFigure& mesh, const Suspect& s, const Grid& grid) {
  for (size_t i = 0; i < s.patterns.size(); ++i) {
    const Pattern& p = s.patterns[i];
    const std::vector<Grid::Hop> hops = route_of(grid, p, s.cores[i]);
    if (hops.empty())
      continue;
    const std::string here = grid.core_name(s.cores[i]);
    const std::string there = peer_name(grid, p);
    finding::MeshFigure::Route route;
    route.label = p.kind == chip::ProbeKind::Write ? here + " to " + there : there + " to " + here;
    const auto add = [&](int router) {
      const Position at = grid.router_position(router);
      route.hops.emplace_back(at.x, at.y);
    };
    add(grid.link(hops.front().link).from);
    for (const Grid::Hop& hop : hops)
      add(grid.link(hop.link).to);
    if (route.hops.size() > 1)
      mesh.routes.push_back(std::move(route));
  }
}

// Returns how many times as long as at the nominal rate the operations of each core took (geometric mean).
// NaN for a core without recorded operations.
std::vector<finding::MeshFigure::Core>
core_values(const Sketch& sketch, const spec::Chip& chip, const Grid& grid) {
  std::vector<finding::MeshFigure::Core> out;
  const double nominal = compute_level(chip.core.ops_per_cycle);
  for (int core = 0; core < grid.core_count(); ++core) {
    double sum = 0;
    double weight = 0;
    if (size_t(core) < sketch.cores().size()) {
      for (const CoreSketch::Entry& kept : sketch.cores()[size_t(core)].entries()) {
        if (kept.bins != nullptr)
          continue;
        sum += (kept.entry->mean - nominal) / kLevelsPerOctave * kept.entry->count;
        weight += kept.entry->count;
      }
    }
    const Position p = grid.position(core);
    const double value = weight > 0 ? std::exp2(sum / weight) : std::nan("");
    out.push_back({p.x, p.y, value, grid.core_name(core)});
  }
  return out;
}

// Returns the chip as a picture. A link has the factor of the reported component that slows it, 1 when there
// is none, and NaN when the mapping sends nothing across it.
finding::Figure mesh_figure(
    const Detection& detection,
    const Identifiability& planned,
    std::vector<finding::MeshFigure::Core> cores,
    const Grid& grid) {
  finding::MeshFigure mesh;
  mesh.width = grid.width();
  mesh.height = grid.height();
  mesh.value_name = "times slower than nominal";
  mesh.cores = std::move(cores);
  for (int id = 0; id < grid.link_count(); ++id) {
    const Grid::Link& link = grid.link(id);
    const int back = grid.find_link(link.to, link.from);
    if (link.wraps || (back >= 0 && back < id))
      continue;
    const uint64_t crossed =
        planned.transfers[size_t(id)] + (back >= 0 ? planned.transfers[size_t(back)] : 0);
    double value = crossed > 0 ? 1 : std::nan("");
    for (const Suspect& s : detection.reported)
      if (s.component == link_component(grid, id) ||
          (s.component.part == Part::Router &&
           (s.component.index == link.from || s.component.index == link.to)))
        value = std::isnan(value) ? s.factor : std::max(value, s.factor);
    const Position a = grid.router_position(link.from);
    const Position b = grid.router_position(link.to);
    mesh.links.push_back({a.x, a.y, b.x, b.y, value});
  }
  for (const Suspect& s : detection.reported) {
    mesh.blamed.push_back(name_of(s.component, grid));
    add_routes(mesh, s, grid);
  }
  return {
      "Where it was slow",
      "Cores by service time, links by what was found; blamed components outlined, with the routes that show "
      "it. Grey: not seen.",
      mesh};
}

finding::Figure timeline(const Detection& detection, const spec::Chip& chip, const Grid& grid) {
  finding::TimelineFigure figure;
  figure.x_name = "s";
  for (size_t i = 0; i < detection.ranked.size(); ++i) {
    const Suspect& s = detection.ranked[i];
    figure.spans.push_back(
        {name_of(s.component, grid),
         double(s.begin) / chip.clock_hz,
         double(s.end) / chip.clock_hz,
         format_factor(s.factor) + "x",
         i < detection.reported.size()});
  }
  return {"When it was slow", "The best interval of every ranked component; reported ones marked.", figure};
}

finding::Figure ranking(const Detection& detection, const Grid& grid) {
  finding::TableFigure table;
  table.columns = {"component", "reported", "score", "times slower", "log-likelihood ratio"};
  for (size_t i = 0; i < detection.ranked.size(); ++i) {
    const Suspect& s = detection.ranked[i];
    table.rows.push_back(
        {name_of(s.component, grid),
         i < detection.reported.size() ? "yes" : "no",
         format_factor(s.score),
         format_factor(s.factor),
         format_number(s.strength, 4)});
  }
  return {"Ranked list", "What was reported, then what came next.", table};
}

// Returns the directed links that enough transfers cross, but of whose transfers the sketch holds too few: a
// recorder that is too small for all patterns drops those that occurred once.
std::vector<std::string> barely_recorded(
    const Sketch& sketch,
    const Identifiability& planned,
    const spec::Chip& chip,
    const Grid& grid) {
  const Cells cells = cells_of(sketch, grid);
  const std::vector<Path> paths = paths_of(cells, chip, grid);
  std::vector<uint64_t> recorded(planned.transfers.size());
  for (size_t r = 0; r < paths.size(); ++r)
    for (const int link : paths[r].links())
      recorded[size_t(link)] += cells.rows[r].count;
  std::vector<std::string> out;
  for (size_t l = 0; l < recorded.size(); ++l)
    if (planned.transfers[l] >= kFewTransfers &&
        recorded[l] < kFewTransfers * std::max<uint64_t>(sketch.inferences(), 1))
      out.push_back(grid.link_name(int(l)));
  return out;
}

}  // namespace

finding::Diagnosis
diagnose(const Detection& detection, const Sketch& sketch, const spec::Chip& chip, const Program& program) {
  const Grid grid(chip);
  finding::Diagnosis d;
  d.scale = "chip";
  d.title = program.name + " on " + chip.name;
  for (const Suspect& s : detection.reported)
    d.findings.push_back(finding_of(s, grid, chip));
  finding::sort_findings(d.findings);
  if (d.findings.empty()) {
    d.verdict = "No fail-slow seen.";
  } else {
    d.verdict = d.findings.front().summary;
    if (d.findings.size() > 1)
      d.verdict += " " + std::to_string(d.findings.size() - 1) + " more found.";
  }
  const auto cycles = double(detection.run_cycles);
  const std::string covered = std::to_string(sketch.records()) + " records of " +
                              std::to_string(sketch.cores().size()) + " cores over " +
                              base::format_quantity(cycles / chip.clock_hz, base::Dimension::Time);
  finding::judged(d, covered);
  if (!detection.unjudged.empty())
    finding::cannot_judge(
        d,
        detection.unjudged,
        !detection.would_help.empty()
            ? detection.would_help
            : "give a healthy run of this chip (--healthy) or a chip file that is nearer to it",
        covered);
  if (sketch.records() == 0)
    finding::cannot_judge(d, "the recorder holds nothing", "record a run with probes on", covered);
  d.facts.emplace_back("recorded time", base::format_quantity(cycles / chip.clock_hz, base::Dimension::Time));
  d.facts.emplace_back("records seen by the recorder", std::to_string(sketch.records()));
  d.facts.emplace_back("recorder memory, all cores", std::to_string(sketch.bytes()) + " B");
  const uint64_t plain_bytes = sketch.records() * sizeof(ProbeRecord);
  d.facts.emplace_back(
      "compression against 40-byte records",
      format_number(double(plain_bytes) / std::max(1.0, double(sketch.bytes()))) + "x");
  if (sketch.evictions() > 0)
    d.facts.emplace_back("patterns evicted", std::to_string(sketch.evictions()));
  const Identifiability planned = identify(program, grid, LinkRank::Skip);
  d.figures.push_back(mesh_figure(detection, planned, core_values(sketch, chip, grid), grid));
  d.figures.push_back(timeline(detection, chip, grid));
  d.figures.push_back(ranking(detection, grid));
  d.notes = detection.notes;
  for (std::string& note : blind_spots(planned, grid))
    d.notes.push_back(std::move(note));
  if (const auto links = barely_recorded(sketch, planned, chip, grid); !links.empty() && sketch.records() > 0)
    d.notes.push_back(insufficient_evidence(
        "a fault may stay unseen, fewer than " + std::to_string(kFewTransfers) +
            " transfers an inference across these directed links are held (a larger budget holds more)",
        links));
  return d;
}

}  // namespace lento::chip
