// Writes a design in the format of config.h, so that reading gives the same design back.
#include "base/units.h"
#include "predict/search/search.h"

namespace lento::predict {
namespace {

class Lines {
 public:
  void section(int depth, const char* name) {
    text_ += std::string(size_t(depth) * 2, ' ') + name + ":\n";
  }
  void number(int depth, const char* name, double value) {
    put(depth, name, base::format_exact(value));
  }
  void put(int depth, const char* name, const std::string& value) {
    text_ += std::string(size_t(depth) * 2, ' ') + name + ": " + value + "\n";
  }
  std::string take() {
    return std::move(text_);
  }

 private:
  std::string text_;
};

void write_core(const CoreTechnology& t, Lines& out) {
  out.section(1, "core");
  out.number(2, "nominal_power_per_mcu", t.power_per_mcu);
  out.number(2, "nominal_flop_rate_per_mcu", t.flop_per_mcu);
  out.number(2, "nominal_area_per_mcu", t.area_per_mcu);
  out.number(2, "nominal_frequency", t.frequency);
  out.number(2, "nominal_voltage", t.voltage);
  out.number(2, "threshold_voltage", t.threshold);
  out.number(2, "margin_voltage", t.margin);
  out.number(2, "operating_area_per_mcu", t.operating_area_per_mcu);
  out.number(2, "num_mcu_per_bundle", t.mcu_per_bundle);
  out.number(2, "FMA_width", t.fma_width);
  out.put(2, "dataflow", t.dataflow);
  out.number(2, "util", t.utilisation);
}

void write_dram(const DramTechnology& t, Lines& out) {
  out.section(1, "DRAM");
  out.number(2, "dynamic_energy_per_bit", t.energy_per_bit);
  out.number(2, "static_power_per_bit", t.static_power_per_bit);
  out.number(2, "stack_capacity", t.stack_capacity);
  out.number(2, "area_per_stack", t.area_per_stack);
  out.number(2, "mem_ctrl_area", t.controller_area);
  out.number(2, "latency", t.latency);
  out.number(2, "nominal_frequency", t.frequency);
  out.number(2, "nominal_voltage", t.voltage);
  out.number(2, "threshold_voltage", t.threshold);
  out.number(2, "margin_voltage", t.margin);
  out.number(2, "max_voltage", t.max_voltage);
  out.number(2, "num_links_per_mm", t.links_per_mm);
  out.number(2, "num_links_per_stack", t.links_per_stack);
  out.number(2, "util", t.utilisation);
}

void write_sram(const char* name, const SramTechnology& t, Lines& out) {
  out.section(1, name);
  out.number(2, "dynamic_energy_per_bit", t.energy_per_bit);
  out.number(2, "static_power_per_bit", t.static_power_per_bit);
  out.number(2, "area_per_bit", t.area_per_bit);
  out.number(2, "bank_capacity", t.bank_capacity);
  out.number(2, "controller_area_per_link", t.controller_area_per_link);
  out.number(2, "controller_power_per_link", t.controller_power_per_link);
  out.number(2, "latency", t.latency);
  out.number(2, "overhead", t.overhead);
  out.number(2, "util", t.utilisation);
}

void write_link(const char* name, const LinkTechnology& t, Lines& out) {
  out.section(2, name);
  out.number(3, "latency", t.latency);
  out.number(3, "nominal_frequency", t.frequency);
  out.number(3, "nominal_voltage", t.voltage);
  out.number(3, "nominal_energy_per_link", t.energy_per_link);
  out.number(3, "nominal_area_per_link", t.area_per_link);
  out.number(3, "num_links_per_mm", t.links_per_mm);
  out.number(3, "threshold_voltage", t.threshold);
  out.number(3, "margin_voltage", t.margin);
  out.number(3, "util", t.utilisation);
}

void write_breakdown(const std::array<double, kComponents>& shares, Lines& out) {
  const char* names[] = {"core", "L2", "L1", "reg_mem", "DRAM"};
  for (size_t i = 0; i < 5; ++i)
    out.number(1, names[i], shares[i]);
  out.section(1, "network");
  out.number(2, "intra_node", shares[kIntra]);
  out.number(2, "inter_node", shares[kInter]);
}

void write_run(const CrossFlowConfig& c, Lines& out) {
  const Parallelism& p = c.parallelism;
  out.section(0, "system_hierarchy");
  out.number(1, "num_nodes_per_wafer", c.nodes_per_wafer);
  out.number(1, "num_workers", c.workers);
  out.number(1, "inter_derate", c.inter_derate);
  out.number(1, "intra_derate", c.intra_derate);
  const char* crossings[] = {"kp1_inter", "kp2_inter", "dp_inter", "lp_inter"};
  for (size_t i = 0; i < 4; ++i)
    out.put(1, crossings[i], c.crosses[i] ? "True" : "False");
  out.section(0, "scheduling_param");
  out.number(1, "dp", p.dp);
  out.number(1, "lp", p.layer_ways);
  for (const char* kernel : {"kp_hidden", "kp_softmax", "kp_embedding", "kp_projection"}) {
    const std::string name = kernel;
    out.number(1, (name + "_dim1").c_str(), p.kernel_rows);
    out.number(1, (name + "_dim2").c_str(), p.kernel_columns);
    out.number(
        1,
        (name + "_type").c_str(),
        p.split == Split::None ? -1 : (p.split == Split::ColumnRow ? 1 : 2));
  }
}

void write_levels(const CrossFlowConfig& c, Lines& out) {
  const char* types[] = {"SRAM-R", "SRAM-L1", "SRAM-L2", "DRAM"};
  const char* levels[] = {"l0", "l1", "l2", "l3"};
  out.section(0, "memory_hierarchy");
  for (size_t i = 0; i < 4; ++i) {
    out.section(1, levels[i]);
    out.put(2, "type", types[i]);
    out.put(
        2,
        "scope",
        c.scope[i] == Scope::Mcu ? "mcu" : (c.scope[i] == Scope::Bundle ? "mcu-bundle" : "global"));
  }
}

}  // namespace

std::string write_crossflow(const CrossFlowConfig& c) {
  Lines out;
  out.section(0, "model_param");
  out.number(1, "batch_size", c.model.batch);
  out.number(1, "vocab_size", c.model.vocabulary);
  out.number(1, "num_layers", c.model.layers);
  out.number(1, "layer_size", c.model.hidden);
  out.number(1, "projection", c.model.projection);
  out.number(1, "seq_len", c.model.sequence);
  out.number(1, "num_gates", c.model.gates);
  out.section(0, "sw_param");
  out.number(1, "kernel_launch_overhead", c.launch_overhead);
  out.number(1, "precision", c.precision);
  out.section(0, "tech_param");
  write_core(c.core, out);
  write_dram(c.dram, out);
  const char* srams[] = {"SRAM-R", "SRAM-L1", "SRAM-L2"};
  for (size_t i = 0; i < 3; ++i)
    write_sram(srams[i], c.sram[i], out);
  out.section(1, "network");
  write_link("intra_node", c.intra, out);
  write_link("inter_node", c.inter, out);
  out.section(0, "area_breakdown");
  out.number(1, "node_area_budget", c.budgets.node_area);
  out.number(1, "proc_chip_area_budget", c.budgets.chip_area);
  write_breakdown(c.budgets.area, out);
  out.section(0, "power_breakdown");
  out.number(1, "TDP", c.budgets.power);
  write_breakdown(c.budgets.share, out);
  out.section(0, "perimeter_breakdown");
  const char* edges[] = {"DRAM", "intra_node", "inter_node"};
  for (size_t i = 0; i < 3; ++i)
    out.number(1, edges[i], c.budgets.perimeter[i]);
  write_levels(c, out);
  write_run(c, out);
  return out.take();
}

}  // namespace lento::predict
