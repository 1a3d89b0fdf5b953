// lento docs: every command's help as one Markdown page (docs/cli.md is its output; a test compares them).
#include <ostream>

#include "cli/context.h"

namespace lento::cli {
namespace {

void write_command(std::ostream& out, const CLI::App& app, const std::string& parent) {
  const std::string name = parent + " " + app.get_name();
  out << "\n## " << name << "\n\n```text\n" << app.help(parent) << "```\n";
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; }))
    write_command(out, *child, name);
}

}  // namespace

void add_docs(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("docs", "Print the help of every command as one Markdown page");
  example(*command, "lento docs > docs/cli.md");
  command->callback([&app, &context] {
    context.streams.out << "# Command line\n\nWritten by `lento docs`.\n";
    const CLI::App& all = app;
    for (const CLI::App* child : all.get_subcommands([](const CLI::App*) { return true; })) {
      write_command(context.streams.out, *child, "lento");
    }
  });
}

}  // namespace lento::cli
