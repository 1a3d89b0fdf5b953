// lento docs: every command's help as one Markdown page (docs/cli.md is its output; a test compares them).
#include <ostream>

#include "cli/commands.h"

namespace lento::cli {
namespace {

void write_command(std::ostream& out, const Command& app, const std::string& parent) {
  const std::string name = parent + " " + app.name();
  out << "\n## " << name << "\n\n```text\n" << app.help(parent) << "```\n";
  for (const Command* child : app.subcommands()) write_command(out, *child, name);
}

}  // namespace

void add_docs(Command& app, Context& context) {
  Command* command = app.add_subcommand("docs", "Print the help of every command as one Markdown page");
  example(*command, app.name() + " docs > docs/cli.md");
  command->callback([&app, &context] {
    context.streams.out << "# Command line\n\nWritten by `" << app.name() << " docs`.\n";
    const Command& all = app;
    for (const Command* child : all.subcommands()) {
      write_command(context.streams.out, *child, all.name());
    }
  });
}

}  // namespace lento::cli
