// Groups files by the question that they allow together (desk/recognise.h). The module that answers a
// question by itself also answers it here, so that a table beside a log has the same verdict as alone.
#include "desk/houses.h"

#include <algorithm>

#include "base/error.h"
#include "desk/log_events.h"
#include "fleet/diagnose.h"
#include "fleet/diagnose_ranks.h"

namespace lento::desk {
namespace {

bool is_command(const Question& question, const char* house, const char* verb, const char* option) {
  const std::vector<std::string>& words = question.command;
  return words.size() > 2 && words[0] == house && words[1] == verb &&
         (option[0] == 0 || std::ranges::find(words, option) != words.end());
}

finding::Diagnosis answer_of(const Question& question, const base::Progress& progress) {
  if (is_command(question, "fleet", "ranks", "")) {
    fleet::FleetRanksOptions options;
    options.paths = question.uses;
    return fleet::fleet_ranks(options, progress);
  }
  fleet::FleetDiagnosisOptions options;
  const bool is_answer = is_command(question, "fleet", "diagnose", "--answers");
  (is_answer ? options.source.answers : options.source.csv) = question.uses;
  options.scan.xids = meaning_of_xid;
  return fleet::diagnose_fleet(options, progress);
}

}  // namespace

FleetVerdicts verdicts_beside(const std::vector<RecognisedFile>& files, const base::Progress& progress) {
  FleetVerdicts out;
  for (const Question& question : questions_of(files)) {
    if (!is_command(question, "fleet", "ranks", "") && !is_command(question, "fleet", "diagnose", "--csv") &&
        !is_command(question, "fleet", "diagnose", "--answers"))
      continue;
    out.used.insert(out.used.end(), question.uses.begin(), question.uses.end());
    try {
      out.verdicts.push_back(answer_of(question, progress));
    } catch (const base::Error& error) {
      if (progress.stopped())
        throw;
      const std::string what = error.what();
      out.failures.push_back(what.substr(0, what.find('\n')));
    }
  }
  return out;
}

}  // namespace lento::desk
