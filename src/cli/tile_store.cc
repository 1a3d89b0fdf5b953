// lento tile store init | publish | fetch | audit | serve
#include <filesystem>
#include <ostream>
#include <thread>

#include "base/file.h"
#include "base/http.h"
#include "cli/tile.h"
#include "tile/seal/store.h"

namespace lento::cli {
namespace {

struct Args {
  std::string folder, key, name, image, certificate, approval, out = ".", trust, host = "127.0.0.1",
                                                               store_key, password;
  int port = 8480;
};

tile::Trust remembered(const std::string& path) {
  std::error_code unreadable;
  if (path.empty() || !std::filesystem::exists(path, unreadable)) return {};
  return tile::parse_trust(base::read_file(path, 1 << 20), path);
}

void publish(const Args& args, Context& context) {
  tile::Submission submission{read_signed(args.image), {}, {}};
  if (!args.certificate.empty()) submission.certificate = read_signed(args.certificate);
  if (!args.approval.empty()) submission.approval = read_signed(args.approval);
  const uint64_t index =
      tile::publish(args.folder, read_secret(args.key, args.password), args.name, submission);
  context.streams.out << args.name << ": entry " << index << "\n";
}

void save(const std::string& path, const tile::Signed& file) {
  base::write_file(path, file.text);
  base::write_file(path + ".minisig", file.signature);
}

void fetch(const Args& args, Context& context) {
  const bool remote = args.folder.compare(0, 7, "http://") == 0;
  const tile::Ask ask = remote ? tile::ask_http(args.folder) : tile::ask_folder(args.folder);
  tile::Trust trust = remembered(args.trust);
  const tile::Fetched got = tile::fetch(ask, read_public(args.store_key), trust, args.name);
  const std::string stem = args.out + "/" + args.name;
  save(stem + ".ypu", got.submission.image);
  if (got.submission.certificate) save(stem + ".cert", *got.submission.certificate);
  if (got.submission.approval) save(stem + ".approval", *got.submission.approval);
  trust.head = got.head;
  trust.seen[args.name] = {got.index, got.entry.rollback};
  if (!args.trust.empty()) base::write_file(args.trust, tile::write_trust(trust));
  context.streams.out << stem << ".ypu: entry " << got.index << " of " << got.head.size << ", in the log\n";
}

void audit(const Args& args, Context& context) {
  tile::Trust trust = remembered(args.trust);
  const tile::Audit result = tile::audit(args.folder, read_public(args.store_key), trust.head);
  for (const std::string& problem : result.problems) context.streams.out << "problem: " << problem << "\n";
  context.streams.out << result.head.size << " entries, " << result.objects << " objects, root "
                      << tile::to_hex(result.head.root)
                      << (result.problems.empty() ? ": whole\n" : ": NOT whole\n");
  context.result = result.problems.empty() ? 0 : 1;
  trust.head = result.head;
  if (result.problems.empty() && !args.trust.empty()) base::write_file(args.trust, tile::write_trust(trust));
}

void serve(const Args& args, Context& context) {
  const tile::Ask folder = tile::ask_folder(args.folder);
  base::HttpServer server(args.host, args.port, [&](const std::string& path, const std::string&) {
    const auto answer = folder(path.substr(1));
    return answer ? base::HttpReply{200, *answer} : base::HttpReply{404, "no answer\n", "text/plain"};
  });
  context.streams.err << "serving " << args.folder << " on http://" << args.host << ":" << server.port()
                      << ", Ctrl-C ends\n";
  const base::Progress progress = context.progress();
  while (!progress.stopped()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

}  // namespace

void add_tile_store(Command& tile, Context& context) {
  Command* store = tile.add_subcommand("store", "The app store: images behind an append-only Merkle log");
  store->require_subcommand(1);
  example(*store, "lento tile store init shop --key shop.key");
  auto args = std::make_shared<Args>();
  const auto sub = [&](const char* name, const char* text, const char* sample,
                       void (*run)(const Args&, Context&)) {
    Command* command = store->add_subcommand(name, text);
    command->add_option("STORE", args->folder, "Folder of the store, or http://host:port to fetch from")
        ->required();
    example(*command, sample);
    command->callback([&context, args, run] { run(*args, context); });
    return command;
  };
  Command* init =
      sub("init", "Make an empty store", "lento tile store init shop --key shop.key",
          [](const Args& a, Context&) { tile::init_store(a.folder, read_secret(a.key, a.password)); });
  init->add_option("--key", args->key, "The store's secret key")->required();
  init->add_option("--password-env", args->password, kPasswordHelp);
  Command* put = sub("publish", "Append an image to the log",
                     "lento tile store publish shop echo echo.ypu --key shop.key --cert dev.cert", publish);
  put->add_option("NAME", args->name, "Program name")->required();
  put->add_option("IMAGE", args->image, "Signed image")->required();
  put->add_option("--key", args->key, "The store's secret key")->required();
  put->add_option("--password-env", args->password, kPasswordHelp);
  put->add_option("--cert", args->certificate, "Its certificate");
  put->add_option("--approval", args->approval, "Its approval");
  Command* get = sub("fetch", "Fetch an image; refuse what the log does not prove",
                     "lento tile store fetch shop echo --store-key shop.pub --trust shop.head", fetch);
  get->add_option("NAME", args->name, "Program name")->required();
  get->add_option("--store-key", args->store_key, "The store's public key")->required();
  get->add_option("--trust", args->trust, "Where the last accepted head and releases are remembered");
  get->add_option("-o,--output", args->out, "Folder for the files")->capture_default_str();
  Command* look = sub("audit", "Recompute the whole log; exit 1 when it is not whole",
                      "lento tile store audit shop --store-key shop.pub", audit);
  look->add_option("--store-key", args->store_key, "The store's public key")->required();
  look->add_option("--trust", args->trust, "Where the last accepted head and releases are remembered");
  Command* http = sub("serve", "Answer clients over HTTP", "lento tile store serve shop --port 8480", serve);
  http->add_option("--host", args->host, "Address to listen on")->capture_default_str();
  http->add_option("--port", args->port, "Port; 0 takes a free one")->capture_default_str();
}

}  // namespace lento::cli
