// Checks records against physics in blocks. Operations and transfers are checked separately, because only
// transfers of one core may overlap. The earliest begin in the first block becomes time 0 when the block
// holds a record of inference 0 and all its records begin within less time than lies before them: their
// counter then ran long before the run.
#include "chip/read/true_records.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/rng.h"
#include "evidence/physics.h"

namespace lento::chip {
namespace {

constexpr size_t kBlock = size_t{1} << 18;  // records of a block; 40 MB with the memory of the checks

// Returns a digest of a record, to find repeated ones.
uint64_t digest_of(const ProbeRecord& r) {
  uint64_t words[sizeof(ProbeRecord) / sizeof(uint64_t)];
  std::memcpy(words, &r, sizeof words);
  uint64_t digest = 0;
  for (const uint64_t word : words)
    digest = base::mix64(digest ^ word);
  return digest;
}

// Sets in `flaws` what is wrong with each operation, or with each transfer, of the block
// (evidence/physics.h).
void flag(const std::vector<ProbeRecord>& block, bool operations, std::vector<evidence::Flaw>& flaws) {
  std::vector<size_t> place;
  std::vector<evidence::TimedRecord> timed;
  for (size_t i = 0; i < block.size(); ++i) {
    const ProbeRecord& r = block[i];
    if ((r.kind == ProbeKind::Compute) != operations)
      continue;
    place.push_back(i);
    timed.push_back({r.core, int64_t(r.begin), int64_t(r.end), double(r.work), digest_of(r)});
  }
  evidence::PhysicsOptions options;
  options.one_at_a_time = operations;
  options.always_works = operations;
  const evidence::Screening screening = evidence::screen(timed, options);
  for (size_t k = 0; k < place.size(); ++k)
    flaws[place[k]] = screening.flaw[k];
}

}  // namespace

bool TrueRecords::next(ProbeRecord& out) {
  while (used_ == block_.size())
    if (!fill())
      return false;
  out = block_[used_++];
  return true;
}

// Reads the next block of records. Returns false at the end.
bool TrueRecords::fill() {
  index_ += block_.size();
  block_.clear();
  used_ = 0;
  ProbeRecord record;
  while (block_.size() < kBlock && next_record_(record))
    block_.push_back(record);
  if (block_.empty())
    return false;
  const size_t read = block_.size();
  screen_block();
  index_ += read - block_.size();
  if (first_ && !block_.empty()) {
    find_origin();
    first_ = false;
  }
  for (ProbeRecord& r : block_) {
    r.begin -= origin_;
    r.end -= origin_;
  }
  return true;
}

// Removes repeated and impossible records from the block, and reports each with its reason.
void TrueRecords::screen_block() {
  std::vector<evidence::Flaw> flaws(block_.size(), evidence::Flaw::None);
  flag(block_, true, flaws);
  flag(block_, false, flaws);
  size_t kept = 0;
  for (size_t i = 0; i < block_.size(); ++i) {
    std::string_view reason = evidence::name(flaws[i]);
    if (flaws[i] == evidence::Flaw::None && block_[i].begin < origin_)
      reason = "begins before the first record of the file";
    else if (flaws[i] == evidence::Flaw::None) {
      block_[kept++] = block_[i];
      continue;
    }
    --report_.taken;
    report_.skip({path_, 0, 0, "record " + std::to_string(index_ + i)}, std::string(reason));
  }
  block_.resize(kept);
}

// Sets origin_, the time that counts as zero, when the counter did not start with the run (top of this file).
void TrueRecords::find_origin() {
  const auto begins = std::ranges::minmax(block_, {}, &ProbeRecord::begin);
  const bool from_the_start = std::ranges::any_of(block_, [](const ProbeRecord& r) {
    return r.inference == 0;
  });
  if (from_the_start && begins.min.begin > begins.max.begin - begins.min.begin)
    origin_ = begins.min.begin;
}

std::string TrueRecords::damage() const {
  // Repeated records are not damage: a file that was written twice holds everything.
  const auto repeated = report_.reasons.find(std::string(evidence::name(evidence::Flaw::Repeated)));
  const uint64_t wrong = report_.skipped - (repeated == report_.reasons.end() ? 0 : repeated->second);
  const uint64_t all = report_.taken + wrong;
  const double most = evidence::PhysicsOptions{}.most_set_aside;
  if (double(wrong) <= most * double(all))
    return "";
  return std::to_string(wrong) + " of " + std::to_string(all) + " records cannot be true";
}

}  // namespace lento::chip
