// Any bytes as the beginning of a file of unknown kind, and as text to be shown.
#include "base/sniff.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/visible.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  lento::base::describe(lento::base::kind_of(text));
  const std::string shown = lento::base::visible(text);
  for (const char c : shown)
    if ((c >= 0 && c < 32 && c != '\n' && c != '\t') || c == 127)
      std::abort();
  if (lento::base::visible(shown) != shown)
    std::abort();
  return 0;
}
