// The door as a whole: exit codes, where text goes, and what a user who erred is told.
#include "cli/run.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <new>
#include <sstream>
#include <system_error>

#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "cli/context.h"

namespace lento::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

struct Values {
  std::string how;
  std::string records;
  std::string name;
  int count = 0;
};
Values g_values;

void add_fail(Command& app, Context&) {
  Command* c = app.add_subcommand("fail", "Fails as it is told");
  c->add_option("--failure", g_values.how, "How");
  c->add_option("--records", g_values.records, "Probe records");
  c->callback([] {
    const std::string& how = g_values.how;
    if (how == "error")
      throw base::Error({"file.yaml", 3}, "is \x1b[2J wrong");
    if (how == "hinted")
      throw base::Error({}, "wrong", "do this");
    if (how == "missing")
      throw base::Error({g_values.records}, "cannot open: No such file or directory");
    if (how == "kind")
      throw base::Error({g_values.records, 1}, "no magic");
    if (how == "bug")
      throw base::Bug("promise");
    if (how == "unknown")
      throw std::runtime_error("surprise");
    if (how == "memory")
      throw std::bad_alloc();
    if (how == "system")
      throw std::system_error(EMFILE, std::generic_category());
    if (how == "folder")
      throw std::filesystem::filesystem_error("x", "some/folder", std::make_error_code(std::errc::io_error));
  });
}

void add_greet(Command& app, Context& context) {
  Command* c = app.add_subcommand("greet", "Says hello");
  c->add_option("name", g_values.name, "Whom");
  c->add_option("--output", g_values.records, "Where to");
  c->add_option("--count", g_values.count, "How often")->check(range(0, 9));
  c->callback([&context] {
    context.streams.out << "hello " << g_values.name << "\n";
    context.warn("nearly done");
  });
}

void add_group(Command& app, Context&) {
  Command* c = app.add_subcommand("group", "Of two");
  c->require_subcommand(1);
  c->add_subcommand("one", "First");
  c->add_subcommand("two", "Second");
}

void add_judge(Command& app, Context& context) {
  Command* c = app.add_subcommand("judge", "Judges");
  context.add_output_options(*c);
  context.add_seed(*c);
  c->add_option("--outcome", g_values.how, "");
  c->callback([&context] {
    finding::Diagnosis d;
    d.seed = context.seed;
    d.figures = {{"A Table/1", "", finding::TableFigure{{"a"}, {{"1"}}}}};
    if (g_values.how == "findings")
      d.findings.resize(1);
    if (g_values.how == "unknown")
      cannot_judge(d, "reason", "remedy");
    else
      judged(d, "all");
    context.show(d);
  });
}

struct Result {
  int code;
  std::string out;
  std::string err;
};

Result run_with(const std::vector<std::string>& args) {
  g_values = {};
  std::ostringstream out;
  std::ostringstream err;
  const Program program{
      "lento",
      "Finds what is slow",
      {add_fail, add_greet, add_group, add_judge},
      {{"group three", "lento-lab group three"}},
      nullptr};
  const int code = run(program, args, {out, err});
  return {code, out.str(), err.str()};
}

TEST(Run, TheResultIsOnOutAndNothingElse) {
  const Result r = run_with({"greet", "you"});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out, "hello you\n");
  EXPECT_EQ(r.err, "warning: nearly done\n");
}

TEST(Run, EachKindOfFailureHasItsCode) {
  const std::tuple<const char*, int, const char*> failures[] = {
      {"error", 2, "file.yaml:3: error: is \\x1b[2J wrong"},
      {"hinted", 2, "error: wrong\n  hint: do this\n"},
      {"bug", 3, "bug: promise\n  This is a defect of lento"},
      {"unknown", 3, "bug: surprise"},
      {"memory", 2, "does not fit into"},
      {"system", 2, "error: the system refused: "},
      {"folder", 2, "some/folder: error: cannot be used: "}};
  for (const auto& [how, code, text] : failures) {
    const Result r = run_with({"fail", "--failure", how});
    EXPECT_EQ(r.code, code) << how;
    EXPECT_THAT(r.err, StartsWith(std::string(how) == "memory" ? "" : text));
    EXPECT_THAT(r.err, HasSubstr(text));
    EXPECT_THAT(r.out, IsEmpty()) << how;
  }
}

TEST(Run, AnErrorWithoutAWayOutNamesTheHelp) {
  EXPECT_THAT(
      run_with({"fail", "--failure", "error"}).err,
      EndsWith("\n  hint: 'lento fail --help' says what it takes\n"));
  EXPECT_THAT(run_with({"fail", "--failure", "hinted"}).err, Not(HasSubstr("--help")));
}

TEST(Run, VersionAndHelpInEveryForm) {
  EXPECT_EQ(run_with({"--version"}).out, run_with({"version"}).out);
  EXPECT_THAT(run_with({"--version"}).out, StartsWith("lento "));
  const Result help = run_with({"greet", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, HasSubstr("Says hello"));
  EXPECT_THAT(help.out, HasSubstr("--memory-limit"));
  EXPECT_EQ(run_with({"help", "greet"}).out, help.out);
  EXPECT_EQ(run_with({"help"}).out, run_with({"--help"}).out);
  EXPECT_THAT(help.err, IsEmpty());
}

TEST(Run, ACommandThatIsMissingOrMisspelt) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{}, "error: 'lento' needs one of its commands: fail, greet, group, judge"},
      {{"group"}, "error: 'lento group' needs one of its commands: one, two"},
      {{"gret"}, "error: 'gret' is no command of 'lento'\n  hint: did you mean 'greet'?"},
      {{"group", "tow"}, "error: 'tow' is no command of 'group'\n  hint: did you mean 'two'?"},
      {{"xyzzy"}, "hint: one of: fail, greet, group, judge"},
      {{"group", "three", "--fast"},
       "error: 'lento group three' is now 'lento-lab group three'\n  hint: lento-lab group three --help"}};
  for (const auto& [args, text] : cases) {
    const Result r = run_with(args);
    EXPECT_EQ(r.code, 2);
    EXPECT_THAT(r.err, HasSubstr(text));
    EXPECT_THAT(r.out, IsEmpty());
  }
}

TEST(Run, AnOptionThatIsMisspeltMovedOrOfAnother) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"greet", "--cuont", "1"},
       "error: '--cuont' is no option of 'lento greet'\n  hint: did you mean '--count'?"},
      {{"greet", "--cuont=1"}, "did you mean '--count'?"},
      {{"greet", "--out", "x"}, "error: '--out' of 'lento greet' is now '--output'"},
      {{"greet", "--failure", "x"},
       "it is an option of 'lento fail'; 'lento greet --help' lists what it takes"},
      {{"greet", "--count", "10"}, "'lento greet --help' lists what it takes"},
      {{"greet", "--count"}, "'lento greet --help' lists what it takes"}};
  for (const auto& [args, text] : cases) {
    const Result r = run_with(args);
    EXPECT_EQ(r.code, 2) << args[1];
    EXPECT_THAT(r.err, HasSubstr(text));
    EXPECT_THAT(r.err, StartsWith("error: "));
  }
}

TEST(Run, AMemoryLimitThatIsNoneIsRefused) {
  for (const char* bad : {"1MiB", "fast", "3", "2e18B", "63MiB"}) {
    const Result r = run_with({"greet", "--memory-limit", bad});
    EXPECT_EQ(r.code, 2) << bad;
    EXPECT_THAT(r.err, StartsWith("--memory-limit: error: found ")) << bad;
  }
  for (const char* fine : {"0", "64MiB", "8GiB"})
    EXPECT_EQ(run_with({"greet", std::string("--memory-limit=") + fine}).code, 0) << fine;
}

TEST(Run, AVerdictIsTheExitCodeWhenAskedFor) {
  EXPECT_EQ(run_with({"judge", "--outcome", "healthy"}).code, 0);
  EXPECT_EQ(run_with({"judge", "--outcome", "findings"}).code, 0);
  EXPECT_EQ(run_with({"judge", "--outcome", "findings", "--exit-code"}).code, 1);
  EXPECT_EQ(run_with({"judge", "--outcome", "healthy", "--exit-code"}).code, 0);
  EXPECT_EQ(run_with({"judge", "--outcome", "unknown"}).code, 4);
  EXPECT_EQ(run_with({"judge", "--outcome", "unknown", "--exit-code"}).code, 4);
}

TEST(Run, AVerdictInEveryFormItIsAskedFor) {
  const std::string folder = testing::TempDir() + "lento_run_test";
  std::filesystem::create_directories(folder);
  const Result r = run_with(
      {"judge",
       "--json",
       "--seed",
       "5",
       "--html",
       folder + "/p.html",
       "--figures",
       folder + "/f",
       "--trace-out",
       folder + "/t.json"});
  EXPECT_EQ(r.code, 0) << r.err;
  const finding::Diagnosis d = finding::diagnosis_from_json(base::parse_json(r.out, "out"), "out");
  EXPECT_EQ(d.seed, 5u);
  EXPECT_THAT(d.command, StartsWith("lento judge --json --seed 5"));
  EXPECT_FALSE(d.version.empty());
  EXPECT_THAT(base::read_file(folder + "/p.html"), StartsWith("<!doctype html>"));
  EXPECT_EQ(base::read_file(folder + "/f/1-a-table-1.csv"), "a\n1\n");
  EXPECT_THAT(base::read_file(folder + "/t.json"), HasSubstr("traceEvents"));
  std::filesystem::remove_all(folder);
}

TEST(Run, AMissingFileHasItsNeighbourNamed) {
  const std::string folder = testing::TempDir() + "lento_run_neighbours";
  std::filesystem::create_directories(folder);
  base::write_file(folder + "/records.csv", "x");
  EXPECT_THAT(
      run_with({"fail", "--failure", "missing", "--records", folder + "/recrods.csv"}).err,
      HasSubstr("  hint: did you mean '" + folder + "/records.csv'?\n"));
  EXPECT_THAT(
      run_with({"fail", "--failure", "missing", "--records=" + folder + "/none/records.csv"}).err,
      HasSubstr("there is no folder '" + folder + "/none'"));
  std::filesystem::remove_all(folder);
}

TEST(Run, AnInputIsNotOverwritten) {
  const std::string file = testing::TempDir() + "lento_run_overwritten.json";
  base::write_file(file, "x");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"judge", "--html", file, "--records", file},
        std::vector<std::string>{"judge", "--html=" + file, file}}) {
    EXPECT_THAT(
        run_with(words).err,
        HasSubstr(file + " is an input of this command, and --html would overwrite it"));
    EXPECT_EQ(base::read_file(file), "x");
  }
  std::filesystem::remove(file);
}

TEST(Run, AFileOfAnotherKindIsToldSo) {
  const std::string file = testing::TempDir() + "lento_run_kind.yaml";
  base::write_file(file, "schema: lento.chip/1\n");
  const std::string text = run_with({"fail", "--failure", "kind", "--records", file}).err;
  EXPECT_THAT(text, HasSubstr(file + " is "));
  EXPECT_THAT(text, HasSubstr("; --records wants: Probe records\n"));
  std::filesystem::remove(file);
}

TEST(Run, OutputThatCannotBeWrittenIsAnError) {
  g_values = {};
  std::ostringstream out;
  std::ostringstream err;
  out.setstate(std::ios::badbit);
  const Program program{"lento", "", {add_greet}, {}, nullptr};
  EXPECT_EQ(run(program, {"greet", "x"}, {out, err}), 2);
  EXPECT_THAT(err.str(), HasSubstr("cannot write all of the output"));
}

TEST(CommandLine, AShellReadsTheSameWords) {
  base::Rng rng(1, "quoting");
  const char* pieces[] = {"a", " ", "'", "\"", "$HOME", "`", "\\", "*", "é", "-", "=", ";", "\n", "&"};
  for (int run = 0; run < 30; ++run) {
    std::vector<std::string> args;
    std::string expected;
    for (uint64_t i = rng.below(4); i > 0; --i) {
      std::string word;
      for (uint64_t k = rng.below(6); k > 0; --k)
        word += pieces[rng.below(std::size(pieces))];
      args.push_back(word);
      expected += "[" + word + "]";
    }
    if (args.empty())
      continue;
    FILE* pipe = ::popen(command_line("printf '[%s]'", args).c_str(), "r");
    std::string answer;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
      answer += char(c);
    ::pclose(pipe);
    EXPECT_EQ(answer, expected);
  }
}

TEST(CommandLine, PlainWordsStayAndPasswordsGo) {
  EXPECT_EQ(command_line("lento", {"chip", "--seed=5", "a/b.yaml"}), "lento chip --seed=5 a/b.yaml");
  EXPECT_EQ(command_line("lento", {""}), "lento ''");
  EXPECT_THAT(command_line("lento", {"http://me:secret@host/"}), Not(HasSubstr("secret")));
}

TEST(Progress, OnlyATerminalSeesIt) {
  for (const bool terminal : {false, true}) {
    std::ostringstream out;
    std::ostringstream err;
    const Streams streams{out, err, terminal};
    Context context{streams, {}, {}, streams};
    const base::Progress progress = context.progress();
    EXPECT_FALSE(progress.stopped());
    progress("runs\x1b", 3, 10);
    EXPECT_EQ(err.str().empty(), !terminal);
    if (terminal) {
      EXPECT_EQ(err.str(), "\r\033[Kruns\\x1b 3 of 10");
    }
    EXPECT_THAT(out.str(), IsEmpty());
  }
}

TEST(Stamped, AStoredDiagnosisKeepsItsOrigin) {
  std::ostringstream sink;
  const Streams streams{sink, sink};
  Program program;
  program.name = "lento";
  const Context context{streams, {"report", "a b"}, program, streams};
  EXPECT_EQ(context.stamped({}).command, "lento report 'a b'");
  finding::Diagnosis stored;
  stored.version = "0.1";
  stored.command = "lento chip diagnose";
  EXPECT_EQ(context.stamped(stored).version, "0.1");
  EXPECT_EQ(context.stamped(stored).command, "lento chip diagnose");
}

TEST(Input, TheDigestIsThatOfTheBytes) {
  const std::string file = testing::TempDir() + "lento_run_digest";
  const std::string bytes(200000, 'x');
  base::write_file(file, bytes);
  EXPECT_EQ(Context::input_file("r", file).digest, Context::input("r", file, bytes).digest);
  EXPECT_EQ(Context::input_file("r", file).digest, base::digest(bytes));
  EXPECT_EQ(Context::input_file("r", "/dev/null").digest, "");
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace lento::cli
