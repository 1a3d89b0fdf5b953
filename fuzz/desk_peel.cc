// Any bytes as one line: its prefixes, its secrets, and every line form of every family.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "desk/formats/formats.h"
#include "desk/read/mask.h"
#include "desk/read/pattern.h"
#include "desk/read/pci.h"
#include "desk/read/peel.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento::desk;
  static const std::vector<Pattern> patterns = [] {
    std::vector<Pattern> all;
    for (const Format* format : all_formats())
      for (const LineForm& form : format->forms)
        all.emplace_back(form.pattern);
    return all;
  }();
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  std::string buffer;
  const Peeled peeled = peel(line, Depth::Log, buffer);
  if (peeled.text.size() > size)
    std::abort();
  moment_text(peeled.time);
  pci_device(line);
  masked(line);
  Match match;
  for (const Pattern& pattern : patterns)
    if (pattern.match(peeled.text, match))
      match.number("step");
  return 0;
}
