// Lists every record that the mapping plans, adds them up by core and pattern, and compares counts and sizes
// with the entries of the sketch.
#include "chip/detect/belongs.h"

#include <algorithm>
#include <map>

#include "chip/detect/path.h"
#include "chip/detect/tuning.h"

namespace lento::chip {
namespace {

// The records of one pattern on one core that a mapping plans.
struct Planned {
  uint64_t count = 0;  // per inference
  // Least and most work of one record: operations of a compute, bytes of a transfer.
  uint64_t least = UINT64_MAX;
  uint64_t most = 0;
};
using Plan = std::map<std::pair<size_t, uint32_t>, Planned>;

Plan plan_of(const Sketch& sketch, const Program& program, const spec::Chip& chip) {
  Plan plan;
  for_each_record(program, Grid(chip), [&](size_t core, const ProbeRecord& record, uint64_t times) {
    if (core >= sketch.cores().size())
      return;
    const unsigned octaves = sketch.cores()[core].shape().octaves;
    Planned& p = plan[{core, pattern_of(record, octaves).packed()}];
    p.count += times;
    p.least = std::min(p.least, record.work);
    p.most = std::max(p.most, record.work);
  });
  return plan;
}

// Returns the name of a core: its position on a chip with a data sheet, else its number. Records may hold
// numbers of cores that the chip does not have.
std::string core_words(size_t core, const Grid& grid) {
  const bool named = grid.is_sheet() && core < size_t(grid.core_count());
  return named ? grid.core_name(int(core)) : "core " + std::to_string(core);
}

}  // namespace

std::string words_of(const Pattern& pattern, size_t core, const Grid& grid) {
  const std::string at = " on " + core_words(core, grid);
  const std::string subject = std::to_string(pattern.subject);
  if (pattern.kind == ProbeKind::Compute)
    return "operations of layer " + subject + at;
  if (pattern.kind == ProbeKind::Message)
    return "messages from " + core_words(pattern.subject, grid) + at;
  const std::string what = pattern.kind == ProbeKind::Read ? "reads from" : "writes to";
  return what + " DRAM port " + subject + at;
}

namespace {

bool strange(const SketchEntry& entry, const Plan& plan, size_t core, uint64_t inferences) {
  const auto planned = plan.find({core, entry.key});
  if (planned == plan.end())
    return true;
  const Planned& p = planned->second;
  if (entry.count > p.count * std::max<uint64_t>(inferences, 1))
    return true;
  return entry.mean_work < double(p.least) * (1 - kMeanWorkError) ||
         entry.mean_work > double(p.most) * (1 + kMeanWorkError);
}

void count_coverage(const Sketch& sketch, const Plan& plan, Belonging& out) {
  std::vector<uint64_t> planned(sketch.cores().size());
  for (const auto& [where, pattern] : plan)
    planned[where.first] += pattern.count * std::max<uint64_t>(sketch.inferences(), 1);
  for (size_t core = 0; core < planned.size(); ++core) {
    const uint64_t recorded = std::min(sketch.cores()[core].records(), planned[core]);
    out.planned += planned[core];
    out.recorded += recorded;
    if (double(recorded) < kLeastRecorded * double(planned[core]))
      out.unseen.push_back(core);
  }
}

}  // namespace

bool Belonging::belongs() const {
  return strange <= kMostStrange * entries;
}

double Belonging::share() const {
  return planned == 0 ? 1 : double(recorded) / double(planned);
}

std::string Belonging::gap() const {
  if (share() < kLeastRecorded)
    return "only " + std::to_string(recorded) + " of the " + std::to_string(planned) +
           " records that the mapping makes were recorded";
  if (unseen.empty())
    return {};
  std::string cores;
  for (const size_t core : unseen)
    cores += (cores.empty() ? "" : ", ") + std::to_string(core);
  return "too few records came from cores " + cores;
}

Belonging belonging_of(const Sketch& sketch, const Program& program, const spec::Chip& chip) {
  const Plan plan = plan_of(sketch, program, chip);
  const Grid grid(chip);
  Belonging out;
  out.patterns = plan.size();
  count_coverage(sketch, plan, out);
  for (size_t core = 0; core < sketch.cores().size(); ++core) {
    for (const CoreSketch::Entry& kept : sketch.cores()[core].entries()) {
      ++out.entries;
      if (!strange(*kept.entry, plan, core, sketch.inferences()))
        continue;
      ++out.strange;
      if (out.examples.size() < 3)  // enough to show where to look
        out.examples.push_back(words_of(Pattern::unpack(kept.entry->key), core, grid));
    }
  }
  return out;
}

}  // namespace lento::chip
