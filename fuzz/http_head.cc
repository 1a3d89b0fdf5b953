// Any bytes as the head of an HTTP request, whole and one byte at a time: both must agree.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/http/head.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento::base;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const HttpHead whole = parse_http_head(text, 512);
  for (size_t n = 0; n < size && n < 600; n += 7) {
    const HttpHead part = parse_http_head(text.substr(0, n), 512);
    if (part.status != 0 && part.status != whole.status)
      std::abort();
  }
  is_loopback_host(whole.question.host);
  query_value(whole.question.query, "a");
  return 0;
}
