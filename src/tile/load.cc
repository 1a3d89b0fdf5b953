// Decides whether a tile loads an image: first the documents and signatures (tile/seal/policy.h), then the
// verifier. Only an accepted image updates the tile's memory of counters and revocations.
#include "tile/load.h"

#include <chrono>

#include "base/file.h"

namespace lento::tile {
namespace {

uint64_t now_utc(const std::string& text) {
  if (!text.empty())
    return parse_utc(text, {"--now"});
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return uint64_t(std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

BlockRules rules_of(const TileLoadOptions& options) {
  if (!options.rules.empty())
    return parse_block_rules(base::read_file(options.rules, 1 << 20), options.rules);
  if (options.remember)
    throw base::Error({}, "--remember needs --rules FILE, where the counter is kept");
  if (options.owner.empty())
    throw base::Error({}, "give the tile's rules: --rules FILE, or --owner OWNER.pub");
  BlockRules rules;
  rules.owner = read_tile_public(options.owner);
  rules.block = options.block;
  rules.abi = options.abi;
  rules.policy = parse_policy(options.policy, "--policy");
  rules.rollback = options.rollback;
  return rules;
}

Submission submission_of(const TileLoadOptions& options) {
  Submission out;
  out.image = read_tile_signed(options.image);
  if (!options.certificate.empty())
    out.certificate = read_tile_signed(options.certificate);
  if (!options.approval.empty())
    out.approval = read_tile_signed(options.approval);
  if (!options.revocation.empty())
    out.revocation = read_tile_signed(options.revocation);
  return out;
}

// Valid documents do not suffice: the verifier must accept the image, and an approval must name this report.
void require_proof(TileLoad& load) {
  Decision& decision = load.decision;
  if (!load.report.accepted) {
    decision.accepted = false;
    decision.reason =
        load.report.stopped ? "its verification was interrupted" : "the verifier does not accept it";
    if (!load.report.violations.empty())
      decision.reason += ": " + describe(load.report.violations.front());
    return;
  }
  if (!decision.approval)
    return;
  if (sha256_hex(write_report(load.report)) == decision.approval->report)
    return;
  decision.accepted = false;
  decision.reason = "the approval is for another verifier report";
}

}  // namespace

TileLoad decide_tile_load(const TileLoadOptions& options, const base::Progress& progress) {
  const BlockRules rules = rules_of(options);
  TileLoad load;
  load.decision = decide(submission_of(options), rules, now_utc(options.now));
  if (!load.decision.accepted)
    return load;
  load.report = verify(load.decision.image, progress);
  require_proof(load);
  if (load.decision.accepted && options.remember && load.decision.remembered != rules)
    base::write_file(options.rules, write_block_rules(load.decision.remembered));
  return load;
}

}  // namespace lento::tile
