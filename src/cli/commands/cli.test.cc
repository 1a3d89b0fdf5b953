#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/version.h"
#include "cli/commands/test_call.h"

namespace lento::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Cli, HelpAndVersionGoToStandardOutput) {
  EXPECT_THAT(call({"--help"}).out, HasSubstr("SUBCOMMAND"));
  EXPECT_THAT(call({"report", "--help"}).out, HasSubstr("Usage: lento report [OPTIONS] DIAGNOSIS"));
  EXPECT_THAT(call({"--version"}).out, StartsWith(std::string("lento ") + base::kVersion + "\ncommit: "));
  EXPECT_THAT(call({"--version"}).out, HasSubstr("\nlibraries: nlohmann-json "));
  EXPECT_EQ(call({"version"}).out, call({"--version"}).out);
  EXPECT_EQ(call({"help", "chip", "map"}).out, call({"chip", "map", "--help"}).out);
  EXPECT_THAT(call({"help", "repport"}).err, HasSubstr("did you mean 'report'?"));
}

TEST(Cli, WrongUsageIsTwoWithAHint) {
  EXPECT_EQ(call({"chip"}).code, 2);
  const Outcome misspelt = call({"repport"});
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("'repport' is no command of 'lento'\n  hint: did you mean 'report'?"));
  EXPECT_EQ(call({"report"}).code, 2);
  EXPECT_EQ(call({"report", "x", "--no-such-option"}).code, 2);
}

// A folder of its own, with the working folder in it.
class Files : public ::testing::Test {
 protected:
  Files()
      : folder_(std::filesystem::temp_directory_path() / ("lento_files_" + std::to_string(::getpid()))),
        before_(std::filesystem::current_path()) {
    std::filesystem::create_directories(folder_);
    std::filesystem::current_path(folder_);
  }
  ~Files() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }
  std::filesystem::path folder_;
  std::filesystem::path before_;
};

TEST_F(Files, TheNameAloneSaysWhatCanBeAsked) {
  EXPECT_EQ(call({}).code, 0);
  EXPECT_THAT(call({}).out, HasSubstr("Nothing in this folder"));
  base::write_file("run.probe", "lento.probe/1 binary\n");
  base::write_file("job.csv", "machine,time,power\na,0,1\n");
  ASSERT_EQ(::mkfifo("pipe.csv", 0600), 0);
  const Outcome look = call({});
  EXPECT_EQ(look.code, 0);
  EXPECT_THAT(look.out, HasSubstr("run.probe  a probe record file"));
  EXPECT_THAT(look.out, HasSubstr("needs also the chip (lento.chip/1) and the mapping"));
  EXPECT_THAT(look.out, HasSubstr("lento fleet diagnose --machine-column machine --time-column time"));
  EXPECT_THAT(look.out, Not(HasSubstr("pipe.csv")));
}

TEST_F(Files, DiagnoseFindsTheDetectorAndPassesOptionsOn) {
  std::string table = "machine,time,power\n";
  for (int t = 0; t < 3; ++t)
    for (const char* machine : {"a", "b", "c"})
      table += std::string(machine) + "," + std::to_string(t) + ",1\n";
  base::write_file("job.csv", table);
  base::write_file("faults.yaml", "schema: lento.faults/1\n");
  const Outcome found = call({"diagnose", "job.csv", "faults.yaml", "--json", "--sarif", "s.json"});
  EXPECT_EQ(found.code, 4) << found.err;  // three seconds of three machines
  EXPECT_THAT(found.out, HasSubstr("\"schema\": \"lento.diagnosis/"));
  EXPECT_THAT(found.out, HasSubstr("\"command\": \"lento fleet diagnose --machine-column machine"));
  EXPECT_THAT(found.err, HasSubstr("faults.yaml is a list of faults (lento.faults/1); it is not used"));
  EXPECT_THAT(base::read_file("s.json"), HasSubstr("\"executionSuccessful\": false"));
}

// A table of kernels is judged as `lento predict --measured` judges it.
TEST_F(Files, DiagnoseJudgesATableOfKernels) {
  base::write_file("k.csv", "m,n,k,dtype,time_ms\n4096,4096,4096,bf16,5.5\n");
  base::write_file("a100.csv", "gpu,m,n,k,dtype,time_ms\nA100,4096,4096,4096,bf16,5.5\n");
  const std::string judged = call({"predict", "--measured", "k.csv", "--system", "a100"}).out;
  EXPECT_THAT(judged, HasSubstr("times what it should"));
  EXPECT_EQ(call({"diagnose", "k.csv", "--system", "a100"}).out, judged);
  EXPECT_THAT(call({"diagnose", "a100.csv"}).out, HasSubstr("times what it should"));
  EXPECT_THAT(call({"diagnose", "a100.csv", "--system", "h100"}).err, HasSubstr("--system is 'h100'"));
  EXPECT_THAT(call({"diagnose", "k.csv"}).err, HasSubstr("needs beside it: a system data sheet"));
}

TEST_F(Files, DiagnoseSaysWhatIsMissingOrInDoubt) {
  base::write_file("run.probe", "lento.probe/1 binary\n");
  base::write_file("a.yaml", "schema: lento.chip/1\n");
  base::write_file("b.yaml", "schema: lento.chip/1\n");
  base::write_file("m.json", R"({"schema": "lento.map/1"})");
  base::write_file("w.yaml", "schema: lento.workload/1\n");
  const Outcome missing = call({"diagnose", "run.probe", "a.yaml"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("run.probe: error: needs beside it: the mapping that ran"));
  EXPECT_THAT(
      call({"diagnose", "run.probe", "a.yaml", "b.yaml", "m.json"}).err,
      HasSubstr("a.yaml and b.yaml could both be the chip"));
  EXPECT_THAT(call({"diagnose", "w.yaml"}).err, HasSubstr("lento predict w.yaml, with a system data sheet"));
  EXPECT_EQ(call({"diagnose", "nowhere"}).code, 2);
  EXPECT_EQ(call({"diagnose"}).code, 2);
}

TEST(Cli, MisspeltAndFormerOptionsAreNamed) {
  EXPECT_THAT(
      call({"report", "x", "--jsn"}).err,
      HasSubstr("'--jsn' is no option of 'lento report'\n  hint: did you mean '--json'?"));
  EXPECT_THAT(
      call({"report", "x", "--perfetto=t"}).err,
      HasSubstr("'--perfetto' of 'lento report' is now '--trace-out'"));
  EXPECT_THAT(call({"report", "x", "--mapping", "m"}).err, HasSubstr("it is an option of 'lento chip "));
  EXPECT_THAT(
      call({"chip", "simulate", "--inferences", "many"}).err,
      HasSubstr("'lento chip simulate --help'"));
}

TEST(Cli, AFileOfAnotherKindIsRecognised) {
  const Outcome swapped = call(
      {"chip", "check", "--chip", "examples/chip/tiny.map.json", "--mapping", "examples/chip/tiny.map.json"});
  EXPECT_EQ(swapped.code, 2);
  EXPECT_THAT(
      swapped.err,
      HasSubstr("examples/chip/tiny.map.json is a mapping (compact map format, JSON); --chip wants: "));
  EXPECT_THAT(
      call({"report", "examples/chip/4x4.yml"}).err,
      HasSubstr("did you mean 'examples/chip/4x4.yaml'?"));
}

TEST(Cli, ControlCharactersAreShown) {
  const std::string path = (std::filesystem::temp_directory_path() / "lento_cli_escape.json").string();
  base::write_file(path, R"({"schema":"lento.diagnosis/1","title":"a\u001b[31mb","verdict":"v\u009bx"})");
  const Outcome text = call({"report", path});
  EXPECT_THAT(text.out, HasSubstr("a\\x1b[31mb"));
  EXPECT_THAT(text.out, Not(HasSubstr("\033")));
  EXPECT_THAT(call({"report", path, "--color", "always"}).out, HasSubstr("\033[1ma\\x1b[31mb\033[0m"));
  EXPECT_THAT(call({"report", path, "--json"}).out, HasSubstr("v\\u009bx"));
  EXPECT_THAT(call({"report", "no\033file"}).err, HasSubstr("no\\x1bfile"));
  std::filesystem::remove(path);
}

TEST(Cli, MemoryLimitIsAQuantityOrNothing) {
  EXPECT_THAT(call({"docs", "--memory-limit", "much"}).err, HasSubstr("--memory-limit: error: found 'much'"));
  EXPECT_EQ(call({"docs", "--memory-limit", "1KiB"}).code, 2);
  EXPECT_EQ(call({"docs", "--memory-limit=0"}).code, 0);
}

TEST(Cli, OutputThatCannotBeWrittenIsTwo) {
  std::ostringstream out;
  std::ostringstream err;
  out.setstate(std::ios::badbit);
  EXPECT_EQ(run(program(), {"--version"}, {out, err}), 2);
  EXPECT_THAT(err.str(), HasSubstr("cannot write"));
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
  size_t commands = 0;
  size_t examples = 0;
  for (size_t at = 0; (at = docs.find("\n## lento", at)) != std::string::npos; ++at)
    ++commands;
  for (size_t at = 0; (at = docs.find("Example:", at)) != std::string::npos; ++at)
    ++examples;
  EXPECT_GE(examples, commands / 2);
}

// A run of the shipped example, recorded, in a folder of its own.
class ChipDiagnose : public testing::Test {
 protected:
  ChipDiagnose()
      : folder_(testing::TempDir() + "lento_diagnose." + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder_);
    EXPECT_EQ(
        call({"chip", "simulate", "--chip", kChip, "--mapping", kMapping, "-o", folder_ + "/run.probe"}).code,
        0);
  }
  ~ChipDiagnose() override {
    std::filesystem::remove_all(folder_);
  }

  // With a chip that differs from the recorded one in one line of its file.
  std::string other_chip(const std::string& line, const std::string& instead) const {
    std::string text = base::read_file(kChip);
    text.replace(text.find(line), line.size(), instead);
    base::write_file(folder_ + "/other.yaml", text);
    return folder_ + "/other.yaml";
  }
  Outcome diagnose(const std::string& file, const std::string& chip, std::vector<std::string> more = {})
      const {
    std::vector<std::string>
        args{"chip", "diagnose", folder_ + "/" + file, "--chip", chip, "--mapping", kMapping};
    args.insert(args.end(), more.begin(), more.end());
    return call(args);
  }

  static constexpr const char* kChip = "examples/chip/4x4.yaml";
  static constexpr const char* kMapping = "examples/chip/tiny.map.json";
  std::string folder_;
};

TEST_F(ChipDiagnose, RecordsOfAnotherChipAreRefusedOrNoted) {
  const Outcome larger = diagnose("run.probe", other_chip("width: 4", "width: 5"));
  EXPECT_EQ(larger.code, 2);
  EXPECT_THAT(larger.err, HasSubstr("the records are of 16 cores, the chip has 20"));
  EXPECT_THAT(
      diagnose("run.probe", other_chip("name: 4x4", "name: mine")).out,
      HasSubstr("the records are of the chip '4x4', the file given is of 'mine'"));
  EXPECT_THAT(
      diagnose("run.probe", other_chip("clock: 100 MHz", "clock: 200 MHz")).out,
      HasSubstr("the records were made at 100 MHz, the chip file says 200 MHz"));
}

TEST_F(ChipDiagnose, TheReportSaysHowASketchWasMade) {
  const Outcome recorded =
      diagnose("run.probe", kChip, {"--budget", "4096", "--sketch", folder_ + "/run.sketch", "--json"});
  EXPECT_THAT(recorded.out, HasSubstr(base::digest(base::read_file(folder_ + "/run.probe"))));
  const Outcome read = diagnose("run.sketch", kChip, {"--json", "--healthy", folder_ + "/run.probe"});
  EXPECT_THAT(read.out, HasSubstr("\"4096\""));
  EXPECT_THAT(read.out, HasSubstr("sketch file"));
  EXPECT_THAT(read.out, HasSubstr("healthy run"));
  const Outcome refused = diagnose("run.sketch", kChip, {"--budget", "2048"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--budget is about recording"));
}

TEST_F(ChipDiagnose, RatesBeyondTheRecorderAreNoted) {
  for (const char* rate : {"262144", "0.1"}) {
    const std::string chip = other_chip("ops_per_cycle: 1024", std::string("ops_per_cycle: ") + rate);
    EXPECT_THAT(diagnose("run.probe", chip, {"--no-replay"}).out, HasSubstr("operations a cycle")) << rate;
  }
  EXPECT_THAT(diagnose("run.probe", kChip).out, ::testing::Not(HasSubstr("operations a cycle")));
}

}  // namespace
}  // namespace lento::cli
