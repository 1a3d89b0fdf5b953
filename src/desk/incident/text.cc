// Formats text that all judges share: locations, quoted lines, lists of names, probabilities of false
// alarms.
#include <cmath>

#include "base/units.h"
#include "desk/incident/judge.h"

namespace lento::desk {

std::string place_text(const Records& records, const Where& where) {
  const std::string& path = records.files[where.file].path;
  return where.line > 0 ? path + ":" + std::to_string(where.line) : path;
}

finding::Evidence quoted(const Records& records, const Event& event) {
  const std::string when = moment_text(event.time);
  return {
      event.text + (event.count > 1 ? " (and " + std::to_string(event.count - 1) + " more)" : ""),
      std::nullopt,
      "",
      place_text(records, event.where) + (when.empty() ? "" : ", " + when)};
}

finding::Place place_of(const Subject& subject) {
  const std::string_view device = subject.device;
  const std::string_view number = device.starts_with("gpu") ? device.substr(3) : std::string_view();
  return {subject.host, subject.rank, std::string(number.substr(0, number.find(' ')))};
}

std::string false_alarm_text(double share) {
  if (!(share < 0.1))
    return "more often than once in 10 healthy cases";
  if (share < 1e-9)
    return "less often than once in a billion healthy cases";
  return "once in " + base::format_compact(std::floor(1 / share)) + " healthy cases";
}

std::string list_text(const std::vector<std::string>& names, size_t most) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < most; ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most)
    text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

}  // namespace lento::desk
