// Counts names in one ordered map. The end of a run is estimated as the median of the last times of its
// streams, so that it is right as long as fewer than half of the streams were cut off.
#include "evidence/census.h"

#include <algorithm>
#include <map>

#include "evidence/sample.h"

namespace lento::evidence {

Census take_census(
    std::span<const std::string> spoken_of,
    std::span<const Sighting> seen,
    std::span<const Stream> streams) {
  std::map<std::string, uint64_t> records;
  for (const std::string& name : spoken_of)
    records.emplace(name, 0);
  for (const Sighting& s : seen) {
    uint64_t& count = records[s.name];
    count = std::max(count, count + s.records);
  }
  Census census;
  for (const auto& [name, count] : records) {
    if (count == 0)
      census.unseen.push_back(name);
    else if (count == 1)
      census.once.push_back(name);
  }
  if (streams.empty())
    return census;
  std::vector<int64_t> ends;
  for (const Stream& s : streams)
    ends.push_back(s.last);
  const int64_t end = upper_median_reordering(std::span(ends));
  for (const Stream& s : streams) {
    const bool early =
        s.last < end && uint64_t(end) - uint64_t(s.last) > uint64_t(std::max<int64_t>(0, s.longest_silence));
    if (!s.closed && early)
      census.unfinished.push_back(s.name);
  }
  std::ranges::sort(census.unfinished);
  return census;
}

}  // namespace lento::evidence
