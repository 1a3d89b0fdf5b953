// Decides whether a tile loads an image. Each requirement of the policy is one function that throws a Refusal
// with its reason. Expiry, revocation and the rollback counter are checked under every policy. A tile keeps a
// counter for each developer and program. A revocation list applies whether or not the image that came with
// it is accepted, but only an accepted image raises a counter.
#include "tile/seal/policy.h"

#include <algorithm>

namespace lento::tile {
namespace {

// A reason to refuse, which becomes Decision::reason.
struct Refusal {
  std::string reason;
};

[[noreturn]] void refuse(const std::string& reason) {
  throw Refusal{reason};
}

// Throws Refusal unless the file is signed with this key.
void require_signature(const PublicKey& key, const Signed& file, const std::string& whose) {
  const SignatureCheck check = verify(key, file.text, file.signature, file.name + ".minisig");
  switch (check.state) {
    case SignatureState::Good:
      return;
    case SignatureState::WrongKey:
      refuse(
          file.name + " is signed by key " + check.signer_id + ", not by " + whose + " key " + key_id(key));
    case SignatureState::BadSignature:
      refuse(
          "the signature of " + file.name + " does not match its bytes (or another key has the id " +
          check.signer_id + ")");
    case SignatureState::BadTrustedComment:
      refuse("the trusted comment of " + file.name + " was changed");
  }
}

template <class T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::ranges::find(all, one) != all.end();
}

// Returns the developer's certificate. Throws Refusal when it is missing, not signed by the owner, not valid
// now, for other blocks or policies, or when its key is revoked.
Certificate require_certificate(const Submission& submission, const BlockRules& rules, uint64_t now) {
  if (!submission.certificate) {
    refuse("policy " + std::string(policy_name(rules.policy)) + " needs the developer's certificate");
  }
  require_signature(rules.owner, *submission.certificate, "the owner's");
  const Certificate certificate =
      parse_certificate(submission.certificate->text, submission.certificate->name);
  if (certificate.key.id == rules.owner.id && certificate.key != rules.owner) {
    refuse("the certified key has the id of the owner's key " + key_id(rules.owner) + " but is another key");
  }
  if (contains(rules.revoked.keys, certificate.key))
    refuse(
        "the key " + key_id(certificate.key) + " of '" + certificate.subject + "' was revoked by list " +
        std::to_string(rules.revoked.number));
  if (now < certificate.not_before)
    refuse("the certificate is valid from " + format_utc(certificate.not_before));
  if (now > certificate.not_after)
    refuse("the certificate expired at " + format_utc(certificate.not_after));
  if (!contains(certificate.blocks, rules.block)) {
    refuse(
        "the certificate of '" + certificate.subject + "' does not cover block " +
        std::to_string(rules.block));
  }
  if (!contains(certificate.policies, rules.policy)) {
    refuse(
        "the certificate of '" + certificate.subject + "' does not cover policy " +
        std::string(policy_name(rules.policy)));
  }
  return certificate;
}

// Returns the owner's approval. Throws Refusal unless the owner signed it for this image and its source.
Approval require_approval(const Submission& submission, const BlockRules& rules, const Image& image) {
  if (!submission.approval)
    refuse("policy restrictive needs the owner's approval of source and verifier report");
  require_signature(rules.owner, *submission.approval, "the owner's");
  const Approval approval = parse_approval(submission.approval->text, submission.approval->name);
  if (approval.image != sha256_hex(submission.image.text))
    refuse("the approval is for another image");
  if (approval.source != source_digest(image))
    refuse("the approval is for another source");
  return approval;
}

// Returns the signer of the image: "owner" or the certificate's subject. Throws Refusal when the signer is
// not one that the policy admits.
std::string require_signer(const Submission& submission, const BlockRules& rules, uint64_t now) {
  if (rules.policy == Policy::Closed) {
    require_signature(rules.owner, submission.image, "the owner's");
    return "owner";
  }
  const Certificate certificate = require_certificate(submission, rules, now);
  require_signature(certificate.key, submission.image, "the certified");
  return certificate.subject;
}

// Returns the rules extended by the revocation list of the submission, if it has one. Throws Refusal for a
// list with a lower number than the last one, so that revocations cannot be hidden by an old list.
BlockRules with_revocation(const Submission& submission, BlockRules rules) {
  if (!submission.revocation)
    return rules;
  require_signature(rules.owner, *submission.revocation, "the owner's");
  const Revocation list = parse_revocation(submission.revocation->text, submission.revocation->name);
  if (list.number < rules.revoked.number) {
    refuse(
        "the revocation list has number " + std::to_string(list.number) + ", the tile has taken number " +
        std::to_string(rules.revoked.number));
  }
  BlockRules listed;
  listed.revoked = list;
  return merge_memory(std::move(rules), listed);
}

void require_not_revoked(const Signed& image, const BlockRules& rules) {
  if (contains(rules.revoked.images, sha256_hex(image.text)))
    refuse(image.name + " was revoked by list " + std::to_string(rules.revoked.number));
}

// Returns the rollback counter of this image. Throws Refusal when it is below the highest one that the tile
// has accepted of this developer's program.
SeenCounter require_counter(const BlockRules& rules, const std::string& developer, const Image& image) {
  const SeenCounter own{developer, program_name(image), image.rollback};
  for (const SeenCounter& seen : rules.counters) {
    if (seen.developer != own.developer || seen.program != own.program || own.counter >= seen.counter)
      continue;
    refuse(
        "rollback: the image has counter " + std::to_string(own.counter) + ", the tile has seen " +
        std::to_string(seen.counter) + " of '" + own.program + "' by '" + developer + "'");
  }
  return own;
}

// Throws Refusal when the image is for another block, interface version or policy, has expired, or has a
// rollback counter below the owner's limit.
void require_fit(const Image& image, const BlockRules& rules, uint64_t now) {
  if (image.block != rules.block) {
    refuse(
        "the image is for block " + std::to_string(image.block) + ", this tile watches block " +
        std::to_string(rules.block));
  }
  if (image.abi != rules.abi) {
    refuse(
        "the image needs ABI " + std::to_string(image.abi) + ", the block has ABI " +
        std::to_string(rules.abi));
  }
  if (image.policy != rules.policy) {
    refuse(
        "the image was made for policy " + std::string(policy_name(image.policy)) +
        ", the block has policy " + std::string(policy_name(rules.policy)));
  }
  if (image.expires != 0 && now > image.expires)
    refuse("the image expired at " + format_utc(image.expires));
  if (image.rollback < rules.rollback) {
    refuse(
        "rollback: the image has counter " + std::to_string(image.rollback) + ", the owner asks for " +
        std::to_string(rules.rollback));
  }
}

// Returns the text after "KEY: " on a line of the metadata, "" when there is none.
std::string metadata_line(const Image& image, const std::string& key) {
  const std::string text = "\n" + image.metadata;
  const std::string mark = "\n" + key + ": ";
  const size_t at = text.find(mark);
  if (at == std::string::npos)
    return "";
  const size_t begin = at + mark.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

std::string source_digest(const Image& image) {
  return metadata_line(image, "source").substr(0, 64);
}
std::string program_name(const Image& image) {
  return metadata_line(image, "name");
}

BlockRules merge_memory(BlockRules rules, const BlockRules& other) {
  rules.revoked.number = std::max(rules.revoked.number, other.revoked.number);
  for (const PublicKey& key : other.revoked.keys) {
    if (!contains(rules.revoked.keys, key))
      rules.revoked.keys.push_back(key);
  }
  for (const std::string& image : other.revoked.images) {
    if (!contains(rules.revoked.images, image))
      rules.revoked.images.push_back(image);
  }
  for (const SeenCounter& counter : other.counters) {
    const auto same = std::ranges::find_if(rules.counters, [&](const SeenCounter& seen) {
      return seen.developer == counter.developer && seen.program == counter.program;
    });
    if (same == rules.counters.end())
      rules.counters.push_back(counter);
    else
      same->counter = std::max(same->counter, counter.counter);
  }
  return rules;
}

Decision decide(const Submission& submission, const BlockRules& given, uint64_t now) {
  Decision decision;
  decision.remembered = given;
  try {
    decision.remembered = with_revocation(submission, given);
    const BlockRules rules = decision.remembered;
    decision.signer = require_signer(submission, rules, now);
    require_not_revoked(submission.image, rules);
    const Image image = parse_image(submission.image.text, submission.image.name);
    const SeenCounter counter = require_counter(rules, decision.signer, image);
    require_fit(image, rules, now);
    if (rules.policy == Policy::Restrictive)
      decision.approval = require_approval(submission, rules, image);
    BlockRules counted;
    counted.counters.push_back(counter);
    decision.remembered = merge_memory(rules, counted);
    decision.image = image;
    decision.accepted = true;
  } catch (const Refusal& refusal) {
    decision.reason = refusal.reason;
  } catch (const base::Error& error) {
    decision.reason = error.what();
  }
  return decision;
}

}  // namespace lento::tile
