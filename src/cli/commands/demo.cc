// lento demo: finds one hidden fault with the commands for predictions, fleets, chips, memory and tiles, in
// the form that a user would type.
#include <filesystem>
#include <ostream>
#include <sstream>

#include "base/file.h"
#include "base/json.h"
#include "base/units.h"
#include "chip/map/file/map_file.h"
#include "cli/commands/commands.h"
#include "desk/demo_job.h"
#include "embedded/tour_files.h"
#include "fleet/simulation.h"
#include "predict/time/collective.h"
#include "predict/time/graph.h"
#include "report/report.h"

namespace lento::cli {
namespace {

using base::write_file;
using finding::Diagnosis;

struct DemoArguments {
  std::string folder = "lento-demo";
  std::string html;
};

using Words = std::vector<std::string>;

// The demo's folder, its inputs and its commands. Each command runs in this process exactly as it is shown.
class Tour {
 public:
  Tour(Context& context, const DemoArguments& options)
      : context_(context),
        folder_(options.folder) {
    std::filesystem::create_directories(folder_);
    for (const std::string_view name : embedded::tour_files_names())
      write_file(in(name), embedded::tour_files(name));
  }

  std::string in(std::string_view name) const {
    return folder_ + "/" + std::string(name);
  }

  void run(const Words& words) {
    output_of(words);
  }

  // Runs a command and returns its diagnosis, which is also written to the folder as NAME.json.
  Diagnosis diagnose(const std::string& name, Words words) {
    const std::string shown = command_line("lento", words);
    words.push_back("--json");
    const std::string text = output_of(words);
    Diagnosis d = finding::diagnosis_from_json(base::parse_json(text, shown), shown);
    d.command = shown;
    write_file(in(name + ".json"), report::write_json(d));
    return d;
  }

 private:
  // Runs a command of this program and returns what it prints.
  std::string output_of(const Words& words) {
    std::ostringstream out;
    std::ostringstream err;
    context_.streams.err << "== " << command_line("lento", words) << "\n" << std::flush;
    const int code = cli::run(context_.program, words, {out, err, false});
    if (code != 0)
      throw base::Error(
          {command_line("lento", words)},
          "the step ended with " + std::to_string(code) + "\n" + err.str());
    return out.str();
  }

  Context& context_;
  std::string folder_;
};

report::Chapter chapter(std::string title, std::string text, Words before, Diagnosis d) {
  before.push_back(d.command);
  return {std::move(title), std::move(text), std::move(before), std::move(d)};
}

// Returns the chapter of the demo that predicts the time of a step.
report::Chapter predict_chapter(Tour& tour) {
  Diagnosis d = tour.diagnose(
      "1-predict",
      {"predict",
       tour.in("googlenet.onnx"),
       "--train",
       "--batch",
       "64",
       "--precision",
       "int8",
       "--parallel",
       "dp=" + std::to_string(desk::DemoJob::kMachines),
       "--system",
       tour.in("accelerator.yaml")});
  return chapter(
      "How long should a step take?",
      "Every machine trains GoogLeNet on a batch of 64 on an accelerator of 16 cores; after each step "
      "all machines exchange gradients. The expectation comes from the network, the accelerator's data "
      "sheet and the link between machines, before anything has run.",
      {},
      std::move(d));
}

// Returns the chapter of the demo that finds the slow machine.
report::Chapter fleet_chapter(Tour& tour) {
  Diagnosis d = tour.diagnose(
      "2-fleet",
      {"fleet",
       "diagnose",
       "--csv",
       tour.in("job.csv.gz"),
       "--machine-column",
       "machine",
       "--time-column",
       "time",
       "--time-unit",
       "s",
       "--metric",
       "compute_time_s",
       "--metric",
       "wait_ratio",
       "--metric",
       "step_time_s",
       "--expect",
       tour.in("1-predict.json")});
  return chapter(
      "Which machine?",
      std::to_string(desk::DemoJob::kMachines) +
          " machines report how long they computed in each step. Since all wait for the slowest, the step "
          "itself is longer on every one of them; only the peers' comparison tells who is waited for.",
      {},
      std::move(d));
}

// Returns the chapter of the demo that finds the slow link on the chip.
report::Chapter chip_chapter(Tour& tour) {
  const std::string chip = tour.in("chip.yaml");
  const std::string map = tour.in("network.map.json");
  Diagnosis d = tour.diagnose(
      "3-chip",
      {"chip", "diagnose", tour.in("machine.probe"), "--chip", chip, "--mapping", map});
  return chapter(
      "Which part of its accelerator?",
      "The machine's accelerator keeps 8 KiB of sketch per core while it runs. From that sketch, the "
      "chip and the mapping alone, Lento names the component.",
      {},
      std::move(d));
}

// Returns the chapter of the demo that finds false sharing.
report::Chapter memory_chapter(Tour& tour) {
  const std::string elf = tour.in("false_sharing.elf");
  const std::string trace = tour.in("telemetry.access");
  const Words simulate{"memory", "simulate", elf, "--harts", "4", "--trace", trace};
  tour.run(simulate);
  Diagnosis d = tour.diagnose("4-memory", {"memory", "diagnose", trace, "--elf", elf});
  return chapter(
      "And its control processor?",
      "Four small processors on the same machine count what the accelerator does. Their program was "
      "written in a hurry; its memory accesses tell where it fights with itself.",
      {command_line("lento", simulate)},
      std::move(d));
}

// Returns the chapter of the demo in which a program on a tile fills the sketch of each core, a fixed-size
// summary of its records.
report::Chapter tile_chapter(Tour& tour) {
  Diagnosis d = tour.diagnose(
      "5-tile",
      {"chip",
       "diagnose",
       tour.in("machine.probe"),
       "--chip",
       tour.in("chip.yaml"),
       "--mapping",
       tour.in("network.map.json"),
       "--recorder",
       "tile"});
  return chapter(
      "Can hardware keep that sketch?",
      "The same records, sketched by a program in a programmable tile beside each core: the same verdict, "
      "with the cycles it took and what it had to drop.",
      {},
      std::move(d));
}

// Returns the time of an all-reduce of one byte per parameter over all machines.
double exchange_s(const Tour& tour) {
  base::ReadReport report;
  const predict::GraphRun run = predict::lower_graph(
      spec::read_onnx(tour.in("googlenet.onnx"), {}, report),
      64,
      predict::Precision::Int8);
  const predict::Collective all{
      predict::CollectiveOp::AllReduce,
      desk::DemoJob::kMachines,
      run.parameters,
      1};
  return predict::predict_collective(predict::read_system(tour.in("accelerator.yaml")), all).seconds;
}

// Writes the input files of the demo's commands: metrics of a simulated job and probe records of a simulated
// chip. Both contain one fault, a slow link in one machine.
void prepare(Tour& tour, desk::DemoJob& job) {
  job.steps.exchange_s = exchange_s(tour);
  write_file(
      tour.in("hidden.yaml"),
      "# What the demo hid, in " + job.machine + ".\nschema: lento.faults/1\nfaults:\n  - component: " +
          job.link + "\n    factor: " + base::format_number(job.factor) + "\n    start: 0\n");
  fleet::write_metrics_csv(fleet::simulate_steps(job.steps), tour.in("job.csv.gz"));
  tour.run(
      {"chip",
       "simulate",
       "--chip",
       tour.in("chip.yaml"),
       "--mapping",
       tour.in("network.map.json"),
       "--faults",
       tour.in("hidden.yaml"),
       "--inferences",
       "4",
       "-o",
       tour.in("machine.probe")});
}

bool names(const Diagnosis& d, const std::string& subject) {
  return !d.findings.empty() && d.findings.front().subject == subject;
}

// Returns the first paragraph: what was hidden and what was found.
std::string lead(const report::Story& story, const desk::DemoJob& job) {
  const bool machine = names(story.chapters[1].diagnosis, job.machine);
  const bool link = names(story.chapters[2].diagnosis, job.link);
  return "Hidden in " + std::to_string(desk::DemoJob::kMachines) + " machines: " + job.link + " of " +
         job.machine + " was " + base::format_number(job.factor) + " times too slow, which made its steps " +
         base::format_number(100 * (job.slowdown - 1), 3) + " % longer. Lento " +
         (machine ? "named the machine" : "did not name the machine") +
         (link ? " and the link." : ", not the link.");
}

// Runs `lento demo`: simulates a job with a slow link, judges it with all commands, writes the page.
void run(Context& context, const DemoArguments& options) {
  Tour tour(context, options);
  const std::string chip = tour.in("chip.yaml");
  const std::string map = tour.in("network.map.json");
  tour.run({"chip", "map", tour.in("googlenet.onnx"), "--chip", chip, "--batch", "64", "-o", map});
  context.streams.err << "== " << desk::DemoJob::kMachines << " machines train, one has a hidden slow link\n";
  desk::DemoJob job = desk::simulate_demo_job(
      spec::read_chip(chip),
      chip::read_map(map),
      context.seed,
      context.jobs,
      context.progress());
  if (job.machine.empty())
    return;  // interrupted
  prepare(tour, job);
  report::Story story{"From a training job down to a link", {}, {}};
  story.chapters.push_back(predict_chapter(tour));
  story.chapters.push_back(fleet_chapter(tour));
  story.chapters.push_back(chip_chapter(tour));
  story.chapters.push_back(memory_chapter(tour));
  story.chapters.push_back(tile_chapter(tour));
  story.lead = lead(story, job);
  const std::string page = options.html.empty() ? tour.in("tour.html") : options.html;
  write_file(page, report::write_html(story));
  for (const report::Chapter& c : story.chapters)
    context.streams.out << c.title << "\n  " << c.diagnosis.verdict << "\n";
  context.streams.out << story.lead << "\nThe story is in " << page << "; 'lento serve " << options.folder
                      << "' browses its diagnoses.\n";
}

}  // namespace

void add_demo(Command& app, Context& context) {
  Command* command = app.add_subcommand(
      "demo",
      "A training job with one hidden slow link, followed down through all scales, as one page");
  auto options = std::make_shared<DemoArguments>();
  command->add_option("--html", options->html, "The page; default: tour.html in the folder")
      ->type_name("FILE");
  command->add_option("--folder", options->folder, "Where inputs, records and diagnoses are kept")
      ->type_name("DIR")
      ->capture_default_str();
  context.add_seed(*command);
  context.add_jobs(*command);
  example(*command, "lento demo --html tour.html");
  command->callback([&context, options] {
    run(context, *options);
  });
}

}  // namespace lento::cli
