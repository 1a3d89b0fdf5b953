// lento fleet ranks: finds the slow rank, GPU, host or link in records of collectives. lento fleet
// simulate-ranks makes such records with a planted fault.
#include <chrono>
#include <ctime>
#include <thread>

#include "base/json.h"
#include "cli/fleet/fleet.h"
#include "fleet/diagnose_ranks.h"
#include "fleet/ranks_live.h"
#include "fleet/simulate/rank_job.h"

namespace lento::cli {
namespace {

struct Simulate {
  fleet::RankJob job;
  std::string fault = "none";
  std::string layout = "kineto";
  std::string out;
};

void run_simulate(Context& context, Simulate& o) {
  o.job.seed = context.seed;
  o.job.fault = fleet::rank_fault_kind(o.fault);
  const fleet::RankLayout layout = o.layout == "kineto"      ? fleet::RankLayout::Kineto
                                   : o.layout == "inspector" ? fleet::RankLayout::Inspector
                                                             : fleet::RankLayout::FlightRecorder;
  const size_t files = fleet::write_ranks(fleet::simulate_ranks(o.job), layout, o.out);
  context.streams.out << files << " files and truth.json in " << o.out << "\n";
}

struct Follow {
  double every_s = 0;  // 0: judge once
  double window_s = 120;
};

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

// Prints one line for a finding that begins or ends.
void follow(Context& context, const std::vector<std::string>& paths, const Follow& o) {
  fleet::RanksLiveOptions options;
  options.paths = paths;
  options.window_s = o.window_s;
  fleet::RanksLive live(options);
  const base::Progress progress = context.progress();
  while (!progress.stopped()) {
    const auto begun = std::chrono::steady_clock::now();
    for (const fleet::RanksChange& change : live.poll()) {
      const char* what = change.begins ? "begins" : "over";
      if (context.json) {
        base::Json line = base::Json::object();
        line.set("time", now_text());
        line.set("change", what);
        line.set("category", change.finding.category);
        line.set("subject", change.finding.subject);
        line.set("summary", change.finding.summary);
        context.streams.out << base::write_json(line) << "\n";
      } else {
        context.streams.out << now_text() << " " << what << ": " << change.finding.category << ": "
                            << change.finding.summary << "\n";
      }
    }
    context.streams.out.flush();
    const auto next = begun + std::chrono::duration<double>(o.every_s);
    while (!progress.stopped() && std::chrono::steady_clock::now() < next)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace

void add_fleet_ranks(Command& fleet, Context& context) {
  Command* app = fleet.add_subcommand(
      "ranks",
      "Find the slow rank, GPU, host or link, or who holds up a hung job, from its collectives");
  auto o = std::make_shared<fleet::FleetRanksOptions>();
  auto f = std::make_shared<Follow>();
  app->add_option(
         "path",
         o->paths,
         "Files and folders: Kineto traces, Inspector logs, flight-recorder dumps, RAS answers")
      ->type_name("PATH")
      ->required();
  app->add_flag("--hang", o->hang, "Judge the dumps of a job that hangs");
  app->add_option("--switches", o->switches, "CSV with columns host and switch, to blame switches")
      ->type_name("FILE");
  app->add_option("--lane-steps", o->lane_steps, "Training steps drawn as lanes")
      ->check(range(1, 100))
      ->capture_default_str();
  app->add_option(
         "--follow",
         f->every_s,
         "Judge growing Inspector logs every so many seconds and tell what begins and what is over")
      ->check(range(0.1, 3600.0));
  app->add_option("--window", f->window_s, "Seconds of records that --follow judges")
      ->check(range(5.0, 86400.0))
      ->capture_default_str();
  context.add_output_options(*app);
  example(*app, "lento fleet ranks traces/ --html ranks.html");
  app->callback([&context, o, f] {
    if (f->every_s > 0)
      return follow(context, o->paths, *f);
    o->strict = context.strict;
    context.show(fleet::fleet_ranks(*o, context.progress()));
  });
}

void add_fleet_simulate_ranks(Command& fleet, Context& context) {
  Command* app = fleet.add_subcommand(
      "simulate-ranks",
      "Write the traces, logs or dumps of a job of ranks with known truth");
  auto o = std::make_shared<Simulate>();
  fleet::RankJob& j = o->job;
  const auto size = [&](const char* name, int& value, const char* text) {
    app->add_option(name, value, text)->check(range(1, 16384))->capture_default_str();
  };
  size("--tp", j.tp, "Tensor parallel ranks");
  size("--cp", j.cp, "Context parallel ranks");
  size("--dp", j.dp, "Data parallel ranks");
  size("--pp", j.pp, "Pipeline stages");
  size("--ep", j.ep, "Expert parallel ranks, within CP x DP");
  size("--gpus-a-host", j.gpus_a_host, "GPUs of a host");
  size("--steps", j.steps, "Training steps");
  size("--micro-batches", j.micro_batches, "Micro-batches of a step");
  app->add_option("--fault", o->fault, "Fault of the job")
      ->check(one_of(
          {"none",
           "slow_gpu",
           "slow_host",
           "slow_input",
           "slow_nic",
           "slow_rail",
           "slow_link",
           "imbalance",
           "hang"}))
      ->capture_default_str();
  app->add_option("--factor", j.factor, "How many times as long the faulty part takes")
      ->check(range(1.0, 100.0))
      ->capture_default_str();
  app->add_option("--place", j.place, "Faulty rank, or host of slow_host and slow_nic; drawn when not given")
      ->check(range(0, 16383));
  app->add_option("--from-step", j.from_step, "First faulty step; drawn when not given")
      ->check(range(0, 1000000));
  app->add_option("--missing", j.missing, "Share of ranks that leave no file")->check(range(0.0, 1.0));
  app->add_option("--clock-offset", j.clock_offset_ms, "Host clocks are off by at most so many ms")
      ->check(range(0.0, 1e6))
      ->capture_default_str();
  app->add_option("--clock-drift", j.clock_drift_ppm, "and drift by at most so many ppm")
      ->check(range(0.0, 200.0))
      ->capture_default_str();
  app->add_option("--layout", o->layout, "Files to write")
      ->check(one_of({"kineto", "inspector", "flight-recorder"}))
      ->capture_default_str();
  app->add_option("--out", o->out, "Folder to write")->type_name("FOLDER")->required();
  context.add_seed(*app);
  example(
      *app,
      "lento fleet simulate-ranks --fault slow_nic --factor 2 --dp 4 --out job/ && lento fleet ranks job/");
  app->callback([&context, o] {
    run_simulate(context, *o);
  });
}

}  // namespace lento::cli
