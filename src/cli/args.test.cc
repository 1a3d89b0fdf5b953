#include "cli/args.h"

#include <gmock/gmock.h>

namespace lento::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A root with one command "go", whose options the test declares.
struct Line {
  Command root{"text", "lento"};
  Command* go = root.add_subcommand("go", "goes");

  bool parse(std::vector<std::string> args) {
    args.insert(args.begin(), "go");
    return root.parse(args);
  }
};

TEST(Args, EveryKindOfValueIsFilled) {
  std::string text = "default";
  int number = 0;
  double real = 0;
  bool flag = false;
  uint16_t port = 0;
  std::optional<int> some;
  std::optional<int> none;
  std::vector<std::string> words;
  std::vector<double> numbers;
  Line line;
  line.go->add_option("-t,--text", text, "");
  line.go->add_option("--number", number, "");
  line.go->add_option("--real", real, "");
  line.go->add_flag("--flag", flag, "");
  line.go->add_option("--port", port, "");
  line.go->add_option("--some", some, "");
  line.go->add_option("--none", none, "");
  line.go->add_option("--numbers", numbers, "")->delimiter(',');
  line.go->add_option("words", words, "");
  EXPECT_FALSE(line.parse(
      {"-t",
       "x",
       "--number=-3",
       "--real",
       "2.5",
       "--flag",
       "--port",
       "65535",
       "--some",
       "4",
       "--numbers",
       "1,2.5",
       "--",
       "a",
       "b"}));
  EXPECT_EQ(text, "x");
  EXPECT_EQ(number, -3);
  EXPECT_EQ(real, 2.5);
  EXPECT_TRUE(flag);
  EXPECT_EQ(port, 65535);
  EXPECT_EQ(some, 4);
  EXPECT_EQ(none, std::nullopt);
  EXPECT_THAT(numbers, ElementsAre(1, 2.5));
  EXPECT_THAT(words, ElementsAre("a", "b"));
}

TEST(Args, WhatIsNotGivenKeepsItsDefault) {
  std::string text = "default";
  Line line;
  const Option* option = line.go->add_option("--text", text, "");
  line.parse({});
  EXPECT_EQ(text, "default");
  EXPECT_EQ(option->count(), 0u);
  EXPECT_EQ(line.go->count("--text"), 0u);
}

TEST(Args, WhatDoesNotFitIsAUsageError) {
  int number = 0;
  uint8_t byte = 0;
  Line line;
  line.go->add_option("--number", number, "");
  line.go->add_option("--byte", byte, "");
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"--number", "x"},
        {"--number", "1.5"},
        {"--number"},
        {"--number", "99999999999"},
        {"--byte", "256"},
        {"--unknown"},
        {"operand"}})
    EXPECT_THROW(line.parse(args), UsageError) << args[0];
}

TEST(Args, RangesIncludeTheirEnds) {
  int whole = 0;
  double real = 0;
  Line line;
  line.go->add_option("--whole", whole, "")->check(range(1, 5));
  line.go->add_option("--real", real, "")->check(range(0.5, 1.5));
  for (const char* fits : {"1", "5"})
    EXPECT_NO_THROW(line.parse({"--whole", fits})) << fits;
  for (const char* outside : {"0", "6", "2.5"})
    EXPECT_THROW(line.parse({"--whole", outside}), UsageError) << outside;
  for (const char* fits : {"0.5", "1.5", "1"})
    EXPECT_NO_THROW(line.parse({"--real", fits})) << fits;
  for (const char* outside : {"0.4", "1.6", "nan"})
    EXPECT_THROW(line.parse({"--real", outside}), UsageError) << outside;
}

TEST(Args, WhatIsNoNumberIsNeverOne) {
  double plain = 0;
  std::optional<double> some;
  std::vector<double> several;
  Line line;
  line.go->add_option("--plain", plain, "");
  line.go->add_option("--some", some, "");
  line.go->add_option("--several", several, "")->delimiter(',');
  for (const char* option : {"--plain", "--some", "--several"}) {
    EXPECT_THROW(line.parse({option, "nan"}), UsageError) << option;
    EXPECT_THROW(line.parse({option, "-NaN"}), UsageError) << option;
    EXPECT_NO_THROW(line.parse({option, "1e3"})) << option;
  }
  EXPECT_THROW(line.parse({"--several", "1,nan"}), UsageError);
}

TEST(Args, ARangeOfOneNumberBeginsAtZero) {
  const Check check = range(7);
  EXPECT_EQ(check.low, 0);
  EXPECT_EQ(check.high, 7);
  EXPECT_TRUE(check.whole);
  EXPECT_FALSE(range(0.0, 1.0).whole);
}

TEST(Args, OneOfSeveralWordsOrANumber) {
  std::string value;
  Line line;
  line.go->add_option("--value", value, "")->check_any({one_of({"auto", "all"}), range(1, 3)});
  for (const char* fits : {"auto", "all", "2"}) {
    line.parse({"--value", fits});
    EXPECT_EQ(value, fits);
  }
  for (const char* outside : {"none", "4", ""})
    EXPECT_THROW(line.parse({"--value", outside}), UsageError) << outside;
}

TEST(Args, RequiredAndExcluding) {
  int a = 0;
  int b = 0;
  Line line;
  Option* first = line.go->add_option("--a", a, "")->required();
  line.go->add_option("--b", b, "")->excludes(first);
  EXPECT_THROW(line.parse({}), UsageError);
  EXPECT_THROW(line.parse({"--a", "1", "--b", "2"}), UsageError);
  EXPECT_NO_THROW(line.parse({"--a", "1"}));
}

TEST(Args, ExpectedNumberOfValues) {
  std::vector<int> pair;
  std::vector<int> few;
  Line line;
  line.go->add_option("--pair", pair, "")->expected(2);
  line.go->add_option("--few", few, "")->expected(1, 3);
  EXPECT_NO_THROW(line.parse({"--pair", "1", "2"}));
  EXPECT_THAT(pair, ElementsAre(1, 2));
  EXPECT_THROW(line.parse({"--pair", "1"}), UsageError);
  EXPECT_NO_THROW(line.parse({"--few", "1", "2", "3"}));
  EXPECT_EQ(few.size(), 3u);
}

TEST(Args, TheCallbackOfTheNamedCommandRunsAlone) {
  Command root("text", "lento");
  std::vector<std::string> ran;
  for (const char* name : {"one", "two"}) {
    Command* c = root.add_subcommand(name, "");
    c->callback([&ran, name] {
      ran.push_back(name);
    });
  }
  EXPECT_EQ(root.chosen(), nullptr);
  root.parse({"two"});
  EXPECT_THAT(ran, ElementsAre("two"));
  ASSERT_NE(root.chosen(), nullptr);
  EXPECT_EQ(root.chosen()->name(), "two");
}

TEST(Args, HelpIsAskedForAndRunsNothing) {
  Line line;
  bool ran = false;
  int rate = 7;
  line.go->add_option("--rate", rate, "How fast")->capture_default_str()->type_name("HZ");
  line.go->callback([&] {
    ran = true;
  });
  line.go->footer("Example: lento go");
  EXPECT_TRUE(line.parse({"--help"}));
  EXPECT_FALSE(ran);
  const std::string help = line.go->help("lento");
  for (const char* part : {"goes", "--rate", "HZ", "HZ=7", "How fast", "Example: lento go", "lento go"})
    EXPECT_THAT(help, HasSubstr(part));
}

TEST(Args, WordsForHelpAndCompletion) {
  Line line;
  std::string file;
  bool flag = false;
  std::string operand;
  line.go->add_option("-o,--output", file, "Where to")->type_name("FILE");
  line.go->add_flag("--flag", flag, "");
  EXPECT_FALSE(line.go->takes_operands());
  line.go->add_option("operand", operand, "What");
  EXPECT_TRUE(line.go->takes_operands());
  const std::vector<OptionWords> all = line.go->options();
  const auto named = [&](const std::string& name) {
    return *std::ranges::find(all, name, &OptionWords::name);
  };
  EXPECT_EQ(named("--output").names, "-o,--output");
  EXPECT_EQ(named("--output").type, "FILE");
  EXPECT_EQ(named("--output").text, "Where to");
  EXPECT_EQ(named("--flag").type, "");
  EXPECT_EQ(named("").text, "What");
}

TEST(Args, CommandsInTheOrderOfTheirDeclaration) {
  Command root("text", "lento");
  for (const char* name : {"z", "a", "m"})
    root.add_subcommand(name, std::string("about ") + name);
  std::vector<std::string> names;
  for (const Command* c : root.subcommands())
    names.push_back(c->name() + ": " + c->text());
  EXPECT_THAT(names, ElementsAre("z: about z", "a: about a", "m: about m"));
  EXPECT_THAT(root.subcommands()[0]->subcommands(), IsEmpty());
}

TEST(Args, ASubcommandCanBeRequired) {
  Command root("text", "lento");
  root.add_subcommand("go", "");
  root.require_subcommand(1);
  EXPECT_THROW(root.parse({}), UsageError);
  EXPECT_NO_THROW(root.parse({"go"}));
}

}  // namespace
}  // namespace lento::cli
