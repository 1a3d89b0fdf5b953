// Reads the published tables of training runs, with the chip, software and model that each row names.
#include "lab/predict/training_runs.h"

#include <cstdlib>
#include <filesystem>

#include "base/number.h"
#include "base/scan/csv.h"

namespace lento::predict {
namespace {

struct Table {
  const char* name;
  const char* file;
  const char* chip;  // of tables that do not name it
};
constexpr Table kTables[] = {
    {"torchtitan", "train_torchtitan.csv", ""},
    {"Megatron Bridge", "train_megatron_bridge.csv", ""},
    {"MPT", "train_mpt_llmfoundry.csv", ""},
    {"MaxText", "train_tpu_maxtext.csv", ""},
    {"published", "train_published_runs.csv", ""},
    {"Megatron-Core", "train_megatron_core_h100.csv", "h100"}};

std::string text_in(const base::CsvReader& row, const char* column) {
  const int at = row.find(column);
  return at < 0 ? std::string() : row.text(at);
}

std::string silicon_of(const System& system) {
  for (const char* shared : {"b200", "a100"}) {
    if (system.name == shared || system.similar_chip == shared)
      return shared;
  }
  return system.name;
}

std::string software_of(const std::string& framework) {
  for (const char* software :
       {"torchtitan", "megatron bridge mixture", "megatron bridge hybrid", "megatron bridge"}) {
    if (framework.starts_with(software))
      return software;
  }
  return framework;
}

PublishedRun published(const Table& table, Dialect dialect, const base::CsvReader& row, double seconds) {
  PublishedRun out;
  out.measured.question = parse_question(dialect, row);
  out.measured.seconds = seconds;
  if (out.measured.question.device.empty())
    out.measured.question.device = table.chip;
  const System* chip = find_shipped(out.measured.question.device);
  if (!chip)
    return out;
  out.table = table.name;
  out.name = text_in(row, "model") + " " + text_in(row, "container") + " " + text_in(row, "precision");
  out.chip = chip->name;
  out.silicon = silicon_of(*chip);
  out.software = software_of(out.framework());
  out.parameters = out.run().model.parameters();
  constexpr double kGibibyte = 1 << 30;
  out.peak_bytes = base::try_double(text_in(row, "peak_mem_gib")).value_or(0) * kGibibyte;
  return out;
}

void read_table(const Table& table, const std::string& path, std::vector<PublishedRun>& out) {
  base::ReadReport report;
  base::CsvReader row(path, report);
  const Dialect dialect = dialect_of(row);
  for (uint64_t index = 0; row.next(); ++index) {
    try {
      const auto seconds = measured_s(dialect, row);
      PublishedRun run = seconds ? published(table, dialect, row, *seconds) : PublishedRun{};
      run.measured.index = index;
      if (!run.chip.empty())
        out.push_back(run);
    } catch (const base::Error&) {
      report.skip(row.where(-1), "row that asks nothing that can be predicted");
    }
  }
}

}  // namespace

std::string published_tables() {
  const char* shared = std::getenv("LENTO_SHARED");
  return std::string(shared ? shared : "../shared") + "/data/predict";
}

std::vector<Measurement> published_rows(const std::string& folder, const std::string& table) {
  const std::string path = folder + "/" + table;
  base::ReadReport report;
  return std::filesystem::exists(path) ? read_measurements(path, report) : std::vector<Measurement>{};
}

std::vector<PublishedRun> published_runs(const std::string& folder) {
  std::vector<PublishedRun> out;
  for (const Table& table : kTables) {
    const std::string path = folder + "/" + table.file;
    if (std::filesystem::exists(path))
      read_table(table, path, out);
  }
  return out;
}

}  // namespace lento::predict
