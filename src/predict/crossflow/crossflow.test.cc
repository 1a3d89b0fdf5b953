// Parity with what the released tool printed (data/predict/deepflow_*.csv; its three working configurations).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/number.h"
#include "base/scan/csv.h"
#include "predict/crossflow/language_model.h"
#include "predict/crossflow/placement.h"

namespace lento::predict {
namespace {

std::string data_folder() {
  const char* shared = std::getenv("LENTO_SHARED");
  return std::string(shared ? shared : "../shared") + "/data/predict/";
}

using Row = std::map<std::string, std::string>;

std::vector<Row> rows_of(const std::string& name) {
  base::ReadReport report;
  base::CsvReader in(data_folder() + name, report);
  std::vector<Row> rows;
  while (in.next()) {
    Row& row = rows.emplace_back();
    for (size_t i = 0; i < in.columns().size(); ++i)
      row[in.columns()[i]] = in.row()[i];
  }
  return rows;
}

double value(const Row& row, const std::string& key) {
  return base::parse_double(row.at(key), {key});
}

Dims dims_of(const std::string& text) {
  Dims d{};
  size_t at = 0;
  for (double& side : d) {
    const size_t end = std::min(text.find('x', at), text.size());
    side = base::parse_double(std::string_view(text).substr(at, end - at), {text});
    at = end + 1;
  }
  return d;
}

class CrossFlowParity : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(data_folder() + "deepflow_reference.csv.gz"))
      GTEST_SKIP() << "no recorded outputs in " << data_folder();
  }
  static CrossFlowConfig config(const std::string& name) {
    return read_crossflow(data_folder() + "deepflow_configs/" + name.substr(name.rfind('/') + 1));
  }
  static CrossFlowConfig edited(const Row& row) {
    CrossFlowConfig c = config(row.at("config"));
    if (row.at("edits").find("precision 2->4") != std::string::npos)
      c.precision = 4;
    c.workers = int(value(row, "N"));
    if (c.workers > 1)
      c.crosses = {true, true, true, true};
    c.parallelism.kernel_rows = int(value(row, "kp1"));
    c.parallelism.kernel_columns = int(value(row, "kp2"));
    return c;
  }
};

void expect_near(double ours, double theirs, const std::string& what) {
  EXPECT_LE(std::fabs(ours - theirs), 1e-6 * std::fabs(theirs) + 1e-6)
      << what << ": " << ours << " against " << theirs;
}

TEST_F(CrossFlowParity, MachinesEqualTheRecordedOnes) {
  for (const Row& row : rows_of("deepflow_age_reference.csv")) {
    const Machine m = generate(config(row.at("config")));
    const std::string name = row.at("config");
    expect_near(m.mcus, value(row, "num_mcu"), name + " MCUs");
    expect_near(m.bundles, value(row, "num_bundle"), name + " bundles");
    expect_near(m.core.voltage, value(row, "core_op_voltage"), name + " core voltage");
    expect_near(m.core.frequency, value(row, "core_op_freq_hz"), name + " core frequency");
    expect_near(m.raw_flops, value(row, "op_flops"), name + " flops");
    expect_near(m.flops, value(row, "derated_flops"), name + " derated flops");
    expect_near(m.memory[3].bytes, value(row, "L3_B"), name + " DRAM bytes");
    expect_near(m.memory[3].raw_bytes_per_s, value(row, "L3_Bps"), name + " DRAM bandwidth");
    expect_near(m.dram_links, value(row, "L3_links"), name + " DRAM links");
    expect_near(m.dram.voltage, value(row, "L3_volt"), name + " DRAM voltage");
    expect_near(m.memory[2].bytes, value(row, "L2_B"), name + " L2 bytes");
    expect_near(m.memory[2].raw_bytes_per_s, value(row, "L2_Bps_raw"), name + " L2 bandwidth");
    expect_near(m.memory[1].bytes, value(row, "L1_B"), name + " L1 bytes");
    expect_near(m.memory[1].raw_bytes_per_s, value(row, "L1_Bps"), name + " L1 bandwidth");
    expect_near(m.memory[0].bytes, value(row, "L0_B"), name + " register bytes");
    expect_near(m.memory[0].raw_bytes_per_s, value(row, "L0_Bps"), name + " register bandwidth");
    expect_near(m.inter.count, value(row, "inter_links"), name + " inter links");
    // p4.yaml gives its links no power; the recorded 2.8e-5 B/s is the original's rounding error around zero.
    EXPECT_NEAR(m.inter.bytes_per_s, value(row, "inter_Bps"), 1e-6 * value(row, "inter_Bps") + 1e-3) << name;
  }
}

TEST_F(CrossFlowParity, ProductsWithTheRecordedTileTakeTheRecordedTime) {
  std::map<std::string, std::pair<CrossFlowConfig, Machine>> known;
  size_t checked = 0;
  for (const Row& row : rows_of("deepflow_reference.csv.gz")) {
    if (row.at("workload") != "GEMM")
      continue;
    const CrossFlowConfig c = edited(row);
    const Machine machine = generate(c);
    KernelModel model(machine, c);
    ParallelLinks links = parallel_links(machine, c);
    const double m = value(row, "m");
    const double n = value(row, "n");
    const double k = value(row, "k");
    const double kp1 = c.parallelism.kernel_rows;
    const double kp2 = c.parallelism.kernel_columns;
    Dims dims{m, n, k};  // alone, the original swaps n and k
    double reduction = 0;
    if (row.at("type") == "CR") {
      links.kernel_rows.bytes_per_s /= kp1 <= 4 ? 2 : 5;  // the original's fixed shares of a DGX-1 link
      dims = {m, k / kp1, n};
      reduction = model.collective(
          KernelModel::Collective::ReduceScatter,
          m * n,
          c.parallelism.kernel_rows,
          links.kernel_rows);
    } else if (row.at("type") == "RC") {
      links.kernel_columns.bytes_per_s /= kp2 <= 4 ? 2 : 5;
      dims = {m / kp1, k, n / kp2};
      reduction = model.collective(
          KernelModel::Collective::AllGather,
          m / kp1 * n,
          c.parallelism.kernel_columns,
          links.kernel_columns);
    }
    const std::string& text = row.at("best_tile_L0_L1_L2");
    const size_t first = text.find('|'), second = text.rfind('|');
    const Tiles tiles{
        dims_of(text.substr(0, first)),
        dims_of(text.substr(first + 1, second - first - 1)),
        dims_of(text.substr(second + 1))};
    const double theirs = value(row, "pred_s");
    const double ours = model.gemm_with(dims, dims_of(row.at("best_order")), tiles) + reduction;
    ASSERT_NEAR(ours, theirs, 1e-6 * theirs)
        << row.at("type") << " N=" << row.at("N") << " " << m << " " << n << " " << k;
    model.reset_dataflow();
    const GemmTime free = model.gemm(dims[0], dims[1], dims[2]);
    ASSERT_LE(free.seconds + reduction, theirs * (1 + 1e-6));
    model.reset_dataflow();
    ASSERT_DOUBLE_EQ(model.gemm_with(dims, free.order, free.tiles), free.seconds);
    ++checked;
  }
  EXPECT_EQ(checked, 2304u);
}

TEST_F(CrossFlowParity, LanguageModelsTakeTheRecordedTime) {
  size_t checked = 0;
  double worst = 0;
  for (const Row& row : rows_of("deepflow_reference.csv.gz")) {
    if (row.at("workload") != "LSTM-LM")
      continue;
    CrossFlowConfig c = config(row.at("config"));
    c.model.batch = value(row, "batch");
    c.model.sequence = value(row, "seq");
    c.model.hidden = value(row, "hidden");
    c.model.vocabulary = value(row, "vocab");
    c.model.layers = int(value(row, "layers"));
    const double theirs = value(row, "pred_s");
    const double ours = language_model_time(generate(c), c).seconds;
    worst = std::max(worst, std::fabs(ours - theirs) / theirs);
    ++checked;
  }
  EXPECT_EQ(checked, 250u);
  EXPECT_LE(worst, 0.005);
}

TEST_F(CrossFlowParity, EveryPlacementDeratesAsRecorded) {
  size_t checked = 0;
  const auto count = [](const Row& row, const char* key) {
    return int(value(row, key));
  };
  for (const Row& row : rows_of("deepflow_derate_reference.csv.gz")) {
    const ParallelShape shape{count(row, "kp1"), count(row, "kp2"), count(row, "dp"), count(row, "lp")};
    const std::string& text = row.at("order(kp1=0;kp2=1;dp=2;lp=3)");
    const DimensionOrder order{text[0] - '0', text[2] - '0', text[4] - '0', text[6] - '0'};
    const PlacementResult placed = place(shape, order, count(row, "wafer_dim"));
    const std::string name = text + " of " + row.at("dp") + "," + row.at("kp1") + "," + row.at("kp2") + "," +
                             row.at("lp") + " on " + row.at("wafer_dim");
    ASSERT_TRUE(placed.fits) << name;
    ASSERT_EQ(placed.derate.inter, count(row, "inter_derate")) << name;
    ASSERT_EQ(placed.derate.intra, count(row, "intra_derate")) << name;
    const char* keys[] = {"kp1_inter", "kp2_inter", "dp_inter", "lp_inter"};
    for (size_t d = 0; d < 4; ++d)
      ASSERT_EQ(placed.derate.crosses[d], row.at(keys[d]) == "True") << name << keys[d];
    ++checked;
  }
  EXPECT_GE(checked, 1900u);
}

TEST(CrossFlow, DistinctOrdersLeaveOutTrivialDimensions) {
  EXPECT_EQ(distinct_orders({1, 1, 1, 1}).size(), 1u);
  EXPECT_EQ(distinct_orders({2, 4, 1, 1}).size(), 2u);
  EXPECT_EQ(distinct_orders({2, 4, 8, 3}).size(), 24u);
  EXPECT_EQ(distinct_orders({2, 2, 8, 1}).size(), 3u);
}

TEST(CrossFlow, FewerUnitsInsteadOfASlowerClockNeverLosesThroughputAtTheSamePower) {
  CrossFlowConfig c;
  c.core = {1, 100, 1, 1e9, 0.8, 0.2, 0.35, 1, 4, 4, "best", 1};
  c.budgets.chip_area = 100;
  c.budgets.area[kCore] = 1;
  c.budgets.power = 10;
  c.budgets.share[kCore] = 1;
  const Machine slower = generate(c, BelowMargin::SlowerClock);
  const Machine fewer = generate(c, BelowMargin::FewerUnits);
  EXPECT_EQ(slower.mcus, 100);
  EXPECT_LT(fewer.mcus, 100);
  EXPECT_GT(fewer.core.frequency, slower.core.frequency);
}

}  // namespace
}  // namespace lento::predict

namespace lento::predict {
namespace {

// More power than the highest voltage draws buys no clock.
TEST(Machine, AClockEndsAtTheTechnologysLimit) {
  CrossFlowConfig c = read_crossflow("examples/search/node.yaml");
  c.budgets.power = 100e3;
  const Machine m = generate(c, BelowMargin::FewerUnits);
  EXPECT_NEAR(m.core.voltage, 1.25 * c.core.voltage, 1e-9);
  EXPECT_LT(m.core.frequency, 3 * c.core.frequency);
  EXPECT_GT(
      generate(c, BelowMargin::SlowerClock).core.frequency,
      m.core.frequency);  // the released code has none
}

}  // namespace
}  // namespace lento::predict
