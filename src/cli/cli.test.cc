#include "cli/cli.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "cli/version.h"

namespace lento::cli {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  int code;
  std::string out, err;
};

Outcome call(const std::vector<std::string>& args) {
  std::ostringstream out, err;
  const int code = run(args, {out, err});
  return {code, out.str(), err.str()};
}

TEST(Cli, HelpAndVersionGoToStandardOutput) {
  EXPECT_THAT(call({"--help"}).out, HasSubstr("SUBCOMMAND"));
  EXPECT_THAT(call({"report", "--help"}).out, HasSubstr("Usage: lento report [OPTIONS] DIAGNOSIS"));
  EXPECT_EQ(call({"--version"}).out, std::string("lento ") + kVersion + "\n");
}

TEST(Cli, WrongUsageIsTwoWithAHint) {
  EXPECT_EQ(call({}).code, 2);
  const Outcome misspelt = call({"repport"});
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("'repport' is no command of 'lento'\n  hint: did you mean 'report'?"));
  EXPECT_EQ(call({"report"}).code, 2);
  EXPECT_EQ(call({"report", "x", "--no-such-option"}).code, 2);
}

TEST(Cli, MissingInputIsTwoAndNamed) {
  const Outcome outcome = call({"report", "no/such/file.json"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no/such/file.json: error: cannot open"));
  EXPECT_EQ(outcome.out, "");
}

TEST(Cli, FindingsAreOneOnlyWhenAsked) {
  const std::string path = (std::filesystem::temp_directory_path() / "lento_cli_test.json").string();
  base::write_file(path, R"({"schema":"lento.diagnosis/1","verdict":"v","findings":[{"subject":"core1"}]})");
  EXPECT_EQ(call({"report", path}).code, 0);
  EXPECT_EQ(call({"report", path, "--exit-code"}).code, 1);
  EXPECT_THAT(call({"report", path, "--json"}).out, HasSubstr("\"command\": \"lento report"));
  std::filesystem::remove(path);
}

TEST(Cli, DocsHoldEveryCommandWithAnExample) {
  const std::string docs = call({"docs"}).out;
  EXPECT_THAT(docs, HasSubstr("## lento report"));
  size_t commands = 0, examples = 0;
  for (size_t at = 0; (at = docs.find("\n## lento", at)) != std::string::npos; ++at) ++commands;
  for (size_t at = 0; (at = docs.find("Example:", at)) != std::string::npos; ++at) ++examples;
  EXPECT_GE(examples, commands / 2);
}

}  // namespace
}  // namespace lento::cli
