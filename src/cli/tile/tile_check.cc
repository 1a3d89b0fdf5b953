// lento tile check: decides whether a tile would load a signed program image.
#include <cstdlib>
#include <ostream>

#include "cli/tile/tile.h"

namespace lento::cli {
namespace {

void check(const tile::TileLoadOptions& options, Context& context) {
  const tile::TileLoad load = tile::decide_tile_load(options, context.progress());
  const tile::Decision& decision = load.decision;
  if (!decision.accepted) {
    context.streams.out << "refused: " << decision.reason << "\n";
    context.result = 1;
    return;
  }
  context.streams.out << "accepted: signed by " << decision.signer << ", counter " << decision.image.rollback
                      << ", verified\n";
}

}  // namespace

// Returns the password from an environment variable.
std::string password_from(const std::string& variable) {
  if (variable.empty())
    return "";
  const char* value = std::getenv(variable.c_str());
  if (!value || !*value)
    throw base::Error({}, "environment variable '" + variable + "' is not set");
  return value;
}

void add_load_options(Command& command, tile::TileLoadOptions& options) {
  command.add_option("--rules", options.rules, "The tile's rules (YAML, lento.tile-block/1)");
  command.add_option("--owner", options.owner, "Without --rules: the owner's public key");
  command.add_option("--block-id", options.block, "Without --rules: block id")->capture_default_str();
  command.add_option("--abi", options.abi, "Without --rules: ABI version")->capture_default_str();
  command.add_option("--policy", options.policy, "Without --rules: the owner's policy")
      ->capture_default_str();
  command.add_option("--rollback", options.rollback, "Without --rules: lowest counter accepted")
      ->capture_default_str();
  command.add_option(
      "--cert",
      options.certificate,
      "The developer's certificate; its signature is CERT.minisig");
  command.add_option("--approval", options.approval, "The owner's approval (policy restrictive)");
  command.add_option(
      "--revocation",
      options.revocation,
      "The owner's revocation list; its signature is beside it");
  command.add_option("--now", options.now, "Date to judge by (UTC); default: today");
  command.add_flag(
      "--remember",
      options.remember,
      "Keep the revocation list in the rules, and an accepted image's counter");
}

void add_tile_check(Command& tile, Context& context) {
  Command* command =
      tile.add_subcommand("check", "Decide as a tile would whether it loads an image; exit 1 when refused");
  auto options = std::make_shared<tile::TileLoadOptions>();
  command->add_option("IMAGE", options->image, "Image; its signature is IMAGE.minisig")->required();
  add_load_options(*command, *options);
  example(*command, "lento tile check echo.ypu --owner owner.pub --cert dev.cert");
  command->callback([&context, options] {
    check(*options, context);
  });
}

}  // namespace lento::cli
