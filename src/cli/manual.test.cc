#include "cli/manual.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace lento::cli {
namespace {

using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

// What a shell prints for a script.
std::string answer(const std::string& shell, const std::string& script) {
  const std::string file = testing::TempDir() + "lento_manual_test.sh";
  std::ofstream(file) << script;
  std::string text;
  FILE* pipe = ::popen((shell + " " + file + " 2>&1").c_str(), "r");
  std::array<char, 256> block;
  while (std::fgets(block.data(), block.size(), pipe))
    text += block.data();
  ::pclose(pipe);
  std::remove(file.c_str());
  return text;
}

struct Program {
  Command root{"Finds what is slow", "lento"};
  std::string file;
  bool json = false;

  Program() {
    Command* chip = root.add_subcommand("chip", "Many cores");
    Command* map = chip->add_subcommand("map", "Place it's layers");
    map->add_option("-o,--output", file, ".starts with a dot")->type_name("FILE");
    map->add_flag("--json", json, "a \\ backslash");
    map->add_option("chip", file, "operand");
    map->footer("Example:\n.dot");
    chip->add_subcommand("simulate", "Run");
    root.add_subcommand("fleet", "Machines");
  }
  const Command& map() const {
    return *root.subcommands()[0]->subcommands()[0];
  }
};

TEST(ManualPage, HasItsSections) {
  const Program p;
  const std::string page = manual_page(p.map(), "lento chip map");
  EXPECT_THAT(page, testing::StartsWith(".TH lento-chip-map 1 "));
  EXPECT_THAT(page, HasSubstr("\n.SH NAME\nlento\\-chip\\-map \\- Place it's layers\n"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-o,\\-\\-output\\fR \\fIFILE\\fR"));
  EXPECT_THAT(page, HasSubstr("\\fBlento chip map\\fR [\\fIoptions\\fR] \\fIchip\\fR\n"));
  EXPECT_THAT(page, HasSubstr(".SH EXAMPLE"));
  EXPECT_THAT(page, Not(HasSubstr(".SH COMMANDS")));
  const std::string group = manual_page(*p.root.subcommands()[0], "lento chip");
  EXPECT_THAT(group, HasSubstr(".SH COMMANDS\n.TP\n\\fBlento\\-chip\\-map\\fR(1)"));
  EXPECT_THAT(group, Not(HasSubstr(".SH EXAMPLE")));
}

TEST(ManualPage, NoTextBecomesARequest) {
  const Program p;
  std::istringstream page(manual_page(p.map(), "lento chip map"));
  const std::vector<std::string> requests = {".TH", ".SH", ".TP", ".nf", ".fi"};
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with(".")) {
      EXPECT_THAT(requests, testing::Contains(line.substr(0, 3))) << line;
    }
  }
  EXPECT_THAT(manual_page(p.map(), "lento chip map"), HasSubstr("\\&.starts with a dot"));
  EXPECT_THAT(manual_page(p.map(), "lento chip map"), HasSubstr("a \\e backslash"));
}

// The words that bash offers after `typed`.
std::vector<std::string> offered(const Program& p, std::vector<std::string> typed) {
  std::string words;
  for (const std::string& word : typed)
    words += " '" + word + "'";
  const std::string script = completion(p.root, "bash") + "\nCOMP_WORDS=(lento" + words +
                             ")\nCOMP_CWORD=" + std::to_string(typed.size()) +
                             "\n_lento\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  std::istringstream lines(answer("bash", script));
  std::vector<std::string> out;
  for (std::string line; std::getline(lines, line);)
    out.push_back(line);
  return out;
}

TEST(Completion, BashOffersWhatMayFollow) {
  const Program p;
  EXPECT_THAT(offered(p, {""}), IsSupersetOf({"chip", "fleet"}));
  EXPECT_THAT(offered(p, {"chip", ""}), IsSupersetOf({"map", "simulate"}));
  EXPECT_THAT(offered(p, {"chip", "map", "--"}), IsSupersetOf({"--output", "--json"}));
  EXPECT_THAT(offered(p, {"chip", "s"}), testing::ElementsAre("simulate"));
  EXPECT_THAT(offered(p, {"fleet", ""}), Not(testing::Contains("map")));
}

TEST(Completion, AnOptionsValueDoesNotLeaveTheCommand) {
  const Program p;
  EXPECT_THAT(offered(p, {"chip", "map", "--output", "fleet", "--j"}), testing::ElementsAre("--json"));
}

TEST(Completion, ZshIsBashWithItsOwnHead) {
  const Program p;
  const std::string zsh = completion(p.root, "zsh");
  EXPECT_THAT(zsh, testing::StartsWith("#compdef lento\n"));
  EXPECT_THAT(zsh, testing::EndsWith(completion(p.root, "bash")));
}

TEST(Completion, FishHasALineAnOptionAndACommand) {
  const Program p;
  const std::string fish = completion(p.root, "fish");
  EXPECT_THAT(fish, HasSubstr("complete -c lento -n '__fish_use_subcommand' -a chip -d 'Many cores'\n"));
  EXPECT_THAT(
      fish,
      HasSubstr("complete -c lento -n '__fish_seen_subcommand_from chip' -a map -d 'Place it\\'s layers'\n"));
  EXPECT_THAT(fish, HasSubstr("-n '__fish_seen_subcommand_from map' -l output -r -d"));
  EXPECT_THAT(fish, HasSubstr("-l json -d"));
}

}  // namespace
}  // namespace lento::cli
