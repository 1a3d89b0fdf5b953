// The chip's model around today's comparison by replay: it prepares the records, gives the chip as it is, and
// confirms or refuses who is accused.
#pragma once

#include <memory>
#include <optional>

#include "chip/diagnose.h"
#include "chip/model/model.h"
#include "chip/recording.h"

namespace lento::chip {

class ModelJudge {
 public:
  // References must outlive the judge. It judges nothing where the options or the size of the mapping forbid
  // it.
  ModelJudge(const ChipDiagnosisOptions& options, const ChipUnderTest& of, const Deviations& declared);

  Prepare prepare();          // of the run that is judged
  Prepare prepare_healthy();  // of a healthy one by the same recorder
  bool judged() const {
    return verdict_.has_value();
  }
  // The file's chip with the settings that the run fits.
  spec::Chip chip_of(const spec::Chip& file) const {
    return verdict_ ? verdict_->chip : file;
  }
  // Takes out of `reported` those on whom model and raw records do not agree.
  void confirm_reported(Detection& detection);
  // Nothing was found although the model's leading part and its raw records agree: nobody can say healthy.
  void doubt_all_clear(Detection& detection) const;
  // Facts, notes, classes that differ, and what could have been named.
  void add_to(finding::Diagnosis& d) const;

 private:
  Confirmation confirmed(Suspect& suspect) const;
  void compare_by_simulation(Suspect& suspect) const;
  uint64_t end_of(const Suspect& suspect) const;
  double take_factors(Detection& detection) const;
  void doubt_beside_rival(Detection& detection, double likelihood) const;
  void judge_records(std::vector<ProbeRecord>& records);

  const ChipDiagnosisOptions& options_;
  const ChipUnderTest& of_;
  const Deviations declared_;
  bool wanted_ = false;
  std::shared_ptr<const ChipModel> model_;
  std::optional<ModelVerdict> verdict_;
  std::vector<std::string> doubts_;
};

}  // namespace lento::chip
