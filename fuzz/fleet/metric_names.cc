// Any lines as expressions of metrics, conditions on labels, exporters and labels of a device.
#include "fleet/read/metric_names.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"

namespace {

using namespace lento;

// A condition that is printed and parsed again is the same one.
void match(const std::string& line) {
  const fleet::Matcher matcher = fleet::parse_matcher(line);
  const fleet::Matcher again = fleet::parse_matcher(fleet::to_string(matcher));
  if (again.label != matcher.label || again.op != matcher.op)
    std::abort();
}

template <class Work>
void attempt(Work&& work) {
  try {
    work();
  } catch (const base::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string line(reinterpret_cast<const char*>(data), size);
  attempt([&] {
    match(line);
  });
  attempt([&] {
    fleet::parse_metric(line);
  });
  attempt([&] {
    fleet::exporter_metrics(line);
  });
  fleet::LabelList labels{{"port", "1"}};
  for (size_t i = 0; i < fleet::default_device_labels().size(); i += 1 + size % 3)
    labels.emplace_back(fleet::default_device_labels()[i], line);
  fleet::device_of(labels, fleet::default_device_labels());
  return 0;
}
