#include "tile/seal/policy.h"

#include <algorithm>

namespace lento::tile {
namespace {

// A reason to refuse; turned into Decision::reason.
struct Refusal {
  std::string reason;
};

[[noreturn]] void refuse(const std::string& reason) { throw Refusal{reason}; }

void require_signature(const PublicKey& key, const Signed& file, const std::string& whose) {
  const SignatureCheck check = verify(key, file.text, file.signature, file.name + ".minisig");
  switch (check.state) {
    case SignatureState::Good:
      return;
    case SignatureState::WrongKey:
      refuse(file.name + " is signed by key " + check.signer_id + ", not by " + whose + " key " +
             key_id(key));
    case SignatureState::BadSignature:
      refuse("the signature of " + file.name + " does not match its bytes (or another key has the id " +
             check.signer_id + ")");
    case SignatureState::BadTrustedComment:
      refuse("the trusted comment of " + file.name + " was changed");
  }
}

template <class T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

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
  if (now < certificate.not_before)
    refuse("the certificate is valid from " + format_utc(certificate.not_before));
  if (now > certificate.not_after) refuse("the certificate expired at " + format_utc(certificate.not_after));
  if (!contains(certificate.blocks, rules.block)) {
    refuse("the certificate of '" + certificate.subject + "' does not cover block " +
           std::to_string(rules.block));
  }
  if (!contains(certificate.policies, rules.policy)) {
    refuse("the certificate of '" + certificate.subject + "' does not cover policy " +
           std::string(policy_name(rules.policy)));
  }
  return certificate;
}

Approval require_approval(const Submission& submission, const BlockRules& rules, const Image& image) {
  if (!submission.approval)
    refuse("policy restrictive needs the owner's approval of source and verifier report");
  require_signature(rules.owner, *submission.approval, "the owner's");
  const Approval approval = parse_approval(submission.approval->text, submission.approval->name);
  if (approval.image != sha256_hex(submission.image.text)) refuse("the approval is for another image");
  if (approval.source != source_digest(image)) refuse("the approval is for another source");
  return approval;
}

std::string require_signer(const Submission& submission, const BlockRules& rules, uint64_t now) {
  if (rules.policy == Policy::Closed) {
    require_signature(rules.owner, submission.image, "the owner's");
    return "owner";
  }
  const Certificate certificate = require_certificate(submission, rules, now);
  require_signature(certificate.key, submission.image, "the certified");
  return certificate.subject;
}

void require_fit(const Image& image, const BlockRules& rules, uint64_t now) {
  if (image.block != rules.block) {
    refuse("the image is for block " + std::to_string(image.block) + ", this tile watches block " +
           std::to_string(rules.block));
  }
  if (image.abi != rules.abi) {
    refuse("the image needs ABI " + std::to_string(image.abi) + ", the block has ABI " +
           std::to_string(rules.abi));
  }
  if (image.policy != rules.policy) {
    refuse("the image was made for policy " + std::string(policy_name(image.policy)) +
           ", the block has policy " + std::string(policy_name(rules.policy)));
  }
  if (image.expires != 0 && now > image.expires) refuse("the image expired at " + format_utc(image.expires));
  if (image.rollback < rules.rollback) {
    refuse("rollback: the image has counter " + std::to_string(image.rollback) + ", the tile has seen " +
           std::to_string(rules.rollback));
  }
}

}  // namespace

std::string source_digest(const Image& image) {
  const size_t at = image.metadata.find("source: ");
  return at == std::string::npos ? "" : image.metadata.substr(at + 8, 64);
}

Decision decide(const Submission& submission, const BlockRules& rules, uint64_t now) {
  Decision decision;
  try {
    decision.signer = require_signer(submission, rules, now);
    const Image image = parse_image(submission.image.text, submission.image.name);
    require_fit(image, rules, now);
    if (rules.policy == Policy::Restrictive) decision.approval = require_approval(submission, rules, image);
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
