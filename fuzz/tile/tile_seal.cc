// Images, certificates, approvals, rules, revocations, signatures, keys and log entries. What was read is the
// same after it was written and read again.
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

// A key under a password is opened where deriving it costs no more than of the keys that are written here: a
// file may ask for two gigabytes.
void open_secret_key(const std::string& text) {
  using namespace lento::tile;
  static const SecretKey kAny = generate_key();
  const auto limits = [](const std::string& file) {
    constexpr size_t kFirst = 52;  // of the characters that hold the limits, whose first byte may be any
    constexpr size_t kCharacters = 20;
    const size_t line = file.find('\n') + 1;
    return file.size() > line + kFirst ? file.substr(line + kFirst, kCharacters) : "";
  };
  static const std::string kUsual = limits(write_secret_key(kAny, "password"));
  if (secret_key_is_encrypted(text, "f") && limits(text) != kUsual)
    return;
  const SecretKey key = parse_secret_key(text, "f", "password");
  const SecretKey again = parse_secret_key(write_secret_key(key, ""), "f", "");
  LENTO_CHECK(again.secret == key.secret && again.id == key.id, "a secret key is read back");
}

// Checks that a document is read back as it was. `read` and `write` are its reader and writer.
template <class Read, class Write>
void read_back(const std::string& text, Read&& read, Write&& write) {
  const std::string once = write(read(text, "f"));
  LENTO_CHECK(write(read(once, "f")) == once, "a document is read back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento::tile;
  if (size == 0)
    return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  static const SecretKey kSecret = generate_key();
  static const PublicKey kKey = public_part(kSecret);
  switch (data[0] % 11) {
    case 0:
      attempt([&] {
        LENTO_CHECK(write_image(parse_image(text, "f")) == text, "an image has one form");
      });
      break;
    case 1:
      attempt([&] {
        read_back(text, parse_certificate, write_certificate);
      });
      break;
    case 2:
      attempt([&] {
        read_back(text, parse_approval, write_approval);
      });
      break;
    case 3:
      attempt([&] {
        read_back(text, parse_block_rules, write_block_rules);
      });
      break;
    case 4:
      attempt([&] {
        verify(kKey, "message", text, "f");
      });
      break;
    case 5:
      attempt([&] {
        read_back(text, parse_public_key, write_public_key);
      });
      break;
    case 6:
      attempt([&] {
        parse_entry(text, "f");
      });
      break;
    case 7:
      attempt([&] {
        parse_head(text, "f");
      });
      break;
    case 8:
      attempt([&] {
        read_back(text, parse_revocation, write_revocation);
      });
      break;
    case 9:
      attempt([&] {
        open_secret_key(text);
      });
      break;
    default:
      attempt([&] {
        const std::string signature = sign(kSecret, text, text.substr(0, text.find('\n')));
        const SignatureCheck check = verify(kKey, text, signature, "f");
        LENTO_CHECK(check.state == SignatureState::Good, "a signature verifies");
      });
  }
  return 0;
}
