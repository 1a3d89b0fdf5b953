// Interprets the labels of a store's series: machine, device, scrape target. A store sends the same labels
// with every answer, so the interpretation is cached.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fleet/read/metric_names.h"

namespace lento::fleet {

// A target that the store scrapes: a job and an instance of it.
struct ScrapeTarget {
  std::string job;
  std::string instance;
  auto operator<=>(const ScrapeTarget&) const = default;
};

// Returns the value of the first of `wanted` that exists and is not empty, null when none does.
const std::string* first_of(const LabelList& labels, const std::vector<std::string>& wanted);

struct SeriesName {
  std::string machine;  // empty: the labels name none
  std::string device;   // empty: the labels name none
  LabelList labels;     // labels whose names are in LabelMeaning::label_names
};

// The names of the labels that identify a machine or a device, or that are kept.
struct LabelMeaning {
  std::vector<std::string> machine_labels;
  std::vector<std::string> device_labels;
  std::vector<std::string> label_names;
};

class SeriesNames {
 public:
  SeriesNames(LabelMeaning meaning, MachineNames names)
      : meaning_(std::move(meaning)),
        names_(std::move(names)) {
  }

  SeriesName name(const LabelList& labels);

  // Returns the cached result for labels by their encoded bytes. Calls `parse` when the bytes are new.
  const SeriesName& name(std::string_view bytes, const std::function<LabelList()>& parse);

  // Returns the machines found so far, by the scrape target whose series name them.
  const std::map<ScrapeTarget, std::set<std::string>>& scraped() const {
    return scraped_;
  }
  size_t remembered() const {
    return known_.size();
  }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  // Limit of the cache, because series that come and go (pods) must not fill the memory of a watch that runs
  // for months.
  static constexpr size_t kMost = size_t{1} << 20;

  LabelMeaning meaning_;
  MachineNames names_;
  std::map<ScrapeTarget, std::set<std::string>> scraped_;
  std::unordered_map<std::string, SeriesName, Hash, std::equal_to<>> known_;
};

}  // namespace lento::fleet
