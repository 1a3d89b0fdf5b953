// lento report FILE: prints a stored diagnosis again, in any form.
#include "base/file.h"
#include "cli/commands/commands.h"

namespace lento::cli {

void add_report(Command& app, Context& context) {
  Command* command = app.add_subcommand("report", "Show a stored diagnosis (JSON) as text, JSON or HTML");
  auto path = std::make_shared<std::string>();
  command->add_option("DIAGNOSIS", *path, "JSON written by any 'lento ... --json'")->required();
  context.add_output_options(*command);
  example(*command, "lento report diagnosis.json --html report.html");
  command->callback([&context, path] {
    const base::Json json = base::parse_json(base::read_file(*path, uint64_t{256} << 20), *path);
    context.show(finding::diagnosis_from_json(json, *path));
  });
}

}  // namespace lento::cli
