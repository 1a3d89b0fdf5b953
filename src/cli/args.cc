// Wraps the option parser CLI11. Its header costs seconds a file to compile, so this file alone includes it,
// and commands are built from plain handles. Errors of the parser become UsageError.
#include "cli/args.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <deque>

#include "base/units.h"

namespace lento::cli {
namespace {

CLI::Option* inner(void* option) {
  return static_cast<CLI::Option*>(option);
}

CLI::Validator validator(const Check& check) {
  if (!check.words.empty())
    return CLI::IsMember(check.words);
  if (check.whole)
    return CLI::Range(int64_t(check.low), int64_t(check.high));
  return CLI::Range(check.low, check.high);
}

// Refuses NaN, which is neither below nor above any bound and would pass every range.
std::string no_nan(const std::string& text) {
  const char* at = text.c_str();
  char* end = nullptr;
  const double value = std::strtod(at, &end);
  if (end != at && std::isnan(value))
    return "'" + text + "' is no number";
  return "";
}

template <typename T>
constexpr bool kIsReal = std::is_floating_point_v<T> || std::is_same_v<T, std::vector<double>> ||
                         std::is_same_v<T, std::optional<double>>;

// Returns the range that a value must be in, as "from 0 to 1000", out of the parser's message "... not in
// range A to B".
std::string bounds_of(const std::string& text) {
  const size_t at = text.find("not in range ");
  if (at == std::string::npos)
    return {};
  const std::string from = text.substr(at + 13);
  const size_t to = from.find(" to ");
  if (to == std::string::npos)
    return {};
  const double low = std::strtod(from.c_str(), nullptr);
  const double high = std::strtod(from.c_str() + to + 4, nullptr);
  return " from " + base::format_number(low) + " to " + base::format_number(high);
}

// Says what was found and needed where the parser only says that a value did not convert or was not in range.
std::string explained(const CLI::App& app, const std::string& text) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty())
    command = command->get_subcommands().front();
  for (const CLI::Option* option : command->get_options()) {
    const std::string name = option->get_name();
    const bool unread = text == "Could not convert: " + name + " = " +
                                    (option->results().empty() ? "" : option->results().front());
    const bool outside = text.starts_with(name + ": Value ") && !bounds_of(text).empty();
    if ((!unread && !outside) || option->results().empty())
      continue;
    const std::string& value = option->results().back();
    const std::string kind = option->get_type_name().starts_with("FLOAT") ? "a number" : "a whole number";
    return name + ": found '" + value + "', needed " + kind + bounds_of(text);
  }
  return text;
}

}  // namespace

Check one_of(std::vector<std::string> words) {
  return {std::move(words)};
}
Check range(double low, double high) {
  return {{}, low, high, false};
}

Option* Option::required() {
  inner(option_)->required();
  return this;
}

Option* Option::capture_default_str() {
  inner(option_)->capture_default_str();
  return this;
}

Option* Option::type_name(const std::string& name) {
  inner(option_)->type_name(name);
  return this;
}

Option* Option::check(const Check& check) {
  inner(option_)->check(validator(check));
  return this;
}

Option* Option::check_any(const std::vector<Check>& any) {
  CLI::Validator all = validator(any.at(0));
  for (size_t i = 1; i < any.size(); ++i)
    all = all | validator(any[i]);
  inner(option_)->check(all);
  return this;
}

Option* Option::delimiter(char c) {
  inner(option_)->delimiter(c);
  return this;
}

Option* Option::expected(int count) {
  inner(option_)->expected(count);
  return this;
}

Option* Option::expected(int least, int most) {
  inner(option_)->expected(least, most);
  return this;
}

Option* Option::excludes(Option* other) {
  inner(option_)->excludes(inner(other->option_));
  return this;
}

size_t Option::count() const {
  return inner(option_)->count();
}

struct Command::Inside {
  std::unique_ptr<CLI::App> own;  // of the root only
  CLI::App* app = nullptr;
  std::string name;
  std::string text;
  std::deque<Option> options;
  std::vector<std::unique_ptr<Command>> children;
};

Command::Command(const std::string& text, const std::string& name)
    : inside_(std::make_unique<Inside>()) {
  inside_->own = std::make_unique<CLI::App>(text, name);
  inside_->app = inside_->own.get();
  inside_->name = name;
  inside_->text = text;
}

Command::Command(std::unique_ptr<Inside> inside)
    : inside_(std::move(inside)) {
}
Command::~Command() = default;

Command* Command::add_subcommand(const std::string& name, const std::string& text) {
  auto inside = std::make_unique<Inside>();
  inside->app = inside_->app->add_subcommand(name, text);
  inside->name = name;
  inside->text = text;
  inside_->children.push_back(std::unique_ptr<Command>(new Command(std::move(inside))));
  return inside_->children.back().get();
}

template <typename T>
Option* Command::add_option(const std::string& names, T& value, const std::string& text) {
  CLI::Option* option = inside_->app->add_option(names, value, text);
  if constexpr (kIsReal<T>)
    option->check(no_nan);
  inside_->options.push_back(Option(option));
  return &inside_->options.back();
}

Option* Command::add_flag(const std::string& names, bool& value, const std::string& text) {
  inside_->options.push_back(Option(inside_->app->add_flag(names, value, text)));
  return &inside_->options.back();
}

template Option* Command::add_option(const std::string&, std::string&, const std::string&);
template Option* Command::add_option(const std::string&, bool&, const std::string&);
template Option* Command::add_option(const std::string&, int&, const std::string&);
template Option* Command::add_option(const std::string&, unsigned&, const std::string&);
template Option* Command::add_option(const std::string&, long&, const std::string&);
template Option* Command::add_option(const std::string&, unsigned long&, const std::string&);
template Option* Command::add_option(const std::string&, uint16_t&, const std::string&);
template Option* Command::add_option(const std::string&, uint8_t&, const std::string&);
template Option* Command::add_option(const std::string&, double&, const std::string&);
template Option* Command::add_option(const std::string&, float&, const std::string&);
template Option* Command::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option* Command::add_option(const std::string&, std::vector<double>&, const std::string&);
template Option* Command::add_option(const std::string&, std::vector<int>&, const std::string&);
template Option* Command::add_option(const std::string&, std::vector<unsigned>&, const std::string&);
template Option* Command::add_option(const std::string&, std::optional<double>&, const std::string&);
template Option* Command::add_option(const std::string&, std::optional<int>&, const std::string&);
template Option* Command::add_option(const std::string&, std::optional<unsigned>&, const std::string&);
template Option* Command::add_option(const std::string&, std::optional<std::string>&, const std::string&);
template Option* Command::add_option(const std::string&, std::optional<unsigned long>&, const std::string&);

void Command::callback(std::function<void()> run) {
  inside_->app->callback(std::move(run));
}
void Command::footer(const std::string& text) {
  inside_->app->footer(text);
}
void Command::require_subcommand(int count) {
  inside_->app->require_subcommand(count);
}

const std::string& Command::name() const {
  return inside_->name;
}
const std::string& Command::text() const {
  return inside_->text;
}
std::string Command::footer() const {
  return inside_->app->get_footer();
}
std::string Command::help(const std::string& parents) const {
  return inside_->app->help(parents);
}

std::vector<const Command*> Command::subcommands() const {
  std::vector<const Command*> out;
  for (const auto& child : inside_->children)
    out.push_back(child.get());
  return out;
}

// Returns names and texts of all options, for the manual.
std::vector<OptionWords> Command::options() const {
  std::vector<OptionWords> out;
  for (const CLI::Option* option : inside_->app->get_options()) {
    OptionWords words;
    if (!option->get_positional())
      words.name = option->get_name();
    words.names = option->get_name(false, true);
    words.text = option->get_description();
    words.type = option->get_type_size() == 0 ? "" : option->get_type_name();
    out.push_back(std::move(words));
  }
  return out;
}

bool Command::takes_operands() const {
  return !inside_->app
              ->get_options([](const CLI::Option* option) {
                return option->get_positional();
              })
              .empty();
}

const Command* Command::chosen() const {
  for (const auto& child : inside_->children)
    if (child->inside_->app->parsed())
      return child.get();
  return nullptr;
}

size_t Command::count(const std::string& option) const {
  return inside_->app->count(option);
}

bool Command::parse(const std::vector<std::string>& args) {
  std::vector<std::string> reversed(args.rbegin(), args.rend());
  try {
    inside_->app->parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return true;
  } catch (const CLI::ParseError& e) {
    throw UsageError(explained(*inside_->app, e.what()));
  }
  return false;
}

}  // namespace lento::cli
