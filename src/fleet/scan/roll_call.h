// Lists which of a job's machines report, which are silent, and when the source itself does not answer.
//
// Silence is measured in time during which the source answers. When under three quarters of the members have
// a sample in a row, the source is at fault, not its machines. After such an outage silences are counted from
// 0 again, because the first rows after it are incomplete, except that a machine that was already quiet for
// long is reported again soon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lento::fleet {

class RollCall {
 public:
  // A member is silent after `limit_ms` of answered time without a sample, and has left after `gone_ms`.
  RollCall(size_t machines, int64_t step_ms, int64_t limit_ms, int64_t gone_ms);

  // Takes one row, in which `reports[m]` is not zero for machines with a sample. Returns false when the
  // source did not answer.
  bool row(int64_t time_ms, std::span<const uint8_t> reports);
  // Notes a sample that came too late for its row.
  void heard(size_t machine, int64_t time_ms);
  void leave(size_t machine) {
    seen_ms_[machine] = kNever;
  }
  // Adds a member whose last sample was at `seen_ms` (kNever: no sample yet).
  void join(size_t machine, int64_t seen_ms);

  static constexpr int64_t kNever = INT64_MIN;
  bool member(size_t machine) const {
    return seen_ms_[machine] != kNever;
  }
  bool silent(size_t machine) const;  // whether a member is silent while the source answers
  int64_t seen_ms(size_t machine) const {
    return seen_ms_[machine];
  }
  int64_t quiet_for_ms(size_t machine) const {
    return answered_ms_ - seen_answered_ms_[machine];
  }
  int64_t limit_ms() const {
    return limit_ms_;
  }
  size_t members() const;
  size_t reporting() const {
    return reporting_;
  }  // number of members with a sample in the last row
  bool answered() const {
    return answered_;
  }  // whether the source answered in the last row

 private:
  void start_silences_anew();

  int64_t step_ms_;
  int64_t limit_ms_;
  int64_t gone_ms_;
  std::vector<int64_t> seen_ms_;           // time of the last sample; kNever: no member
  std::vector<int64_t> seen_answered_ms_;  // value of answered_ms_ at that sample
  int64_t answered_ms_ = 0;
  int64_t outage_ms_ = 0;
  int64_t now_ms_ = 0;
  size_t reporting_ = 0;
  bool answered_ = false;
};

}  // namespace lento::fleet
