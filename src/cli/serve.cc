// lento serve DIR: the local web application.
#include "serve/serve.h"

#include <ostream>

#include "cli/commands.h"

namespace lento::cli {

void add_serve(Command& app, Context& context) {
  Command* command = app.add_subcommand("serve", "Browse a folder of diagnoses in a web browser");
  auto options = std::make_shared<serve::Options>();
  command->add_option("DIR", options->folder, "Folder of JSON diagnoses")->required();
  command->add_option("--host", options->host, "Address to bind; any but a loopback address needs a token")
      ->capture_default_str();
  command->add_option("--port", options->port, "Port; 0 takes a free one")
      ->check(range(0, 65535))
      ->capture_default_str();
  command
      ->add_option("--token", options->token,
                   "Token that requests must carry; made up when needed and not given")
      ->type_name("TEXT");
  example(*command,
          "lento chip diagnose run.probe --chip chip.yaml --mapping net.map.json --json > runs/monday.json\n "
          " lento serve runs");
  command->callback([&context, options] {
    serve::Server server(*options);
    context.streams.out << "serving " << options->folder << " at " << server.address() << "\n" << std::flush;
    server.run(context.progress());
  });
}

}  // namespace lento::cli
