// Writes manual pages and shell completions from the declared commands, so that they cannot differ from the
// help.
#include "cli/manual.h"

#include "base/version.h"

namespace lento::cli {
namespace {

// Escapes text for troff, which interprets a dot or quote at the start of a line, a backslash anywhere and a
// bare hyphen.
std::string troff(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == '\n';
    if (begins && (text[i] == '.' || text[i] == '\''))
      out += "\\&";
    if (text[i] == '\\')
      out += "\\e";
    else if (text[i] == '-')
      out += "\\-";
    else
      out += text[i];
  }
  return out;
}

std::string page_name(const std::string& called) {
  std::string name = called;
  for (char& c : name)
    if (c == ' ')
      c = '-';
  return name;
}

// Returns the section of options of a manual page.
std::string options_section(const Command& command) {
  std::string out = ".SH OPTIONS\n";
  for (const OptionWords& option : command.options()) {
    out += ".TP\n\\fB" + troff(option.names) + "\\fR";
    if (!option.type.empty())
      out += " \\fI" + troff(option.type) + "\\fR";
    out += "\n" + troff(option.text.empty() ? "See " + option.names + "." : option.text) + "\n";
  }
  return out;
}

// Returns the section of subcommands of a manual page.
std::string commands_section(const Command& command, const std::string& called) {
  if (command.subcommands().empty())
    return {};
  std::string out = ".SH COMMANDS\n";
  for (const Command* child : command.subcommands())
    out += ".TP\n\\fB" + troff(page_name(called + " " + child->name())) + "\\fR(1)\n" + troff(child->text()) +
           "\n";
  return out;
}

struct Word {
  std::string path;   // "lento chip diagnose"
  std::string words;  // what may follow
};

// Collects the words that a shell may complete after each command.
void collect(const Command& command, const std::string& called, std::vector<Word>& out) {
  std::string words;
  for (const Command* child : command.subcommands())
    words += child->name() + " ";
  for (const OptionWords& option : command.options())
    if (!option.name.empty())
      words += option.name + " ";
  out.push_back({called, words});
  for (const Command* child : command.subcommands())
    collect(*child, called + " " + child->name(), out);
}

// Composes a bash function. It follows the typed words through the commands as far as they match, and offers
// the words that may follow.
std::string bash(const Command& root) {
  std::vector<Word> words;
  collect(root, root.name(), words);
  const std::string function = "_" + page_name(root.name());
  std::string out = "# Completion of " + root.name() + " for bash.\n" + function +
                    "() {\n  local word path=\"" + root.name() +
                    "\" words=\"\"\n  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
                    "    case \"$path $word\" in\n";
  for (const Word& w : words)
    if (w.path != root.name())
      out += "      \"" + w.path + "\") path=\"$path $word\" ;;\n";
  out += "    esac\n  done\n  case \"$path\" in\n";
  for (const Word& w : words)
    out += "    \"" + w.path + "\") words=\"" + w.words + "\" ;;\n";
  return out +
         "  esac\n  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n}\n"
         "complete -o default -F " +
         function + " " + root.name() + "\n";
}

std::string zsh(const Command& root) {
  return "#compdef " + root.name() + "\n# Completion of " + root.name() +
         " for zsh.\nautoload -U +X bashcompinit && bashcompinit\n" + bash(root);
}

std::string roff_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? std::string("\\'") : std::string(1, c);
  return out + "'";
}

// Appends the completions of a command for the fish shell.
void fish_lines(const Command& command, const std::string& root, const std::string& seen, std::string& out) {
  std::string here = seen.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + seen;
  for (const Command* child : command.subcommands())
    out += "complete -c " + root + " -n '" + here + "' -a " + child->name() + " -d " +
           roff_quoted(child->text()) + "\n";
  for (const OptionWords& option : command.options()) {
    if (!option.name.starts_with("--"))
      continue;
    out += "complete -c " + root + " -n '" + here + "' -l " + option.name.substr(2) +
           (option.type.empty() ? "" : " -r") + " -d " + roff_quoted(option.text) + "\n";
  }
  for (const Command* child : command.subcommands())
    fish_lines(*child, root, child->name(), out);
}

}  // namespace

std::string manual_page(const Command& command, const std::string& called) {
  std::string out = ".TH " + page_name(called) + " 1 \"\" \"lento " + base::kVersion + "\" \"Lento\"\n";
  out += ".SH NAME\n" + troff(page_name(called)) + " \\- " + troff(command.text()) + "\n";
  out += ".SH SYNOPSIS\n\\fB" + troff(called) + "\\fR [\\fIoptions\\fR]" +
         (command.subcommands().empty() ? "" : " \\fIcommand\\fR");
  for (const OptionWords& option : command.options())
    if (option.name.empty())
      out += " \\fI" + troff(option.names) + "\\fR";
  out += "\n";
  out += commands_section(command, called) + options_section(command);
  if (!command.footer().empty())
    out += ".SH EXAMPLE\n.nf\n" + troff(command.footer()) + "\n.fi\n";
  return out +
         ".SH EXIT STATUS\n0 ran, 1 findings (only with \\fB\\-\\-exit\\-code\\fR), 2 bad usage or input, 3 "
         "a defect, "
         "4 the records do not allow a verdict, 130 interrupted.\n";
}

std::string completion(const Command& root, const std::string& shell) {
  if (shell == "bash")
    return bash(root);
  if (shell == "zsh")
    return zsh(root);
  std::string out = "# Completion of " + root.name() + " for fish.\n";
  fish_lines(root, root.name(), "", out);
  return out;
}

}  // namespace lento::cli
