// Decides whether a tile loads an image: first the documents and signatures (tile/seal/policy.h), then the
// verifier. With TileLoadOptions::remember, the rules file stores a revocation list as soon as it is read,
// before the verifier runs, and the rollback counter once the image is accepted. Each update reads the file
// again under a lock, so that a slow check that began earlier takes no revocation back.
#include "tile/load.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "base/file.h"

namespace lento::tile {
namespace {

uint64_t now_utc(const std::string& text) {
  if (!text.empty())
    return parse_utc(text, {"--now"});
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return uint64_t(std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

// Returns the rules by which the block's tile accepts images, from the rules file when there is one.
// Otherwise they come from the other options, which name the owner's public key but hold no revocations.
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

// Reads only the revocation list, which is to be applied even when the image's own files cannot be read.
Submission list_of(const TileLoadOptions& options) {
  Submission out;
  if (!options.revocation.empty())
    out.revocation = read_tile_signed(options.revocation);
  return out;
}

// Reads the image and, when the options name them, its certificate and approval and the revocation list, each
// with its signature.
Submission submission_of(const TileLoadOptions& options) {
  Submission out = list_of(options);
  out.image = read_tile_signed(options.image);
  if (!options.certificate.empty())
    out.certificate = read_tile_signed(options.certificate);
  if (!options.approval.empty())
    out.approval = read_tile_signed(options.approval);
  return out;
}

// Holds the lock of the folder of `file`, so that no other process changes the rules file in it meanwhile.
// Throws base::Error when it cannot be locked.
class FolderLock {
 public:
  explicit FolderLock(const std::string& file) {
    std::error_code unreadable;
    const auto whole = std::filesystem::weakly_canonical(file, unreadable);
    folder_ = open(whole.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder_ < 0 || flock(folder_, LOCK_EX) != 0)
      throw base::Error({file}, "its folder cannot be locked", "keep the rules where this user may write");
  }
  ~FolderLock() {
    if (folder_ >= 0)
      close(folder_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int folder_ = -1;
};

// Merges the revocations and rollback counters of `learned` into the rules file. Does nothing unless
// options.remember is set.
void remember(const TileLoadOptions& options, const BlockRules& learned) {
  if (!options.remember)
    return;
  const FolderLock lock(options.rules);
  const BlockRules now = parse_block_rules(base::read_file(options.rules, 1 << 20), options.rules);
  const BlockRules merged = merge_memory(now, learned);
  if (merged != now)
    base::write_file(options.rules, write_block_rules(merged));
}

// Refuses an image that the verifier does not accept, or whose approval was signed for another verifier
// report. Sets decision.accepted to false and decision.reason.
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
  const uint64_t now = now_utc(options.now);
  remember(options, decide(list_of(options), rules, now).remembered);
  TileLoad load;
  Decision& decision = load.decision;
  decision = decide(submission_of(options), rules, now);
  if (!decision.accepted)
    return load;
  load.report = verify(decision.image, progress);
  require_proof(load);
  if (decision.accepted)
    remember(options, decision.remembered);
  return load;
}

}  // namespace lento::tile
