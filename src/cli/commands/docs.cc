// lento docs: writes the help of every command as one Markdown page (docs/cli.md, which a test compares), as
// manual pages, or as the completion of a shell.
#include <filesystem>
#include <memory>
#include <ostream>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/commands/commands.h"
#include "cli/manual.h"

namespace lento::cli {
namespace {

struct DocsOptions {
  bool table = false;
  std::string manual;
  std::string shell;
};

void write_command(std::ostream& out, const Command& app, const std::string& parent) {
  const std::string name = parent + " " + app.name();
  out << "\n## " << name << "\n\n```text\n" << app.help(parent) << "```\n";
  for (const Command* child : app.subcommands())
    write_command(out, *child, name);
}

// Lists every command that runs something, with its operands and options: what the Python module makes its
// functions of.
void add_to_table(const Command& command, std::vector<base::Json> path, base::Json& table) {
  if (command.subcommands().empty() || command.takes_operands()) {
    base::Json options = base::Json::array();
    for (const OptionWords& words : command.options()) {
      options.push(base::Json::object()
                       .set("name", words.name)
                       .set("names", words.names)
                       .set("type", words.type)
                       .set("text", words.text));
    }
    table.push(base::Json::object()
                   .set("path", base::Json(path))
                   .set("text", command.text())
                   .set("options", options));
  }
  for (const Command* child : command.subcommands()) {
    std::vector<base::Json> below = path;
    below.emplace_back(child->name());
    add_to_table(*child, below, table);
  }
}

void write_manual(const Command& command, const std::string& called, const std::string& folder) {
  std::string name = called;
  for (char& c : name)
    if (c == ' ')
      c = '-';
  base::write_file(folder + "/" + name + ".1", manual_page(command, called));
  for (const Command* child : command.subcommands())
    write_manual(*child, called + " " + child->name(), folder);
}

// Prints the help of all commands, or writes manual pages or a completion.
void run_docs(const Command& root, const DocsOptions& options, std::ostream& out) {
  if (!options.manual.empty()) {
    std::error_code code;
    std::filesystem::create_directories(options.manual, code);
    if (code)
      throw base::Error({options.manual}, "cannot be made a folder: " + code.message());
    return write_manual(root, root.name(), options.manual);
  }
  if (options.table) {
    base::Json table = base::Json::array();
    add_to_table(root, {}, table);
    out << base::write_json(table) << "\n";
    return;
  }
  if (!options.shell.empty()) {
    out << completion(root, options.shell);
    return;
  }
  out << "# Command line\n\nWritten by `" << root.name() << " docs`.\n";
  for (const Command* child : root.subcommands())
    write_command(out, *child, root.name());
}

}  // namespace

void add_docs(Command& app, Context& context) {
  Command* command = app.add_subcommand("docs", "Print the help of every command as one Markdown page");
  auto options = std::make_shared<DocsOptions>();
  command->add_option("--man", options->manual, "Write manual pages into this folder instead")
      ->type_name("DIR");
  command->add_option("--completion", options->shell, "Print a shell's completion instead")
      ->check(one_of({"bash", "zsh", "fish"}));
  command->add_flag("--table", options->table, "Print the commands with their options as JSON instead");
  example(*command, app.name() + " docs > docs/cli.md");
  command->callback([&app, &context, options] {
    run_docs(app, *options, context.streams.out);
  });
}

}  // namespace lento::cli
