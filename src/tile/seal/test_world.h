// For tests: an owner, a developer with a certificate, and an image that the developer signed.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "base/test_error.h"
#include "tile/seal/policy.h"

namespace lento::tile::test {

namespace fs = std::filesystem;

inline constexpr uint64_t kNow = 1'800'000'000;

struct TempFolder {
  TempFolder() {
    path = fs::temp_directory_path() /
           ("lento-seal-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    fs::create_directories(path);
  }
  ~TempFolder() {
    fs::remove_all(path);
  }
  std::string operator/(const std::string& name) const {
    return (path / name).string();
  }
  fs::path path;
  static inline int count = 0;
};

inline Image small_image() {
  Image image;
  image.block = 7;
  image.abi = 2;
  image.rollback = 5;
  image.expires = kNow + 1000;
  image.main_entry = 4;
  image.input_mask = 3;
  image.code = std::string("\x13\0\0\0\x67\x80\0\0", 8);
  image.data = "data";
  image.metadata = "source: " + sha256_hex("source") + "\n";
  return image;
}

// A complete set of keys, rules, image and certificate that is accepted. Each test breaks one part of it.
struct World {
  SecretKey owner = generate_key();
  SecretKey developer = generate_key();
  BlockRules rules{public_part(owner), 7, 2, Policy::Permissive, 3};
  Image image = small_image();
  Certificate certificate{
      "Acme \"analytics\"",
      public_part(developer),
      {7, 9},
      {Policy::Permissive, Policy::Restrictive},
      kNow - 10,
      kNow + 10};

  Submission submission() const {
    const std::string text = write_image(image);
    const std::string cert = write_certificate(certificate);
    const SecretKey& signer = image.policy == Policy::Closed ? owner : developer;
    Submission out{
        {"p.ypu", text, sign(signer, text, "v1")},
        Signed{"dev.cert", cert, sign(owner, cert, "cert")},
        {}};
    const std::string approval =
        write_approval({sha256_hex(text), sha256_hex("source"), sha256_hex("report")});
    if (image.policy == Policy::Restrictive)
      out.approval = Signed{"p.approval", approval, sign(owner, approval, "ok")};
    return out;
  }
  std::string refusal() const {
    return refusal(submission());
  }
  std::string refusal(const Submission& s) const {
    const Decision decision = decide(s, rules, kNow);
    EXPECT_EQ(decision.accepted, decision.reason.empty());
    return decision.reason;
  }
  void use(Policy policy) {
    image.policy = rules.policy = policy;
  }
};

}  // namespace lento::tile::test
