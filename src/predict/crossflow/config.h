// One design point of the CrossFlow paper: technology, budgets, workload and parallelism, in the YAML file
// of the released CrossFlow tool of 2021 (docs/formats/crossflow.md). Sizes such as "4 GB" are binary there.
#pragma once

#include <array>
#include <string>

namespace lento::predict {

struct CoreTechnology {
  double power_per_mcu = 0;  // W, nominal
  double flop_per_mcu = 0;   // operations per cycle, nominal
  double area_per_mcu = 0;   // mm2, nominal
  double frequency = 0;
  double voltage = 0;
  double threshold = 0;
  double margin = 0;
  double operating_area_per_mcu = 0;
  int mcu_per_bundle = 1;
  double fma_width = 1;
  // Operand kept in place: weights (wst), activations (ast) or outputs (ost). "best" picks one, "none" none.
  std::string dataflow = "best";
  double utilisation = 1;
};

struct DramTechnology {
  double energy_per_bit = 0;
  double static_power_per_bit = 0;
  double stack_capacity = 0;  // bytes
  double area_per_stack = 0;
  double controller_area = 0;
  double latency = 0;
  double frequency = 0;
  double voltage = 0;
  double threshold = 0;
  double margin = 0;
  double max_voltage = 0;
  double links_per_mm = 0;
  double links_per_stack = 0;
  double utilisation = 1;
};

struct SramTechnology {
  double energy_per_bit = 0;
  double static_power_per_bit = 0;
  double area_per_bit = 0;
  double bank_capacity = 0;  // bytes
  double controller_area_per_link = 0;
  double controller_power_per_link = 0;
  double latency = 0;
  double overhead = 0;
  double utilisation = 1;
};

struct LinkTechnology {
  double latency = 0;
  double frequency = 0;
  double voltage = 0;
  double energy_per_link = 0;
  double area_per_link = 0;
  double links_per_mm = 0;
  double threshold = 0;
  double margin = 0;
  double utilisation = 1;
};

// Components that share the area and power budgets. All arrays by component use this order.
enum Component {
  kCore,
  kL2,
  kL1,
  kRegisters,
  kDram,
  kIntra,
  kInter,
  kComponents
};

enum class Scope {
  Mcu,
  Bundle,
  Global
};

// The split of a matrix product over workers: none, over the inner dimension (ColumnRow), or over rows and
// columns of the result (RowColumn).
enum class Split {
  None,
  ColumnRow,
  RowColumn
};

// Workers along each parallel dimension. The two factors of kernel parallelism and the layer ways are kp1,
// kp2 and lp in the paper and in its configuration files.
struct Parallelism {
  int dp = 1;
  int layer_ways = 1;
  int kernel_rows = 1;
  int kernel_columns = 1;
  Split split = Split::None;
};

struct LanguageModel {  // LSTM
  double batch = 0;
  double vocabulary = 0;
  double hidden = 0;
  double sequence = 0;
  double projection = 0;
  int layers = 1;
  int gates = 4;
};

struct Budgets {
  // Areas in mm2.
  double node_area = 0;
  double chip_area = 0;
  double power = 0;  // W
  // `area` is in fractions of the chip area, `share` in fractions of the power.
  std::array<double, kComponents> area{};
  std::array<double, kComponents> share{};
  std::array<double, 3> perimeter{};  // DRAM, intra, inter: fractions of the chip edge
};

struct CrossFlowConfig {
  LanguageModel model;
  double launch_overhead = 0;  // s
  double precision = 2;        // bytes of a value
  CoreTechnology core;
  DramTechnology dram;
  std::array<SramTechnology, 3> sram;  // registers, L1, L2
  LinkTechnology intra;
  LinkTechnology inter;
  Budgets budgets;
  std::array<Scope, 4> scope{};  // registers, L1, L2, DRAM
  int workers = 1;
  int nodes_per_wafer = 1;
  double inter_derate = 1;
  double intra_derate = 0;
  std::array<bool, 4> crosses{};  // kernel rows, kernel columns, data and layers leave the package
  Parallelism parallelism;
};

// Throws base::Error with the place of every missing or unreadable field.
CrossFlowConfig read_crossflow(const std::string& path);

}  // namespace lento::predict
