// lento tile store init, publish, fetch, audit and serve: keep signed images with a log of all versions.
#include <ostream>
#include <thread>

#include "base/http/http.h"
#include "cli/tile/tile.h"
#include "tile/store.h"

namespace lento::cli {
namespace {

struct TileStoreArguments {
  tile::TilePublishOptions publish;
  tile::TileFetchOptions fetch;
  tile::TileAuditOptions audit;
  std::string folder;
  std::string password;
  std::string host = "127.0.0.1";
  int port = 8480;
};

void init(const TileStoreArguments& args, Context&) {
  tile::init_store(args.folder, tile::read_tile_secret(args.publish.key, password_from(args.password)));
}

void publish(const TileStoreArguments& args, Context& context) {
  tile::TilePublishOptions options = args.publish;
  options.folder = args.folder;
  options.password = password_from(args.password);
  const uint64_t index = tile::publish_tile(options);
  context.streams.out << options.name << ": entry " << index << "\n";
}

void fetch(const TileStoreArguments& args, Context& context) {
  tile::TileFetchOptions options = args.fetch;
  options.store = args.folder;
  const tile::TileFetch got = tile::fetch_tile(options);
  context.streams.out << got.image << ": entry " << got.fetched.index << " of " << got.fetched.head.size
                      << ", in the log\n";
}

void audit(const TileStoreArguments& args, Context& context) {
  tile::TileAuditOptions options = args.audit;
  options.folder = args.folder;
  const tile::Audit result = tile::audit_tile_store(options);
  for (const std::string& problem : result.problems)
    context.streams.out << "problem: " << problem << "\n";
  context.streams.out << result.head.size << " entries, " << result.objects << " objects, root "
                      << tile::to_hex(result.head.root)
                      << (result.problems.empty() ? ": whole\n" : ": NOT whole\n");
  context.result = result.problems.empty() ? 0 : 1;
}

void serve(const TileStoreArguments& args, Context& context) {
  const tile::Ask folder = tile::ask_folder(args.folder);
  base::HttpServer server(args.host, args.port, [&](const base::HttpQuestion& question) {
    const auto answer = folder(question.path.substr(1));
    if (answer)
      return base::HttpReply{200, *answer};
    return base::HttpReply{404, "no answer\n", "text/plain"};
  });
  context.streams.err << "serving " << args.folder << " on http://" << args.host << ":" << server.port()
                      << ", Ctrl-C ends\n";
  const base::Progress progress = context.progress();
  while (!progress.stopped())
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

}  // namespace

void add_tile_store(Command& tile, Context& context) {
  Command* store = tile.add_subcommand("store", "The app store: images behind an append-only Merkle log");
  store->require_subcommand(1);
  example(*store, "lento tile store init shop --key shop.key");
  auto args = std::make_shared<TileStoreArguments>();
  const auto sub = [&](const char* name,
                       const char* text,
                       const char* sample,
                       void (*run)(const TileStoreArguments&, Context&)) {
    Command* command = store->add_subcommand(name, text);
    command->add_option("STORE", args->folder, "Folder of the store, or http://host:port to fetch from")
        ->required();
    example(*command, sample);
    command->callback([&context, args, run] {
      run(*args, context);
    });
    return command;
  };
  Command* make = sub("init", "Make an empty store", "lento tile store init shop --key shop.key", init);
  make->add_option("--key", args->publish.key, "The store's secret key")->required();
  make->add_option("--password-env", args->password, kPasswordHelp);
  Command* put =
      sub("publish",
          "Append an image to the log",
          "lento tile store publish shop echo echo.ypu --key shop.key --cert dev.cert",
          publish);
  put->add_option("NAME", args->publish.name, "Program name")->required();
  put->add_option("IMAGE", args->publish.image, "Signed image")->required();
  put->add_option("--key", args->publish.key, "The store's secret key")->required();
  put->add_option("--password-env", args->password, kPasswordHelp);
  put->add_option("--cert", args->publish.certificate, "Its certificate");
  put->add_option("--approval", args->publish.approval, "Its approval");
  Command* get =
      sub("fetch",
          "Fetch an image; refuse what the log does not prove",
          "lento tile store fetch shop echo --store-key shop.pub --trust shop.head",
          fetch);
  get->add_option("NAME", args->fetch.name, "Program name")->required();
  get->add_option("--store-key", args->fetch.store_key, "The store's public key")->required();
  get->add_option("--trust", args->fetch.trust, "Where the last accepted head and releases are remembered");
  get->add_option("-o,--output", args->fetch.folder, "Folder for the files")->capture_default_str();
  Command* look =
      sub("audit",
          "Recompute the whole log; exit 1 when it is not whole",
          "lento tile store audit shop --store-key shop.pub",
          audit);
  look->add_option("--store-key", args->audit.store_key, "The store's public key")->required();
  look->add_option("--trust", args->audit.trust, "Where the last accepted head and releases are remembered");
  Command* http = sub("serve", "Answer clients over HTTP", "lento tile store serve shop --port 8480", serve);
  http->add_option("--host", args->host, "Address to listen on")->capture_default_str();
  http->add_option("--port", args->port, "Port; 0 takes a free one")->capture_default_str();
}

}  // namespace lento::cli
