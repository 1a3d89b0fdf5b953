// Commands one after another, as their users type them: what one writes the next reads, and whatever was
// changed on the way is refused with exit code 2 or 1 and a reason.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/json.h"
#include "base/test_folder.h"
#include "cli/commands/test_call.h"
#include "predict/time/question.h"
#include "predict/time/workload.h"

namespace lento::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Chain : public base::test::FolderTest {
 protected:
  static void good(const std::vector<std::string>& args) {
    const Outcome outcome = call(args);
    EXPECT_EQ(outcome.code, 0) << args[0] << " " << args[1] << ": " << outcome.err;
  }
};

// Measured products: as the sheet predicts them, times `factor`.
std::string products(double factor) {
  std::string text = "gpu,precision,m,n,k,measured_s\n";
  for (const int64_t m : {1024, 2048, 4096}) {
    const predict::Gemm g{1, m, 4096, 4096, predict::Precision::Bf16};
    const double s = factor * predict::predict_gemm(predict::read_system("h100"), g).seconds;
    text += "h100,bf16," + std::to_string(m) + ",4096,4096," + std::to_string(s) + "\n";
  }
  return text;
}

TEST_F(Chain, AMeasuredRunIsHealthyOrHasFindings) {
  const std::string well = file("well.csv", products(1));
  const std::string slow = file("slow.csv", products(3));
  const auto judged = [](const std::string& path) {
    const Outcome o = call({"predict", "--system", "h100", "--measured", path, "--json", "--exit-code"});
    return std::pair{o.code, base::parse_json(o.out, "out").string_or("outcome", "none", {})};
  };
  EXPECT_EQ(judged(well), (std::pair{0, std::string("healthy")}));
  EXPECT_EQ(judged(slow), (std::pair{1, std::string("findings")}));
}

TEST_F(Chain, StepTimesAreReadInTheirUnit) {
  const std::string workload = "examples/predict/gpt3_175b.yaml";
  const double step =
      predict::answer(predict::read_system("a100"), predict::read_workload(workload, {})).seconds;
  const auto judged = [&](double seconds, const std::string& unit) {
    std::string text = "machine,time,step\n";
    for (int t = 0; t < 20; ++t)
      text += "a," + std::to_string(t) + "," + std::to_string(seconds) + "\n";
    return call(
        {"predict",
         "steps",
         workload,
         "--system",
         "a100",
         "--csv",
         file("steps.csv", text),
         "--machine-column",
         "machine",
         "--time-column",
         "time",
         "--unit",
         unit,
         "--exit-code"});
  };
  EXPECT_EQ(judged(step, "s").code, 0) << judged(step, "s").err;
  EXPECT_EQ(judged(1e3 * step, "ms").code, 0);
  EXPECT_EQ(judged(4 * step, "s").code, 1);
  EXPECT_EQ(judged(1e3 * step, "s").code, 1);
  EXPECT_EQ(judged(step, "h").code, 2);
}

TEST_F(Chain, PredictNamesWhatItCannotDo) {
  const auto error = [](std::vector<std::string> args) {
    args.insert(args.begin(), "predict");
    const Outcome o = call(args);
    EXPECT_EQ(o.code, 2);
    return o.err;
  };
  const std::string gemm = "examples/predict/gemm.yaml";
  EXPECT_THAT(error({gemm, "--system", "h1000"}), HasSubstr("h1000"));
  EXPECT_THAT(error({gemm, "--system", "h100", "--precision", "fp12"}), HasSubstr("'fp12' is not known"));
  EXPECT_THAT(error({gemm, "--system", "h100", "--batch", "0"}), HasSubstr("--batch"));
  EXPECT_THAT(error({gemm, "--system", "h100", "--price", "-1"}), HasSubstr("--price"));
  EXPECT_THAT(error({gemm}), HasSubstr("no system is named"));
  EXPECT_THAT(error({"/no/such.yaml", "--system", "h100"}), HasSubstr("/no/such.yaml"));
  const std::string table = file("q.csv", "gpu,m,n,k\nnone,1,1,1\n");
  EXPECT_THAT(error({"--table", table}), AllOf(HasSubstr("q.csv:2"), HasSubstr("none of the 1 rows")));
  EXPECT_THAT(error({"calibrate", table, "--system", "h100", "--fit", "pointwize"}), HasSubstr("pointwise"));
}

TEST_F(Chain, DevicesAloneAskForTheirBestLayouts) {
  const auto asked = [](std::vector<std::string> layout) {
    layout.insert(
        layout.begin(),
        {"predict", "--model", "llama-3.1-8b", "--train", "--batch", "64", "--system", "h100"});
    return call(layout);
  };
  const Outcome devices = asked({"--gpus", "16"});
  EXPECT_EQ(devices.code, 0) << devices.err;
  EXPECT_EQ(devices.out, asked({"--parallel", "all=16"}).out);
  EXPECT_EQ(asked({"--gpus", "16", "--parallel", "tp=2"}).code, 2);
  EXPECT_EQ(asked({"--gpus", "0"}).code, 2);
}

// Whatever is asked row by row is answered as when it is asked alone.
TEST_F(Chain, ATableIsAnsweredRowByRow) {
  const std::string rows[] = {"h100,bf16,512,512,512", "a100,bf16,4096,1024,64", "h200,fp8,8192,8192,8192"};
  std::string all = "gpu,precision,m,n,k\n";
  std::string expected;
  for (const std::string& row : rows) {
    all += row + "\n";
    const Outcome one = call({"predict", "--table", file("one.csv", "gpu,precision,m,n,k\n" + row + "\n")});
    expected += one.out.substr(one.out.find('\n') + 1);
  }
  const Outcome many = call({"predict", "--table", file("all.csv", all)});
  EXPECT_EQ(many.out.substr(many.out.find('\n') + 1), expected);
}

TEST_F(Chain, ATileProgramFromTheOwnerToTheTile) {
  good({"tile", "keygen", at("owner")});
  good({"tile", "keygen", at("dev")});
  good({"tile", "keygen", at("shop")});
  EXPECT_EQ(call({"tile", "keygen", at("owner")}).code, 2);  // a key is never overwritten
  good({"tile", "build", "--shipped", "echo.c", "-o", at("echo.ypu"), "--rollback", "3"});
  good({"tile", "verify", at("echo.ypu")});
  good(
      {"tile",
       "certify",
       at("dev.pub"),
       "--owner",
       at("owner.key"),
       "-o",
       at("dev.cert"),
       "--subject",
       "Acme",
       "--block",
       "1",
       "--until",
       "2999-12-31"});
  good({"tile", "sign", at("echo.ypu"), "--key", at("dev.key")});
  good({"tile", "store", "init", at("store"), "--key", at("shop.key")});
  const std::vector<std::string> publish = {
      "tile",
      "store",
      "publish",
      at("store"),
      "echo",
      at("echo.ypu"),
      "--key",
      at("shop.key"),
      "--cert",
      at("dev.cert")};
  good(publish);
  const std::vector<std::string> audit =
      {"tile", "store", "audit", at("store"), "--store-key", at("shop.pub")};
  good(audit);
  std::filesystem::create_directories(at("got"));
  const std::vector<std::string> fetch =
      {"tile", "store", "fetch", at("store"), "echo", "--store-key", at("shop.pub"), "-o", at("got")};
  good(fetch);
  // Somebody changes one byte of what the store holds.
  for (const auto& object : std::filesystem::directory_iterator(at("store/objects"))) {
    std::string bytes = base::read_file(object.path().string());
    bytes.back() ^= 1;
    std::filesystem::permissions(object.path(), std::filesystem::perms::owner_all);
    base::write_file(object.path().string(), bytes);
  }
  EXPECT_NE(call(audit).code, 0);
  EXPECT_NE(call(fetch).code, 0);
}

TEST_F(Chain, ADamagedImageIsNoImage) {
  good({"tile", "build", "--shipped", "echo.c", "-o", at("echo.ypu")});
  const std::string bytes = base::read_file(at("echo.ypu"));
  for (const size_t place : {size_t{0}, size_t{8}, size_t{20}, bytes.size() - 1}) {
    std::string broken = bytes;
    broken[place] = char(broken[place] ^ 0x40);
    const Outcome o = call({"tile", "verify", file("broken.ypu", broken)});
    EXPECT_EQ(o.code, 2) << place;
    EXPECT_THAT(o.err, HasSubstr("broken.ypu")) << place;
  }
}

TEST_F(Chain, ADiagnosisAgainstItselfHasNothingNew) {
  const std::string slow = file("slow.csv", products(3));
  const std::string well = file("well.csv", products(1));
  for (const std::string& path : {slow, well}) {
    const Outcome o = call({"predict", "--system", "h100", "--measured", path, "--json"});
    base::write_file(path + ".json", o.out);
  }
  const auto diff = [&](const std::string& a, const std::string& b) {
    return call({"diff", a + ".json", b + ".json", "--exit-code"}).code;
  };
  EXPECT_EQ(diff(slow, slow), 0);
  EXPECT_EQ(diff(well, well), 0);
  EXPECT_EQ(diff(well, slow), 1);
  EXPECT_EQ(diff(slow, well), 0);
  EXPECT_EQ(call({"diff", slow, well + ".json"}).code, 2);  // a table is no diagnosis
}

TEST_F(Chain, ASimulatedFleetIsItsSeeds) {
  const auto job = [&](const std::string& name, const std::string& seed) {
    good(
        {"fleet",
         "simulate",
         "--machines",
         "6",
         "--preset",
         "paper",
         "--healthy",
         "--seconds",
         "300",
         "--seed",
         seed,
         "-o",
         at(name)});
    return base::read_file(at(name));
  };
  const std::string once = job("a.csv", "4");
  EXPECT_EQ(job("b.csv", "4"), once);
  EXPECT_NE(job("c.csv", "5"), once);
  EXPECT_EQ(call({"fleet", "simulate", "--machines", "3", "-o", at("d.csv")}).code, 2);
  EXPECT_EQ(call({"fleet", "simulate", "--preset", "peper", "-o", at("d.csv")}).code, 2);
}

}  // namespace
}  // namespace lento::cli
