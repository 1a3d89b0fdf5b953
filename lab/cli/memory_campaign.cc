// lento-lab memory campaign: runs the contention detector on planted causes and healthy twins.
#include "base/file.h"
#include "cli/tables.h"
#include "lab/cli/commands.h"
#include "lab/memory/campaign.h"

namespace lento::lab {
namespace {

struct MemoryCampaignArguments {
  uint64_t seeds = 50;
  std::string results;
};

void run(const MemoryCampaignArguments& args, Context& context) {
  const base::Progress progress = context.progress();
  std::vector<PlantedTrial> trials;
  for (int p = 0; p < kPlants; ++p) {
    for (uint64_t s = 0; s < args.seeds; ++s) {
      trials.push_back(try_planted(static_cast<Plant>(p), context.seed + s));
      progress("trials", double(trials.size()), double(kPlants * args.seeds));
      if (progress.stopped())
        return;
    }
  }
  if (!args.results.empty())
    base::write_file(args.results, trials_csv(trials));
  finding::Diagnosis d = summarize_planted(trials);
  d.seed = context.seed;
  const std::string tables = cli::tables_as_text(d);
  context.show(std::move(d));
  if (!context.json)
    context.streams.out << tables;
}

}  // namespace

void add_memory_campaign(Command& group, Context& context) {
  Command* command =
      group.add_subcommand("campaign", "Eight planted causes and their healthy twins, counted");
  auto args = std::make_shared<MemoryCampaignArguments>();
  command->add_option("--seeds", args->seeds, "Seeds a cause")->capture_default_str();
  command->add_option("--results", args->results, "One row a trial")->type_name("FILE");
  context.add_output_options(*command);
  context.add_seed(*command);
  example(*command, "lento-lab memory campaign --seeds 50 --results planted.csv");
  command->callback([&context, args] {
    run(*args, context);
  });
}

}  // namespace lento::lab
