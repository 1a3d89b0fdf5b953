// lento tile keygen, certify, approve, sign and revoke: make keys, certificates, approvals and signatures.
#include <ostream>

#include "cli/tile/tile.h"
#include "tile/build.h"
#include "tile/keys.h"

namespace lento::cli {
namespace {

void add_keygen(Command& tile, Context& context) {
  Command* command =
      tile.add_subcommand("keygen", "Make a key pair: NAME.key and NAME.pub, in minisign's layout");
  struct TileSignArguments {
    std::string name;
    std::string password;
  };
  auto args = std::make_shared<TileSignArguments>();
  command->add_option("NAME", args->name, "Path without extension")->required();
  command->add_option("--password-env", args->password, kPasswordHelp);
  example(*command, "lento tile keygen owner");
  command->callback([&context, args] {
    const tile::PublicKey key = tile::make_tile_keys(args->name, password_from(args->password));
    context.streams.out << args->name << ".pub: key " << tile::key_id(key) << "\n";
  });
}

void add_certify(Command& tile, Context& context) {
  Command* command =
      tile.add_subcommand("certify", "The owner certifies a developer's key for blocks and policies");
  auto args = std::make_shared<tile::TileCertifyOptions>();
  auto variable = std::make_shared<std::string>();
  command->add_option("DEVELOPER_PUB", args->developer, "The developer's public key")->required();
  command->add_option("--owner", args->owner, "The owner's secret key")->required();
  command->add_option("-o,--output", args->output, "Certificate to write")->required();
  command->add_option("--subject", args->subject, "Who it is for")->required();
  command->add_option("--block", args->blocks, "Block ids it covers")->required();
  command->add_option("--policy", args->policies, "Policies it covers (default: permissive and restrictive)");
  command->add_option("--from", args->from, "First day (UTC)")->capture_default_str();
  command->add_option("--until", args->until, "Last day or moment (UTC)")->required();
  command->add_option("--password-env", *variable, kPasswordHelp);
  example(
      *command,
      "lento tile certify dev.pub --owner owner.key --subject Acme --block 1 --until 2030-01-01 -o dev.cert");
  command->callback([&context, args, variable] {
    args->password = password_from(*variable);
    const tile::Certificate certificate = tile::certify_tile_developer(*args);
    context.streams.out << args->output << ": " << args->subject << ", key " << tile::key_id(certificate.key)
                        << "\n";
  });
}

void add_approve(Command& tile, Context& context) {
  Command* command = tile.add_subcommand(
      "approve",
      "The owner approves an image after reading its source (policy "
      "restrictive): it must be what the source compiles to and pass the verifier");
  auto args = std::make_shared<tile::TileApproveOptions>();
  auto variable = std::make_shared<std::string>();
  command->add_option("IMAGE", args->image, "Image to approve")->required();
  command->add_option("--source", args->source, "Its source")->required();
  command->add_option("--owner", args->owner, "The owner's secret key")->required();
  command->add_option("-o,--output", args->output, "Approval to write")->required();
  command->add_option("-O", args->optimise, "Optimisation level it was built with")
      ->check(one_of({"0", "1", "2", "3", "s"}))
      ->capture_default_str();
  command->add_option("--password-env", *variable, kPasswordHelp);
  example(*command, "lento tile approve echo.ypu --source echo.c --owner owner.key -o echo.approval");
  command->callback([&context, args, variable] {
    args->password = password_from(*variable);
    if (tile::approve_tile(*args, context.progress()))
      context.streams.out << args->output << ": approves " << args->image << "\n";
    else
      context.result = 130;
  });
}

void add_sign(Command& tile, Context& context) {
  Command* command = tile.add_subcommand("sign", "Sign a file: FILE.minisig, accepted by minisign");
  auto args = std::make_shared<tile::TileSignOptions>();
  auto variable = std::make_shared<std::string>();
  command->add_option("FILE", args->file, "Image to sign")->required();
  command->add_option("--key", args->key, "Secret key")->required();
  command->add_option("--comment", args->comment, "Trusted comment (signed)");
  command->add_option("--password-env", *variable, kPasswordHelp);
  example(*command, "lento tile sign echo.ypu --key dev.key");
  command->callback([&context, args, variable] {
    args->password = password_from(*variable);
    const tile::PublicKey key = tile::sign_tile_file(*args);
    context.streams.out << args->file << ".minisig: key " << tile::key_id(key) << "\n";
  });
}

void add_revoke(Command& tile, Context& context) {
  Command* command = tile.add_subcommand(
      "revoke",
      "The owner takes back keys and images: a numbered list that a tile remembers");
  auto args = std::make_shared<tile::TileRevokeOptions>();
  auto variable = std::make_shared<std::string>();
  command->add_option("--owner", args->owner, "The owner's secret key")->required();
  command->add_option("--number", args->number, "Of this list; greater than that of the one before")
      ->required();
  command->add_option("--developer", args->keys, "Public keys of developers");
  command->add_option("--image", args->images, "Images");
  command->add_option("-o,--output", args->output, "List to write; its signature lies beside it")->required();
  command->add_option("--password-env", *variable, kPasswordHelp);
  example(*command, "lento tile revoke --owner owner.key --number 1 --developer dev.pub -o revoked.yaml");
  command->callback([&context, args, variable] {
    args->password = password_from(*variable);
    const tile::Revocation list = tile::revoke_tile(*args);
    context.streams.out << args->output << ": list " << list.number << ", " << list.keys.size() << " keys, "
                        << list.images.size() << " images\n";
  });
}

}  // namespace

void add_tile_sign(Command& tile, Context& context) {
  add_keygen(tile, context);
  add_certify(tile, context);
  add_approve(tile, context);
  add_sign(tile, context);
  add_revoke(tile, context);
}

}  // namespace lento::cli
