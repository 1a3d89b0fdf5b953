// Images, certificates, approvals, rules, signatures, keys and log entries.
#include "base/error.h"
#include "tile/seal/store.h"

namespace {

template <class Work>
void attempt(Work&& work) {
  try {
    work();
  } catch (const lento::base::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento::tile;
  if (size == 0)
    return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  static const PublicKey kKey = public_part(generate_key());
  switch (data[0] % 8) {
    case 0:
      attempt([&] {
        LENTO_CHECK(write_image(parse_image(text, "f")) == text, "an image has one form");
      });
      break;
    case 1:
      attempt([&] {
        parse_certificate(text, "f");
      });
      break;
    case 2:
      attempt([&] {
        parse_approval(text, "f");
      });
      break;
    case 3:
      attempt([&] {
        parse_block_rules(text, "f");
      });
      break;
    case 4:
      attempt([&] {
        verify(kKey, "message", text, "f");
      });
      break;
    case 5:
      attempt([&] {
        parse_public_key(text, "f");
      });
      break;
    case 6:
      attempt([&] {
        parse_entry(text, "f");
      });
      break;
    default:
      attempt([&] {
        parse_head(text, "f");
      });
  }
  return 0;
}
