// Keys, signatures, certificates and revocations as files.
#include "tile/keys.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/test_error.h"
#include "base/test_folder.h"
#include "finding/inputs.h"

namespace lento::tile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The trusted comment of a good signature; else what is wrong with it.
std::string comment_of(const PublicKey& key, const std::string& text, const Signed& file) {
  const SignatureCheck check = verify(key, text, file.signature, file.name);
  return check.state == SignatureState::Good ? check.trusted_comment : "not good";
}

using TileKeys = base::test::FolderTest;

TEST_F(TileKeys, AreReadBackAndOnlyByTheirOwner) {
  const PublicKey made = make_tile_keys(at("owner"), "");
  EXPECT_TRUE(read_tile_public(at("owner.pub")) == made);
  EXPECT_TRUE(public_part(read_tile_secret(at("owner.key"), "")) == made);
  struct stat info;
  ASSERT_EQ(::stat(at("owner.key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 077u, 0u);
}

TEST_F(TileKeys, AKeyIsNeverReplaced) {
  make_tile_keys(at("owner"), "");
  const std::string before = base::read_file(at("owner.key"));
  EXPECT_THAT(
      base::test::error_of([&] {
        make_tile_keys(at("owner"), "");
      }),
      HasSubstr("the file exists already"));
  EXPECT_EQ(base::read_file(at("owner.key")), before);
}

TEST_F(TileKeys, AProtectedKeyAsksForItsPassword) {
  const PublicKey made = make_tile_keys(at("owner"), "secret words");
  EXPECT_THAT(
      base::test::error_of([&] {
        read_tile_secret(at("owner.key"), "");
      }),
      HasSubstr("protected by a password"));
  EXPECT_THROW(read_tile_secret(at("owner.key"), "other words"), base::Error);
  EXPECT_TRUE(public_part(read_tile_secret(at("owner.key"), "secret words")) == made);
}

TEST_F(TileKeys, SignaturesAreOfTheFileAndItsComment) {
  const PublicKey made = make_tile_keys(at("owner"), "");
  base::write_file(at("image.ypu"), "the image");
  sign_tile_file({at("image.ypu"), at("owner.key"), "", ""});
  const Signed file = read_tile_signed(at("image.ypu"));
  EXPECT_EQ(file.text, "the image");
  EXPECT_EQ(comment_of(made, file.text, file), "file:image.ypu");
  EXPECT_EQ(comment_of(made, "another image", file), "not good");
  EXPECT_EQ(comment_of(make_tile_keys(at("other"), ""), file.text, file), "not good");
  sign_tile_file({at("image.ypu"), at("owner.key"), "", "release 3"});
  const Signed again = read_tile_signed(at("image.ypu"));
  EXPECT_EQ(comment_of(made, again.text, again), "release 3");
  EXPECT_THAT(
      base::test::error_of([&] {
        sign_tile_file({at("image.ypu"), at("owner.key"), "", "two\nlines"});
      }),
      HasSubstr("one line"));
}

TEST_F(TileKeys, CertificatesSayWhatTheirOptionsSay) {
  const PublicKey owner = make_tile_keys(at("owner"), "");
  const PublicKey developer = make_tile_keys(at("dev"), "");
  TileCertifyOptions o;
  o.owner = at("owner.key");
  o.developer = at("dev.pub");
  o.output = at("dev.cert");
  o.subject = "A developer";
  o.from = "2026-01-01";
  o.until = "2026-12-31";
  o.blocks = {3, 5};
  const Certificate made = certify_tile_developer(o);
  EXPECT_THAT(made.policies, ElementsAre(Policy::Permissive, Policy::Restrictive));
  EXPECT_EQ(made.not_before, 1767225600u);
  EXPECT_EQ(made.not_after, 1798761599u);  // the last second of the day
  const Signed file = read_tile_signed(at("dev.cert"));
  EXPECT_EQ(comment_of(owner, file.text, file), "certificate");
  const Certificate read = parse_certificate(file.text, file.name);
  EXPECT_EQ(read.subject, "A developer");
  EXPECT_TRUE(read.key == developer);
  EXPECT_THAT(read.blocks, ElementsAre(3, 5));
  o.subject = "two\nlines";
  EXPECT_THROW(certify_tile_developer(o), base::Error);
}

TEST_F(TileKeys, RevocationsNameKeysAndImages) {
  const PublicKey owner = make_tile_keys(at("owner"), "");
  const PublicKey developer = make_tile_keys(at("dev"), "");
  base::write_file(at("image.ypu"), "abc");
  TileRevokeOptions o;
  o.owner = at("owner.key");
  o.output = at("revoked");
  o.number = 4;
  o.keys = {at("dev.pub")};
  o.images = {at("image.ypu")};
  const Revocation made = revoke_tile(o);
  EXPECT_EQ(made.number, 4u);
  ASSERT_EQ(made.keys.size(), 1u);
  EXPECT_TRUE(made.keys[0] == developer);
  // SHA-256 of "abc", FIPS 180-2 appendix B.1.
  EXPECT_THAT(made.images, ElementsAre("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  const Signed file = read_tile_signed(at("revoked"));
  EXPECT_EQ(comment_of(owner, file.text, file), "revocation");
  EXPECT_TRUE(parse_revocation(file.text, file.name) == made);
}

TEST_F(TileKeys, InputsCarryTheDigestOfTheirBytes) {
  base::write_file(at("a"), "one");
  base::write_file(at("b"), "one");
  base::write_file(at("c"), "two");
  EXPECT_EQ(finding::input_of("trace", at("a")).digest, finding::input_of("trace", at("b")).digest);
  EXPECT_NE(finding::input_of("trace", at("a")).digest, finding::input_of("trace", at("c")).digest);
  EXPECT_EQ(finding::input_of("trace", at("a")).digest, base::digest("one"));
  EXPECT_EQ(finding::input_of("trace", folder_).digest, "");  // no file
  EXPECT_EQ(finding::input_of("trace", at("a")).role, "trace");
}

}  // namespace
}  // namespace lento::tile
