// lento diff A B: compares two stored diagnoses of one kind of run.
#include "finding/diff.h"

#include "base/file.h"
#include "cli/commands/commands.h"

namespace lento::cli {
namespace {

finding::Diagnosis
read(const std::string& path, const std::string& role, std::vector<finding::Input>& inputs) {
  const std::string bytes = base::read_file(path, uint64_t{256} << 20);
  inputs.push_back(Context::input(role, path, bytes));
  return finding::diagnosis_from_json(base::parse_json(bytes, path), path);
}

}  // namespace

void add_diff(Command& app, Context& context) {
  Command* command = app.add_subcommand("diff", "Compare two stored diagnoses: what is new, worse or gone");
  auto before = std::make_shared<std::string>(), after = std::make_shared<std::string>();
  command->add_option("BEFORE", *before, "JSON diagnosis")->required();
  command->add_option("AFTER", *after, "JSON diagnosis")->required();
  context.add_output_options(*command);
  example(*command, "lento diff monday.json tuesday.json --exit-code");
  command->callback([&context, before, after] {
    std::vector<finding::Input> inputs;
    const auto a = read(*before, "before", inputs);
    const auto b = read(*after, "after", inputs);
    finding::Diagnosis d = finding::compare(a, b);
    d.inputs = inputs;
    context.show(std::move(d));
  });
}

}  // namespace lento::cli
