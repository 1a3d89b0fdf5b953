// Applies the chip's model before and after the comparison by simulation of hypotheses (replay): it corrects
// the records, gives the chip as fitted to the run, and confirms or rejects the suspects.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chip/diagnose.h"
#include "chip/model/model.h"
#include "chip/recording.h"

namespace lento::chip {

class ModelJudge {
 public:
  // References must outlive the judge. It does nothing when the options forbid it or the mapping is too
  // large.
  ModelJudge(
      const ChipDiagnosisOptions& options,
      const ChipUnderTest& of,
      const Deviations& declared,
      const base::Progress& progress);

  // Return the functions that read_recording() calls with the records of the judged run, and with those of a
  // healthy run with the same recorder. They fit the model to them. Empty: nothing to be done.
  Prepare prepare();
  Prepare prepare_healthy();
  // Returns the function that read_recording() calls with the records of a further run of the same mapping on
  // the same chip. It fits the model to them, and a run with another number of inferences is left out with a
  // note. Throws base::Error when the model has not judged the first run.
  Prepare prepare_further(const std::string& path);
  bool judged() const {
    return verdict_.has_value();
  }
  // Returns the model, or nullptr as long as nothing was judged.
  std::shared_ptr<const ChipModel> model() const {
    return model_;
  }
  // Returns the fit of the healthy run when its records were given, otherwise that of the judged run: a
  // healthy run holds no fault that could pass for a property of the chip. Precondition: judged().
  const ModelVerdict& fitted() const {
    return healthy_ ? *healthy_ : *verdict_;
  }
  bool fitted_to_healthy() const {
    return healthy_.has_value();
  }
  // Removes from `reported` the suspects that the model or the raw records do not confirm.
  void confirm_reported(Detection& detection);
  // Replaces an all-clear by "cannot judge" when the model suspects a part although the comparison by replay
  // reported nothing. The reason states whether that part's raw records are slower.
  void doubt_all_clear(Detection& detection) const;
  // Returns whether no part's gain (twice the log-likelihood ratio) exceeds the threshold, so that nothing
  // needs to be simulated. Precondition: judged().
  bool quiet() const {
    return verdict_->most_gain() <= verdict_->threshold;
  }
  // Returns how many runs were simulated to judge, without those from which the model was learnt.
  int simulated() const {
    return simulated_ + (verdict_ ? verdict_->simulated : 0) + (healthy_ ? healthy_->simulated : 0);
  }
  // Fills the ranked list of a detection without suspects with the model's leading parts.
  void rank_leading(Detection& detection) const;
  // Adds facts, notes, classes that deviate, and the smallest factors that would have been reported.
  void add_to(finding::Diagnosis& d) const;

 private:
  FactorFit fitted_factors(std::vector<SlowPart> parts, bool measured = false);
  Confirmation confirmed(Suspect& suspect);
  void compare_by_simulation(Suspect& suspect);
  void add_runs(finding::Diagnosis& d) const;
  void add_detectable(finding::Diagnosis& d) const;
  void grey_unseen(finding::MeshFigure& mesh) const;
  FactorFit take_factors(Detection& detection);
  void withdraw_unexplained(Detection& detection, const FactorFit& fit) const;
  void doubt_beside_rival(Detection& detection, double likelihood);
  void judge_records(std::vector<ProbeRecord>& records);

  const ChipDiagnosisOptions& options_;
  const ChipUnderTest& of_;
  const Deviations declared_;
  const base::Progress& progress_;
  bool wanted_ = false;
  std::shared_ptr<const ChipModel> model_;
  std::optional<ModelVerdict> verdict_;
  std::optional<ModelVerdict> healthy_;
  std::vector<ModelVerdict> further_;
  std::vector<std::string> doubts_;
  int simulated_ = 0;
};

}  // namespace lento::chip
