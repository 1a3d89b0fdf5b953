#include "front/usage.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "base/error.h"
#include "base/sniff.h"

namespace lento::cli {
namespace {

// Former spelling -> the present one, for commands that have that.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kFormerOptions = {{
    {"--out", "--output"},
    {"--perfetto", "--trace-out"},
    {"--trace", "--trace-out"},
    {"--token", "--token-file"},
    {"--output", "--generate"},
}};

// The commands from the program to the innermost one that the words name.
std::vector<const Command*> chain_of(const Command& app, const std::vector<std::string>& args) {
  std::vector<const Command*> chain = {&app};
  for (const std::string& word : args) {
    const auto children = chain.back()->subcommands();
    const auto at = std::ranges::find_if(children, [&](const Command* c) {
      return c->name() == word;
    });
    if (at == children.end())
      break;
    chain.push_back(*at);
  }
  return chain;
}

std::string spelled(const std::vector<const Command*>& chain) {
  std::string words;
  for (const Command* command : chain)
    words += (words.empty() ? "" : " ") + command->name();
  return words;
}

// "-o,--output" -> both.
std::vector<std::string> names_of(const OptionWords& option) {
  std::vector<std::string> names;
  size_t at = 0;
  while (at <= option.names.size()) {
    const size_t end = std::min(option.names.find(',', at), option.names.size());
    names.push_back(option.names.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

std::vector<std::string> options_of(const Command& command) {
  std::vector<std::string> names;
  for (const OptionWords& option : command.options())
    for (const std::string& name : names_of(option))
      if (name.starts_with("--"))
        names.push_back(name);
  return names;
}

// Another command that has an option of this name: "lento chip simulate".
std::string owner_of(const Command& command, const std::string& parents, const std::string& option) {
  const std::string words = parents.empty() ? command.name() : parents + " " + command.name();
  const auto children = command.subcommands();
  if (children.empty()) {
    const auto known = options_of(command);
    return std::ranges::find(known, option) != known.end() ? words : "";
  }
  for (const Command* child : children)
    if (std::string found = owner_of(*child, words, option); !found.empty())
      return found;
  return {};
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
    return std::tolower(c);
  });
  return out;
}

// The words of the command line that may be the file the error names, and the options they were given to.
struct Given {
  std::string file;
  std::string option;
};
std::vector<Given> given_files(const std::vector<std::string>& args, const std::string& error) {
  std::vector<Given> found;
  size_t longest = 1;  // "a" and "a:b" may both be files
  for (size_t i = 0; i < args.size(); ++i) {
    std::string value = args[i];
    std::string option = i > 0 && args[i - 1].starts_with("-") ? args[i - 1] : "";
    const size_t equals = value.find('=');
    if (value.starts_with("--") && equals != std::string::npos) {
      option = value.substr(0, equals);
      value = value.substr(equals + 1);
    }
    const bool named = error.starts_with(value) && error.size() > value.size() && error[value.size()] == ':';
    if (!named || value.size() < longest)
      continue;
    if (value.size() > longest)
      found.clear();
    longest = value.size();
    found.push_back({value, option});
  }
  return found;
}

// What the help says of an option; of an operand, of all of them.
std::string wanted_by(const Command& command, const std::string& option) {
  std::string operands;
  for (const OptionWords& words : command.options()) {
    const auto names = names_of(words);
    if (!option.empty() && std::ranges::find(names, option) != names.end())
      return words.text;
    if (words.name.empty())
      operands += (operands.empty() ? "" : "; ") + words.text;
  }
  return option.empty() ? operands : std::string();
}

bool is_wanted(const base::FileKind& kind, const std::string& text) {
  const std::string wanted = lower(text);
  const std::string format = lower(kind.format.substr(0, kind.format.find(',')));
  const std::string first = kind.noun.substr(0, kind.noun.find(' '));  // "probe" of "probe record file"
  return (first.size() > 3 && first != "file" && wanted.find(lower(first)) != std::string::npos) ||
         (!format.empty() && wanted.find(format) != std::string::npos);
}

std::string of_another_kind(const Command& command, const Given& given) {
  const base::FileKind kind = base::kind_of_file(given.file);
  if (kind.noun.empty())
    return {};
  const std::string wanted = wanted_by(command, given.option);
  if (is_wanted(kind, wanted))
    return {};
  const std::string what = given.file + " is " + base::describe(kind);
  if (wanted.empty())
    return what;
  return what + "; " + (given.option.empty() ? "wanted" : given.option + " wants") + ": " + wanted;
}

// A file in the same folder whose name is nearly the one that is missing.
std::string of_similar_name(const std::string& missing) {
  const std::filesystem::path path(missing);
  constexpr size_t kLeast = 4;  // nearly every short name is near another
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code code;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator it(folder, code), end; !code && it != end && names.size() < 5000;
       it.increment(code))
    names.push_back(it->path().filename().string());
  if (code && names.empty())
    return "there is no folder '" + folder.string() + "'";
  std::ranges::sort(names);
  const std::string name = path.filename().string();
  const std::string near = name.size() < kLeast ? std::string() : base::nearest(name, names);
  if (near.empty())
    return {};
  return "did you mean '" + (path.has_parent_path() ? (folder / near).string() : near) + "'?";
}

// What stands elsewhere now: "error: 'lento chip campaign' is now 'lento-lab chip campaign'".
std::string moved_command(const Context& context) {
  std::string words;
  for (const std::string& word : context.args) {
    words += (words.empty() ? "" : " ") + word;
    for (const auto& [former, present] : context.program.moved) {
      if (words != former)
        continue;
      return "error: '" + context.program.name + " " + former + "' is now '" + present +
             "'\n  hint: " + present + " --help";
    }
  }
  return {};
}

// A word where a command should stand and none is so called; the parser itself would only miss the command.
std::string misspelt_command(const Command& app, const std::vector<std::string>& args) {
  const Command* at = &app;
  for (const std::string& word : args) {
    std::vector<std::string> known;
    const Command* next = nullptr;
    for (const Command* child : at->subcommands()) {
      known.push_back(child->name());
      if (child->name() == word)
        next = child;
    }
    if (known.empty() || word.starts_with("-"))
      return {};
    if (!next && at->takes_operands())
      return {};  // the word is the command's own operand
    if (!next)
      return "error: '" + word + "' is no command of '" + at->name() +
             "'\n  hint: " + base::suggestion(word, known);
    at = next;
  }
  return {};
}

}  // namespace

// "lento fleet watch": the innermost command that was named.
std::string command_named(const Command& app) {
  std::string words = app.name();
  for (const Command* at = app.chosen(); at; at = at->chosen())
    words += " " + at->name();
  return words;
}

// A group without one of its commands.
std::string missing_command(const Command& app, const std::vector<std::string>& args) {
  const std::vector<const Command*> chain = chain_of(app, args);
  const auto children = chain.back()->subcommands();
  const bool whole = chain.size() == args.size() + 1;  // nothing but names of commands
  if (children.empty() || !whole || chain.back()->takes_operands())
    return {};
  std::string names;
  for (const Command* child : children)
    names += (names.empty() ? "" : ", ") + child->name();
  return "error: '" + spelled(chain) + "' needs one of its commands: " + names + "\n  hint: '" +
         spelled(chain) + " --help' says what they do";
}

std::string misplaced_command(const Command& app, const Context& context) {
  if (std::string moved = moved_command(context); !moved.empty())
    return moved;
  if (std::string missing = missing_command(app, context.args); !missing.empty())
    return missing;
  return misspelt_command(app, context.args);
}

std::string misspelt_option(const Command& app, const std::vector<std::string>& args) {
  const std::vector<const Command*> chain = chain_of(app, args);
  const std::string called = spelled(chain);
  std::vector<std::string> known = {"--help"};
  for (const Command* command : chain)
    for (std::string& name : options_of(*command))
      known.push_back(std::move(name));
  const auto has = [&](std::string_view name) {
    return std::ranges::find(known, name) != known.end();
  };
  const std::string help = "'" + called + " --help' lists what it takes";
  for (const std::string& word : args) {
    if (word == "--")
      break;
    if (!word.starts_with("--"))
      continue;
    const std::string name = word.substr(0, word.find('='));
    if (has(name))
      continue;
    for (const auto& [former, present] : kFormerOptions)
      if (name == former && has(present))
        return "error: '" + name + "' of '" + called + "' is now '" + std::string(present) +
               "'\n  hint: " + help;
    const std::string near = base::nearest(name, known);
    const std::string owner = near.empty() ? owner_of(app, "", name) : "";
    std::string hint = near.empty() ? "" : "did you mean '" + near + "'? ";
    if (!owner.empty())
      hint = "it is an option of '" + owner + "'; ";
    return "error: '" + name + "' is no option of '" + called + "'\n  hint: " + hint + help;
  }
  return {};
}

std::string way_out(const Command& app, const std::vector<std::string>& args, const std::string& error) {
  const std::vector<const Command*> chain = chain_of(app, args);
  const bool missing = error.find("No such file or directory") != std::string::npos;
  std::string line;
  for (const Given& given : given_files(args, error)) {
    line = missing ? of_similar_name(given.file) : of_another_kind(*chain.back(), given);
    if (!line.empty())
      break;
  }
  const bool hinted = error.find("\n  hint: ") != std::string::npos;
  if (!line.empty())
    return (hinted ? "  note: " : "  hint: ") + line + "\n";
  return hinted ? "" : "  hint: '" + spelled(chain) + " --help' says what it takes\n";
}

}  // namespace lento::cli
