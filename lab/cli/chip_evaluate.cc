// lento-lab chip evaluate RESULTS: the tables of stored campaign results.
#include "base/file.h"
#include "cli/tables.h"
#include "lab/chip/table.h"
#include "lab/cli/commands.h"

namespace lento::lab {
namespace {

std::vector<chip::RunResult> read_results(const std::string& path) {
  std::vector<chip::RunResult> results;
  base::InputStream in(path);
  for (std::string_view line; in.line(line);) {
    const int number = int(in.line_number());
    if (line.empty())
      continue;
    const base::Json json = base::parse_json(line, path, number);
    results.push_back(chip::run_result_from_json(json, {path, number}));
  }
  return results;
}

}  // namespace

void add_chip_evaluate(Command& chip_app, Context& context) {
  Command* app = chip_app.add_subcommand(
      "evaluate",
      "Tables of campaign results: the paper's counting and the strict one");
  auto paths = std::make_shared<std::vector<std::string>>();
  app->add_option("RESULTS", *paths, "Files written by 'lento-lab chip campaign --results'")->required();
  context.add_output_options(*app);
  example(*app, "lento-lab chip evaluate quick.jsonl --html tables.html");
  app->callback([paths, &context] {
    std::vector<chip::RunResult> results;
    std::vector<finding::Input> inputs;
    for (const std::string& path : *paths) {
      const auto more = read_results(path);
      results.insert(results.end(), more.begin(), more.end());
      inputs.push_back(Context::input("results", path, base::read_file(path)));
    }
    finding::Diagnosis d = chip::summarize(results, "Evaluation");
    d.inputs = std::move(inputs);
    const std::string tables = cli::tables_as_text(d);
    context.show(std::move(d));
    if (!context.json)
      context.streams.out << tables;
  });
}

}  // namespace lento::lab
