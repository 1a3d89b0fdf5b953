// lento-lab fabric times and fabric plants: compares simulated with measured times, and judges planted slow
// components.
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "base/file.h"
#include "base/scan/csv.h"
#include "base/units.h"
#include "chip/fabric/play.h"
#include "chip/read/transfer_file.h"
#include "evidence/share.h"
#include "lab/cli/commands.h"
#include "lab/fabric/fit.h"
#include "lab/fabric/plant.h"

namespace lento::lab {
namespace {

using base::format_number;

struct FabricArguments {
  std::vector<std::string> files;
  std::string chip = "wormhole";
  std::string csv;
  bool refit = false;
  bool server = false;
  chip::PlantPlan plan;
};

std::string short_name(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  name = name.substr(0, name.find(".json"));
  const size_t at = name.rfind("__");
  if (at == std::string::npos)
    return name;
  return name.substr(at + 2);
}

std::vector<chip::NamedTrace> read_all(const FabricArguments& args, bool strict) {
  base::ReadReport report;
  report.strict = strict;
  std::vector<chip::NamedTrace> out;
  for (const std::string& file : args.files) {
    chip::NamedTrace each;
    each.name = short_name(file);
    each.family = chip::family_of(each.name);
    each.trace = chip::read_transfers(file, {}, report);
    each.measured = chip::measured_cycles(each.trace);
    if (each.measured > 0)
      out.push_back(std::move(each));
  }
  return out;
}

void times(const FabricArguments& args, Context& context) {
  const std::vector<chip::NamedTrace> traces = read_all(args, context.strict);
  const chip::FabricFit fit = chip::fit_fabric(spec::read_fabric(args.chip), traces, args.refit);
  std::string csv = "trace,family,measured,predicted,held_out,with_issue_times\n";
  double plain = 0;
  double held = 0;
  double stamped = 0;
  for (const chip::TimeError& e : fit.errors) {
    csv += base::csv_line(
               {e.name,
                e.family,
                format_number(e.measured, 12),
                format_number(e.predicted, 12),
                format_number(e.held_out, 12),
                format_number(e.with_stamps, 12)}) +
           "\n";
    plain += std::abs(e.predicted / e.measured - 1);
    held += std::abs(e.held_out / e.measured - 1);
    stamped += std::abs(e.with_stamps / e.measured - 1);
  }
  if (!args.csv.empty())
    base::write_file(args.csv, csv);
  const double n = double(std::max<size_t>(1, fit.errors.size()));
  const auto percent = [](double share) {
    return format_number(100 * share, 3) + " %";
  };
  finding::Diagnosis d;
  d.scale = "chip";
  d.title = "Played against measured time";
  d.verdict = std::to_string(traces.size()) + " traces, mean error " + percent(plain / n) + ".";
  d.facts = {
      {"mean error, sheet as shipped", percent(plain / n)},
      {"mean error, issue times given", percent(stamped / n)}};
  if (args.refit) {
    d.facts.emplace_back("mean error, held-out half", percent(held / n));
    d.facts.emplace_back(
        "fitted on the first half",
        percent(fit.fitted[0]) + ", held out " + percent(fit.held_out[0]));
    d.facts.emplace_back(
        "fitted on the second half",
        percent(fit.fitted[1]) + ", held out " + percent(fit.held_out[1]));
  }
  context.show(std::move(d));
}

std::string plant_line(const chip::PlantCase& c) {
  const bool looked_at = c.counted || c.kind == "none";
  std::string members;
  for (const std::string& m : c.planted)
    members += (members.empty() ? "" : " ") + m;
  return base::csv_line(
             {c.file,
              c.kind,
              members,
              format_number(c.factor),
              std::to_string(c.moved),
              std::to_string(c.beyond),
              !looked_at ? ""
              : c.judged ? "yes"
                         : "no",
              c.counted ? "yes" : "no",
              c.accused ? c.blamed : "",
              c.blamed,
              format_number(c.blamed_factor),
              format_number(c.evidence, 5),
              format_number(c.runner_up, 5),
              format_number(c.spread),
              c.exact   ? "yes"
              : c.same  ? "same"
              : c.among ? "among"
                        : "no"}) +
         "\n";
}

struct Tally {
  uint64_t planted = 0;
  uint64_t counted = 0;
  uint64_t exact = 0;
  uint64_t among = 0;
  uint64_t same = 0;
  uint64_t wrong = 0;
};

finding::Figure tally_table(const std::map<std::pair<std::string, double>, Tally>& tallies) {
  finding::TableFigure table;
  table.columns = {
      "kind",
      "factor",
      "planted",
      "counted",
      "exact class",
      "share",
      "95 %",
      "with others of the same records",
      "to the byte",
      "another blamed"};
  for (const auto& [key, t] : tallies) {
    const evidence::Interval range = evidence::wilson95(t.exact, t.counted);
    table.rows.push_back(
        {key.first,
         format_number(key.second),
         std::to_string(t.planted),
         std::to_string(t.counted),
         std::to_string(t.exact),
         t.counted ? format_number(100.0 * double(t.exact) / double(t.counted), 3) + " %" : "-",
         format_number(100 * range.low, 3) + "-" + format_number(100 * range.high, 3),
         std::to_string(t.among),
         std::to_string(t.same),
         std::to_string(t.wrong)});
  }
  return {"Plants", "Counted: at least eight waits moved beyond what equal waits differ by anyway.", table};
}

void plants(const FabricArguments& args, Context& context) {
  const std::vector<chip::NamedTrace> traces = read_all(args, context.strict);
  const chip::Fabric fabric(spec::read_fabric(args.chip));
  std::string csv =
      "trace,kind,planted,factor,waits_moved,waits_beyond,judged,counted,blamed,best,blamed_factor,evidence,"
      "runner_up,spread,exact\n";
  std::map<std::pair<std::string, double>, Tally> tallies;
  uint64_t judged = 0;
  uint64_t accused = 0;
  chip::PlantPlan plan = args.plan;
  plan.seed = context.seed;
  if (args.server)
    plan.model = chip::PlantModel::Server;
  for (const chip::NamedTrace& each : traces) {
    for (const chip::PlantCase& c : chip::plant_cases(fabric, each.name, each.trace, plan)) {
      csv += plant_line(c);
      if (c.kind == "none") {
        judged += c.judged;
        accused += c.accused;
        continue;
      }
      for (const std::string& kind : {c.kind, std::string("all")}) {
        Tally& t = tallies[{kind, c.factor}];
        ++t.planted;
        t.counted += c.counted;
        t.exact += c.counted && c.exact;
        t.among += c.counted && c.among;
        t.same += c.counted && c.same;
        t.wrong += c.counted && c.accused && !c.exact && !c.among;
      }
    }
  }
  if (!args.csv.empty())
    base::write_file(args.csv, csv);
  finding::Diagnosis d;
  d.scale = "chip";
  d.title = "Slow components planted into recorded traces";
  d.verdict = std::to_string(traces.size()) + " untouched traces: " + std::to_string(judged) + " judged, " +
              std::to_string(accused) + " accused.";
  d.figures = {tally_table(tallies)};
  d.seed = context.seed;
  context.show(std::move(d));
}

void add_shared(Command& command, FabricArguments& args, Context& context) {
  command.add_option("traces", args.files, "Recorded programs, one run each")->required()->type_name("FILE");
  command.add_option("--chip", args.chip, "Fabric: wormhole, blackhole, or a chip file")
      ->type_name("FILE")
      ->capture_default_str();
  command.add_option("--rows", args.csv, "One line a trace or case (CSV)")->type_name("FILE");
  context.add_output_options(command);
}

}  // namespace

void add_fabric_times(Command& group, Context& context) {
  Command* command = group.add_subcommand("times", "Played against measured time of recorded programs");
  auto args = std::make_shared<FabricArguments>();
  add_shared(*command, *args, context);
  command->add_flag(
      "--refit",
      args->refit,
      "Fit the constants on one half of the families, judge on the other");
  example(*command, "lento-lab fabric times examples/chip/noc_events.json");
  command->callback([&context, args] {
    times(*args, context);
  });
}

void add_fabric_plants(Command& group, Context& context) {
  Command* command = group.add_subcommand("plants", "Slow components planted into recorded programs");
  auto args = std::make_shared<FabricArguments>();
  add_shared(*command, *args, context);
  command->add_option("--per-kind", args->plan.per_kind, "Classes drawn a trace and kind (link, port, core)")
      ->check(range(1, 10000))
      ->capture_default_str();
  command
      ->add_option(
          "--time-error",
          args->plan.time_error,
          "Standard deviation of the logarithm by which each slow transfer misses factor times its modelled "
          "time")
      ->check(range(0.0, 1.0))
      ->capture_default_str();
  command->add_flag(
      "--server",
      args->server,
      "Plant slow servers, with all that waits behind them, in place of slow transfers");
  context.add_seed(*command);
  example(*command, "lento-lab fabric plants examples/chip/noc_events.json --per-kind 2");
  command->callback([&context, args] {
    plants(*args, context);
  });
}

}  // namespace lento::lab
