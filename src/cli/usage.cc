// Explains mistakes in a command line. Users type former names, misspelt options and files of the wrong kind.
// The functions compare the typed words with the declared commands, and the error names the nearest valid
// form.
#include "cli/usage.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "base/error.h"
#include "base/sniff.h"

namespace lento::cli {
namespace {

// Maps former spellings of options to the present ones, where a command has the present one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kFormerOptions = {{
    {"--out", "--output"},
    {"--perfetto", "--trace-out"},
    {"--trace", "--trace-out"},
    {"--token", "--token-file"},
    {"--output", "--generate"},
}};

// Returns the commands from the program to the innermost one that the words name.
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

bool holds(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Appends an item to a list in a sentence.
void join(std::string& list, std::string_view between, const std::string& next) {
  if (!list.empty())
    list += between;
  list += next;
}

std::string spelled(const std::vector<const Command*>& chain) {
  std::string words;
  for (const Command* command : chain)
    join(words, " ", command->name());
  return words;
}

// Splits "-o,--output" into its names.
std::vector<std::string> names_of(const OptionWords& option) {
  const std::string& all = option.names;
  std::vector<std::string> names;
  size_t at = 0;
  while (at <= all.size()) {
    const size_t end = std::min(all.find(',', at), all.size());
    names.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

std::vector<std::string> options_of(const Command& command) {
  std::vector<std::string> names;
  for (const OptionWords& option : command.options()) {
    for (const std::string& name : names_of(option)) {
      if (name.starts_with("--"))
        names.push_back(name);
    }
  }
  return names;
}

// Returns another command that has an option of this name, such as "lento chip simulate".
std::string owner_of(const Command& command, const std::string& parents, const std::string& option) {
  std::string words = parents;
  join(words, " ", command.name());
  const auto children = command.subcommands();
  if (children.empty()) {
    if (holds(options_of(command), option))
      return words;
    return "";
  }
  for (const Command* child : children) {
    const std::string found = owner_of(*child, words, option);
    if (!found.empty())
      return found;
  }
  return {};
}

// Returns the options of all commands, for a word that was typed without a command.
std::vector<std::string> all_options(const Command& command) {
  std::vector<std::string> names = options_of(command);
  for (const Command* child : command.subcommands())
    for (std::string& name : all_options(*child))
      names.push_back(std::move(name));
  return names;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
    return std::tolower(c);
  });
  return out;
}

// A word of the command line that the error message may be about, as a file name, and the option that it
// belongs to.
struct Given {
  std::string file;
  std::string option;
};
// Returns the files among the arguments that an error message names.
std::vector<Given> given_files(const std::vector<std::string>& args, const std::string& error) {
  std::vector<Given> found;
  size_t longest = 1;  // "a" and "a:b" may both be files
  for (size_t i = 0; i < args.size(); ++i) {
    std::string value = args[i];
    std::string option;
    if (i > 0 && args[i - 1].starts_with("-"))
      option = args[i - 1];
    const size_t equals = value.find('=');
    if (value.starts_with("--") && equals != std::string::npos) {
      option = value.substr(0, equals);
      value = value.substr(equals + 1);
    }
    const bool named = error.starts_with(value + ":");
    if (!named || value.size() < longest)
      continue;
    if (value.size() > longest)
      found.clear();
    longest = value.size();
    found.push_back({value, option});
  }
  return found;
}

// Returns the help text of an option, or of all operands when `option` is empty.
std::string wanted_by(const Command& command, const std::string& option) {
  std::string operands;
  for (const OptionWords& words : command.options()) {
    if (!option.empty() && holds(names_of(words), option))
      return words.text;
    if (!words.name.empty())
      continue;
    if (!operands.empty())
      operands += "; ";
    operands += words.text;
  }
  if (option.empty())
    return operands;
  return std::string();
}

// Returns whether a file of this kind fits an option or operand, by `text`, its help text.
bool is_wanted(const base::FileKind& kind, const std::string& text) {
  const std::string wanted = lower(text);
  const std::string format = lower(kind.format.substr(0, kind.format.find(',')));
  const std::string first = kind.noun.substr(0, kind.noun.find(' '));  // "probe" of "probe record file"
  const bool telling = first.size() > 3 && first != "file";
  if (telling && wanted.find(lower(first)) != std::string::npos)
    return true;
  return !format.empty() && wanted.find(format) != std::string::npos;
}

// Returns a hint when a file is of another kind than its option expects, else "".
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
  std::string wants = "wanted";
  if (!given.option.empty())
    wants = given.option + " wants";
  return what + "; " + wants + ": " + wanted;
}

// Suggests a file of the same folder whose name is close to the missing one.
std::string of_similar_name(const std::string& missing) {
  const std::filesystem::path path(missing);
  constexpr size_t kLeast = 4;  // nearly every short name is near another
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code code;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator it(folder, code), end; !code && it != end && names.size() < 5000;
       it.increment(code))
    names.push_back(it->path().filename().string());
  if (code && names.empty()) {
    // "meta-llama/Llama-3-8B" is a name on a hub, and nothing is fetched.
    const bool is_hub_name = path.extension().empty() && path.is_relative() && folder.parent_path().empty();
    return "there is no folder '" + folder.string() + "'" +
           (is_hub_name ? "; of a model on Hugging Face give its config.json, or --model NAME for a usual one"
                        : "");
  }
  std::ranges::sort(names);
  const std::string name = path.filename().string();
  if (name.size() < kLeast)
    return {};
  std::string near = base::nearest(name, names);
  if (near.empty())
    return {};
  if (path.has_parent_path())
    near = (folder / near).string();
  return "did you mean '" + near + "'?";
}

std::string hint_of(const std::string& text) {
  return "\n  hint: " + text;
}

// Returns the error for a command that has moved: "'lento chip campaign' is now 'lento-lab chip campaign'".
std::string moved_command(const Context& context) {
  std::string words;
  for (const std::string& word : context.args) {
    join(words, " ", word);
    for (const auto& [former, present] : context.program.moved) {
      if (words != former)
        continue;
      const std::string old = context.program.name + " " + former;
      return "error: '" + old + "' is now '" + present + "'" + hint_of(present + " --help");
    }
  }
  return {};
}

// Returns the error for a word that is no command. The parser itself would only report that a command is
// missing.
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
    if (!next) {
      if (at == &app)
        known.insert(known.end(), {"help", "version"});
      const std::string error = "error: '" + word + "' is no command of '" + at->name() + "'";
      return error + hint_of(base::suggestion(word, known));
    }
    at = next;
  }
  return {};
}

}  // namespace

// Returns the innermost command that was named: "lento fleet watch".
std::string command_named(const Command& app) {
  std::string words = app.name();
  for (const Command* at = app.chosen(); at; at = at->chosen())
    words += " " + at->name();
  return words;
}

// Returns the error for a group that was named without one of its commands.
std::string missing_command(const Command& app, const std::vector<std::string>& args) {
  const std::vector<const Command*> chain = chain_of(app, args);
  const auto children = chain.back()->subcommands();
  const bool whole = chain.size() == args.size() + 1;  // nothing but names of commands
  if (children.empty() || !whole || chain.back()->takes_operands())
    return {};
  std::string names;
  for (const Command* child : children)
    join(names, ", ", child->name());
  const std::string group = spelled(chain);
  const std::string error = "error: '" + group + "' needs one of its commands: " + names;
  return error + hint_of("'" + group + " --help' says what they do");
}

std::string misplaced_command(const Command& app, const Context& context) {
  const std::string moved = moved_command(context);
  if (!moved.empty())
    return moved;
  const std::string missing = missing_command(app, context.args);
  if (!missing.empty())
    return missing;
  return misspelt_command(app, context.args);
}

std::string overwritten_input(const Command& app, const std::vector<std::string>& args) {
  const std::vector<std::string> writes = {
      "-o",
      "--output",
      "--html",
      "--trace-out",
      "--sarif",
      "--otlp",
      "--trace",
      "--text",
      "--paper-text",
      "--folded",
      "--sketch",
      "--best",
      "--design",
      "--trials",
      "--rows"};
  const std::string called = spelled(chain_of(app, args));
  const auto end = std::ranges::find(args, "--");
  std::vector<std::string> read;
  std::vector<std::pair<std::string, std::string>> written;
  for (auto word = args.begin(); word != end; ++word) {
    const size_t equals = word->find('=');
    const std::string name = word->substr(0, equals);
    const bool reads_trace = name == "--trace" && called == "lento chip simulate";
    if (!holds(writes, name) || reads_trace)
      read.push_back(*word);
    else if (equals != std::string::npos)
      written.emplace_back(name, word->substr(equals + 1));
    else if (word + 1 != end)
      written.emplace_back(name, *++word);
  }
  for (const auto& [option, file] : written) {
    for (const std::string& other : read) {
      std::error_code missing;
      if (!std::filesystem::is_regular_file(file, missing) ||
          !std::filesystem::equivalent(file, other, missing))
        continue;
      return "error: " + file + " is an input of this command, and " + option + " would overwrite it" +
             hint_of("name another file");
    }
  }
  return {};
}

std::string misspelt_option(const Command& app, const std::vector<std::string>& args) {
  const std::vector<const Command*> chain = chain_of(app, args);
  const std::string called = spelled(chain);
  std::vector<std::string> known = {"--help"};
  for (const Command* command : chain)
    for (std::string& name : options_of(*command))
      known.push_back(std::move(name));
  const std::string help = "'" + called + " --help' lists what it takes";
  for (const std::string& word : args) {
    if (word == "--")
      break;
    if (!word.starts_with("--"))
      continue;
    const std::string name = word.substr(0, word.find('='));
    if (holds(known, name))
      continue;
    for (const auto& [former, present] : kFormerOptions) {
      if (name != former || !holds(known, present))
        continue;
      const std::string now = "' is now '" + std::string(present) + "'";
      return "error: '" + name + "' of '" + called + now + hint_of(help);
    }
    std::string hint;
    const std::string owner = owner_of(app, "", name);
    const std::string near = base::nearest(name, chain.size() > 1 ? known : all_options(app));
    if (chain.back()->name() == "diagnose" && chain.size() == 2 && !owner.empty())
      hint = "name the file itself: lento diagnose FILE...; ";
    // For "--step", the near "--steps" of this command is likelier than another command's "--step".
    else if (!owner.empty() && !near.starts_with(name))
      hint = "it is an option of '" + owner + "'; ";
    else if (!near.empty())
      hint = "did you mean '" + near + "'? ";
    return "error: '" + name + "' is no option of '" + called + "'" + hint_of(hint + help);
  }
  return {};
}

std::string way_out(const Command& app, const std::vector<std::string>& args, const std::string& error) {
  const std::vector<const Command*> chain = chain_of(app, args);
  const bool missing = error.find("No such file or directory") != std::string::npos;
  std::string line;
  for (const Given& given : given_files(args, error)) {
    if (missing)
      line = of_similar_name(given.file);
    else
      line = of_another_kind(*chain.back(), given);
    if (!line.empty())
      break;
  }
  const bool hinted = error.find("\n  hint: ") != std::string::npos;
  if (!line.empty())
    return (hinted ? "  note: " : "  hint: ") + line + "\n";
  if (hinted)
    return "";
  return "  hint: '" + spelled(chain) + " --help' says what it takes\n";
}

}  // namespace lento::cli
