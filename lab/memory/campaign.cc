// Runs the contention detector on many planted causes and healthy twins, and counts hits and false findings.
#include "lab/memory/campaign.h"

#include <map>
#include <memory>

#include "base/scan/csv.h"
#include "memory/mine/contention.h"

namespace lento::lab {
namespace {

using finding::Diagnosis;

class VectorSource : public memory::AccessSource {
 public:
  explicit VectorSource(const std::vector<memory::AccessRecord>& records)
      : records_(records) {
  }
  std::span<const memory::AccessRecord> next() override {
    if (done_)
      return {};
    done_ = true;
    return records_;
  }

 private:
  const std::vector<memory::AccessRecord>& records_;
  bool done_ = false;
};

Diagnosis diagnose(const PlantedTrace& trace) {
  memory::ContentionOptions options;
  options.support = 0.05;
  const memory::OpenTrace open = [&](base::ReadReport&) {
    return std::make_unique<VectorSource>(trace.records);
  };
  return memory::diagnose_contention(open, trace.facts, options).diagnosis;
}

}  // namespace

PlantedTrial try_planted(Plant plant, uint64_t seed) {
  const PlantedTrace sick = lab::plant(plant, seed, false);
  PlantedTrial t{
      plant,
      seed,
      sick.cpus,
      sick.line_bytes,
      sick.period,
      sick.by_culprit,
      "",
      "",
      "",
      false,
      false,
      "",
      "",
      0};
  const Diagnosis d = diagnose(sick);
  t.outcome = name(d.outcome);
  if (!d.findings.empty()) {
    t.category = d.findings.front().category;
    t.subject = d.findings.front().subject;
    t.cause_right = t.category == to_string(plant);
    t.variable_right = t.subject.find(sick.variable) != std::string::npos;
  }
  const Diagnosis twin = diagnose(lab::plant(plant, seed, true));
  t.twin_outcome = name(twin.outcome);
  t.twin_findings = int(twin.findings.size());
  if (!twin.findings.empty())
    t.twin_category = twin.findings.front().category;
  return t;
}

std::string trials_csv(const std::vector<PlantedTrial>& trials) {
  std::string text =
      "cause,seed,cpus,line_bytes,period,by_culprit,outcome,category,subject,cause_right,variable_right,"
      "twin_outcome,twin_findings,twin_category\n";
  for (const PlantedTrial& t : trials) {
    text += base::csv_line(
                {to_string(t.plant),
                 std::to_string(t.seed),
                 std::to_string(t.cpus),
                 std::to_string(t.line_bytes),
                 std::to_string(t.period),
                 std::to_string(t.by_culprit),
                 t.outcome,
                 t.category,
                 t.subject,
                 std::to_string(t.cause_right),
                 std::to_string(t.variable_right),
                 t.twin_outcome,
                 std::to_string(t.twin_findings),
                 t.twin_category}) +
            "\n";
  }
  return text;
}

Diagnosis summarize_planted(const std::vector<PlantedTrial>& trials) {
  struct Row {
    int trials = 0;
    int right = 0;
    int cause = 0;
    int twins = 0;
    int healthy = 0;
  };
  std::map<std::string, Row> rows;
  int right = 0;
  int accused = 0;
  for (const PlantedTrial& t : trials) {
    Row& row = rows[to_string(t.plant)];
    ++row.trials;
    row.cause += t.cause_right;
    row.right += t.cause_right && t.variable_right;
    row.twins += t.twin_findings > 0;
    row.healthy += t.twin_outcome == "healthy";
    right += t.cause_right && t.variable_right;
    accused += t.twin_findings > 0;
  }
  finding::TableFigure table{
      {"cause", "seeds", "cause and variable right", "cause right", "twins accused", "twins called healthy"},
      {}};
  for (const auto& [cause, row] : rows)
    table.rows.push_back(
        {cause,
         std::to_string(row.trials),
         std::to_string(row.right),
         std::to_string(row.cause),
         std::to_string(row.twins),
         std::to_string(row.healthy)});
  Diagnosis d;
  d.scale = "memory";
  d.title = "Planted causes and their healthy twins";
  d.verdict = std::to_string(right) + " of " + std::to_string(trials.size()) +
              " with cause and variable right; " + std::to_string(accused) + " twins accused";
  d.figures.push_back(
      {"By cause", "The first finding against the plant, and any finding on the twin.", table});
  return d;
}

}  // namespace lento::lab
