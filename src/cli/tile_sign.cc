// lento tile keygen | certify | approve | sign
#include <sys/stat.h>

#include <filesystem>
#include <ostream>

#include "base/file.h"
#include "cli/tile.h"
#include "tile/seal/policy.h"
#include "tile/unit/build.h"
#include "tile/unit/verify.h"

namespace lento::cli {
namespace {

void write_signed(const std::string& path, const std::string& text, const tile::SecretKey& key,
                  const std::string& comment) {
  base::write_file(path, text);
  base::write_file(path + ".minisig", tile::sign(key, text, comment));
}

void add_keygen(Command& tile, Context& context) {
  Command* command =
      tile.add_subcommand("keygen", "Make a key pair: NAME.key and NAME.pub, in minisign's layout");
  struct Args {
    std::string name, password;
  };
  auto args = std::make_shared<Args>();
  command->add_option("NAME", args->name, "Path without extension")->required();
  command->add_option("--password-env", args->password, kPasswordHelp);
  example(*command, "lento tile keygen owner");
  command->callback([&context, args] {
    std::error_code unreadable;
    if (std::filesystem::exists(args->name + ".key", unreadable))
      throw base::Error({args->name + ".key"}, "the file exists already");
    const std::string password = password_from(args->password);
    const tile::SecretKey key = tile::generate_key();
    const mode_t old_mask = umask(077);
    base::write_file(args->name + ".key", tile::write_secret_key(key, password));
    umask(old_mask);
    base::write_file(args->name + ".pub", tile::write_public_key(tile::public_part(key)));
    context.streams.out << args->name << ".pub: key " << tile::key_id(tile::public_part(key)) << "\n";
  });
}

struct CertifyArgs {
  std::string owner, developer, out, subject, from = "1970-01-01", until, password;
  std::vector<uint32_t> blocks;
  std::vector<std::string> policies;
};

void add_certify(Command& tile, Context& context) {
  Command* command =
      tile.add_subcommand("certify", "The owner certifies a developer's key for blocks and policies");
  auto args = std::make_shared<CertifyArgs>();
  command->add_option("DEVELOPER_PUB", args->developer, "The developer's public key")->required();
  command->add_option("--owner", args->owner, "The owner's secret key")->required();
  command->add_option("-o,--output", args->out, "Certificate to write")->required();
  command->add_option("--subject", args->subject, "Who it is for")->required();
  command->add_option("--block", args->blocks, "Block ids it covers")->required();
  command->add_option("--policy", args->policies, "Policies it covers (default: permissive and restrictive)");
  command->add_option("--from", args->from, "First day (UTC)")->capture_default_str();
  command->add_option("--until", args->until, "Last day or moment (UTC)")->required();
  command->add_option("--password-env", args->password, kPasswordHelp);
  example(
      *command,
      "lento tile certify dev.pub --owner owner.key --subject Acme --block 1 --until 2030-01-01 -o dev.cert");
  command->callback([&context, args] {
    for (const char c : args->subject) {
      if (static_cast<unsigned char>(c) < 0x20)
        throw base::Error({}, "the subject holds a control character");
    }
    tile::Certificate certificate{args->subject,
                                  read_public(args->developer),
                                  args->blocks,
                                  {},
                                  tile::parse_utc(args->from, {"--from"}),
                                  tile::parse_utc_end(args->until, {"--until"})};
    if (args->policies.empty()) args->policies = {"permissive", "restrictive"};
    for (const std::string& policy : args->policies)
      certificate.policies.push_back(tile::parse_policy(policy, "--policy"));
    write_signed(args->out, tile::write_certificate(certificate), read_secret(args->owner, args->password),
                 "certificate");
    context.streams.out << args->out << ": " << args->subject << ", key " << tile::key_id(certificate.key)
                        << "\n";
  });
}

struct ApproveArgs {
  std::string image, source, owner, out, password, optimise = "2";
};

// What the owner read is what the image holds: same digest, same code, same declarations.
void require_source(const tile::Image& image, const std::string& source, const ApproveArgs& args) {
  if (tile::source_digest(image) != tile::sha256_hex(source))
    throw base::Error({args.source}, "the image names another source in its metadata");
  const tile::Image built =
      tile::build_program(source, args.source, {"riscv64-unknown-elf-gcc", {"-O" + args.optimise}}).image;
  tile::Image same = image;
  same.block = built.block, same.abi = built.abi, same.policy = built.policy;
  same.rollback = built.rollback, same.expires = built.expires;
  same.triggered = built.triggered;
  same.trigger_start = built.trigger_start, same.trigger_end = built.trigger_end;
  same.soft_logic = built.soft_logic, same.metadata = built.metadata;
  if (same != built)
    throw base::Error({args.source}, "the source does not compile to this image",
                      "build it again with the compiler and -O that the developer used");
}

void approve(const ApproveArgs& args, Context& context) {
  const std::string bytes = base::read_file(args.image, 4 << 20);
  const std::string source = base::read_file(args.source, 1 << 20);
  const tile::Image image = tile::parse_image(bytes, args.image);
  const tile::VerifyReport report = tile::verify(image, context.progress());
  if (report.stopped) {
    context.result = 130;
    return;
  }
  if (!report.accepted)
    throw base::Error({args.image}, "the verifier does not accept it:\n" + tile::write_report(report));
  require_source(image, source, args);
  const tile::Approval approval{tile::sha256_hex(bytes), tile::sha256_hex(source),
                                tile::sha256_hex(tile::write_report(report))};
  write_signed(args.out, tile::write_approval(approval), read_secret(args.owner, args.password), "approval");
  context.streams.out << args.out << ": image " << approval.image << "\n";
}

void add_approve(Command& tile, Context& context) {
  Command* command =
      tile.add_subcommand("approve",
                          "The owner approves an image after reading its source (policy "
                          "restrictive): it must be what the source compiles to and pass the verifier");
  auto args = std::make_shared<ApproveArgs>();
  command->add_option("IMAGE", args->image, "Image to approve")->required();
  command->add_option("--source", args->source, "Its source")->required();
  command->add_option("--owner", args->owner, "The owner's secret key")->required();
  command->add_option("-o,--output", args->out, "Approval to write")->required();
  command->add_option("-O", args->optimise, "Optimisation level it was built with")
      ->check(one_of({"0", "1", "2", "3", "s"}))
      ->capture_default_str();
  command->add_option("--password-env", args->password, kPasswordHelp);
  example(*command, "lento tile approve echo.ypu --source echo.c --owner owner.key -o echo.approval");
  command->callback([&context, args] { approve(*args, context); });
}

void add_sign(Command& tile, Context& context) {
  Command* command = tile.add_subcommand("sign", "Sign a file: FILE.minisig, accepted by minisign");
  struct Args {
    std::string file, key, comment, password;
  };
  auto args = std::make_shared<Args>();
  command->add_option("FILE", args->file, "Image to sign")->required();
  command->add_option("--key", args->key, "Secret key")->required();
  command->add_option("--comment", args->comment, "Trusted comment (signed)");
  command->add_option("--password-env", args->password, kPasswordHelp);
  example(*command, "lento tile sign echo.ypu --key dev.key");
  command->callback([&context, args] {
    if (args->comment.find('\n') != std::string::npos) throw base::Error({}, "a trusted comment is one line");
    const std::string comment = args->comment.empty()
                                    ? "file:" + std::filesystem::path(args->file).filename().string()
                                    : args->comment;
    const tile::SecretKey key = read_secret(args->key, args->password);
    base::write_file(args->file + ".minisig", tile::sign(key, base::read_file(args->file, 1 << 30), comment));
    context.streams.out << args->file << ".minisig: key " << tile::key_id(tile::public_part(key)) << "\n";
  });
}

}  // namespace

void add_tile_sign(Command& tile, Context& context) {
  add_keygen(tile, context);
  add_certify(tile, context);
  add_approve(tile, context);
  add_sign(tile, context);
}

}  // namespace lento::cli
