// Finds the system that a name or path means, and describes the machine that a design point generates.
#include "predict/system.h"

#include <cmath>

#include "base/file.h"
#include "base/units.h"
#include "predict/crossflow/language_model.h"
#include "predict/crossflow/machine.h"
#include "predict/search/data_sheet.h"

namespace lento::predict {
namespace {

using base::Dimension;
using base::format_number;
using base::format_quantity;
using finding::TableFigure;

// Returns the memory levels of a designed machine as a table.
TableFigure memory_table(const Machine& m) {
  TableFigure t{{"level", "units", "capacity", "bandwidth", "for one of its users"}, {}};
  const char* names[] = {"registers", "L1", "L2", "DRAM"};
  for (size_t i = 0; i < 4; ++i) {
    const MemoryLevel& level = m.memory[i];
    t.rows.push_back(
        {names[i],
         std::to_string(level.units),
         format_quantity(level.bytes, Dimension::Bytes),
         format_quantity(level.bytes_per_s, Dimension::BytesPerTime),
         format_quantity(level.bytes_per_scope, Dimension::Bytes)});
  }
  return t;
}

// Returns supply voltage and clock frequency of each part as a table.
TableFigure voltage_table(const Machine& m) {
  TableFigure t{{"part", "count", "voltage (V)", "frequency"}, {}};
  const auto row = [&t](const char* name, int count, const OperatingPoint& p) {
    t.rows.push_back(
        {name,
         std::to_string(count),
         format_number(p.voltage, 4),
         format_quantity(p.frequency, Dimension::Frequency)});
  };
  row("arithmetic units", m.mcus, m.core);
  row("links to DRAM", m.dram_links, m.dram);
  row("links inside the package", m.intra.count, m.intra.point);
  row("links outside", m.inter.count, m.inter.point);
  return t;
}

// Returns the time of each part of an iteration, in seconds, as bars.
finding::BarsFigure part_bars(const LanguageModelTime& time) {
  finding::BarsFigure bars;
  bars.y_name = "seconds";
  bars.series = {"one instance"};
  bars.values.resize(1);
  for (const auto& [name, seconds] : time.parts) {
    if (!std::isfinite(seconds))
      continue;
    bars.categories.push_back(name);
    bars.values[0].push_back(seconds);
  }
  return bars;
}

}  // namespace

bool is_design(const std::string& path) {
  if (find_shipped(path) || path.find_first_of("./") == std::string::npos)
    return false;
  const std::string text = base::read_file(path, uint64_t{16} << 20);
  return text.starts_with("tech_param:") || text.find("\ntech_param:") != std::string::npos;
}

System system_of(const std::string& name_or_path) {
  if (name_or_path.empty())
    throw base::Error({}, "no system is named", "give --system h100, or a data sheet");
  if (!is_design(name_or_path))
    return read_system(name_or_path);
  const auto sheet = data_sheet(read_crossflow(name_or_path));
  if (!sheet)
    throw base::Error(
        {name_or_path},
        "the budgets leave a component without area or power",
        "'lento predict --system " + name_or_path + "' lists what each component gets");
  return *sheet;
}

finding::Diagnosis explain_design(const std::string& path) {
  const CrossFlowConfig config = read_crossflow(path);
  const Machine m = generate(config, BelowMargin::FewerUnits);
  const std::string why = impossible(config);
  finding::Diagnosis d;
  d.scale = "predict";
  d.inputs = {{"design", path, base::digest(base::read_file(path))}};
  d.title = "The machine of a design point, and its language model";
  d.facts = {
      {"compute", format_quantity(m.raw_flops, Dimension::Rate)},
      {"network", format_quantity(m.inter.bytes_per_s, Dimension::BytesPerTime)}};
  d.figures = {
      {"Memories", "What area and power give each level.", memory_table(m)},
      {"Operating points", "Voltages that the power budgets allow.", voltage_table(m)}};
  if (!why.empty() || m.flops <= 0 || m.memory[3].bytes <= 0) {
    d.verdict = "The language model cannot run: " + (why.empty() ? "a component got nothing." : why + ".");
    return d;
  }
  const LanguageModelTime t = language_model_time(m, config, ElementTraffic::Dram);
  d.verdict = "One iteration takes " + format_quantity(t.seconds, Dimension::Time) + ".";
  d.facts.emplace_back("iteration", format_quantity(t.seconds, Dimension::Time));
  d.facts.emplace_back("memory needed", format_quantity(t.memory_bytes, Dimension::Bytes));
  d.facts.emplace_back("parameters", format_number(t.parameters, 4));
  d.expectations = {
      {"training iteration",
       "time",
       t.seconds,
       "s",
       0.16,
       "CrossFlow's model of LSTM training; error on one V100 as published"}};
  d.figures.push_back({"Kernels", "Seconds of one instance of each.", part_bars(t)});
  return d;
}

}  // namespace lento::predict
