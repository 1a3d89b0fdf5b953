// Interprets the labels of a series once and caches the result by the bytes of the labels, because a store
// sends the same labels with every answer. The cache is emptied when it reaches its limit.
#include "fleet/read/series_names.h"

namespace lento::fleet {

const std::string* first_of(const LabelList& labels, const std::vector<std::string>& wanted) {
  for (const std::string& name : wanted) {
    for (const auto& [key, value] : labels) {
      if (key == name && !value.empty())
        return &value;
    }
  }
  return nullptr;
}

SeriesName SeriesNames::name(const LabelList& labels) {
  SeriesName out;
  const std::string* machine = first_of(labels, meaning_.machine_labels);
  if (!machine)
    return out;
  out.machine = names_.of(*machine);
  out.device = device_of(labels, meaning_.device_labels);
  for (const std::string& label : meaning_.label_names) {
    if (const std::string* value = first_of(labels, {label}))
      out.labels.emplace_back(label, *value);
  }
  const std::string* job = first_of(labels, {"job"});
  const std::string* instance = first_of(labels, {"instance"});
  scraped_[{job ? *job : "", instance ? *instance : ""}].insert(out.machine);
  return out;
}

const SeriesName& SeriesNames::name(std::string_view bytes, const std::function<LabelList()>& parse) {
  const auto found = known_.find(bytes);
  if (found != known_.end())
    return found->second;
  if (known_.size() >= kMost)
    known_.clear();
  return known_.emplace(std::string(bytes), name(parse())).first->second;
}

}  // namespace lento::fleet
