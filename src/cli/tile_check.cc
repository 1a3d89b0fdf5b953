// lento tile check, and the decision that `tile run` takes before it loads an image.
#include <chrono>
#include <ostream>

#include "base/file.h"
#include "cli/tile.h"
#include "tile/unit/verify.h"

namespace lento::cli {
namespace {

uint64_t now_utc(const std::string& text) {
  if (!text.empty()) return tile::parse_utc(text, {"--now"});
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

tile::BlockRules rules_of(const LoadArgs& args) {
  if (!args.rules.empty()) return tile::parse_block_rules(base::read_file(args.rules, 1 << 16), args.rules);
  if (args.remember) throw base::Error({}, "--remember needs --rules FILE, where the counter is kept");
  if (args.owner.empty()) throw base::Error({}, "give the tile's rules: --rules FILE, or --owner OWNER.pub");
  return {read_public(args.owner), args.block_id, args.abi, tile::parse_policy(args.policy, "--policy"),
          args.rollback};
}

// The approved report is the verifier's: what the owner read holds for this image and this verifier.
void require_report(tile::Decision& decision, const base::Progress& progress) {
  const tile::VerifyReport report = tile::verify(decision.image, progress);
  if (report.accepted && tile::sha256_hex(tile::write_report(report)) == decision.approval->report) return;
  decision.accepted = false;
  decision.reason =
      report.accepted ? "the approval is for another verifier report" : "the verifier does not accept it";
}

void check(const LoadArgs& args, Context& context) {
  const tile::Decision decision = decide_load(args, context);
  if (!decision.accepted) {
    context.streams.out << "refused: " << decision.reason << "\n";
    context.result = 1;
    return;
  }
  context.streams.out << "accepted: signed by " << decision.signer << ", counter " << decision.image.rollback
                      << "\n";
}

}  // namespace

tile::Signed read_signed(const std::string& path) {
  return {path, base::read_file(path, 4 << 20), base::read_file(path + ".minisig", 1 << 16)};
}

tile::Decision decide_load(const LoadArgs& args, Context& context) {
  tile::BlockRules rules = rules_of(args);
  tile::Submission submission{read_signed(args.image), {}, {}};
  if (!args.certificate.empty()) submission.certificate = read_signed(args.certificate);
  if (!args.approval.empty()) submission.approval = read_signed(args.approval);
  tile::Decision decision = tile::decide(submission, rules, now_utc(args.now));
  if (decision.accepted && decision.approval) require_report(decision, context.progress());
  if (decision.accepted && args.remember && decision.image.rollback > rules.rollback) {
    rules.rollback = decision.image.rollback;
    base::write_file(args.rules, tile::write_block_rules(rules));
  }
  return decision;
}

void add_load_options(Command& command, LoadArgs& args) {
  command.add_option("--rules", args.rules, "The tile's rules (YAML, lento.tile-block/1)");
  command.add_option("--owner", args.owner, "Without --rules: the owner's public key");
  command.add_option("--block-id", args.block_id, "Without --rules: block id")->capture_default_str();
  command.add_option("--abi", args.abi, "Without --rules: ABI version")->capture_default_str();
  command.add_option("--policy", args.policy, "Without --rules: the owner's policy")->capture_default_str();
  command.add_option("--rollback", args.rollback, "Without --rules: lowest counter accepted")
      ->capture_default_str();
  command.add_option("--cert", args.certificate,
                     "The developer's certificate; its signature is CERT.minisig");
  command.add_option("--approval", args.approval, "The owner's approval (policy restrictive)");
  command.add_option("--now", args.now, "Date to judge by (UTC); default: today");
  command.add_flag("--remember", args.remember, "Store the image's counter in the rules when accepted");
}

void add_tile_check(Command& tile, Context& context) {
  Command* command =
      tile.add_subcommand("check", "Decide as a tile would whether it loads an image; exit 1 when refused");
  auto args = std::make_shared<LoadArgs>();
  command->add_option("IMAGE", args->image, "Image; its signature is IMAGE.minisig")->required();
  add_load_options(*command, *args);
  example(*command, "lento tile check echo.ypu --owner owner.pub --cert dev.cert");
  command->callback([&context, args] { check(*args, context); });
}

}  // namespace lento::cli
