// lento serve DIR: the local web application.
#include "serve/serve.h"

#include <cstdlib>
#include <ostream>

#include "base/file.h"
#include "cli/commands/commands.h"

namespace lento::cli {
namespace {

// Reads the token from a file or the environment, because every user of the machine could read it on the
// command line.
std::string token_of(const std::string& file) {
  constexpr const char* kVariable = "LENTO_TOKEN";
  const char* held = std::getenv(kVariable);
  if (file.empty())
    return held ? held : "";
  const std::string text = base::read_file(file, 1 << 16);
  const std::string token = text.substr(0, text.find_first_of("\r\n"));
  if (token.empty())
    throw base::Error({file, 1}, "the first line is empty, needed the token");
  return token;
}

}  // namespace

void add_serve(Command& app, Context& context) {
  Command* command = app.add_subcommand("serve", "Browse a folder of diagnoses in a web browser");
  auto options = std::make_shared<serve::ServeOptions>();
  command->add_option("DIR", options->folder, "Folder of JSON diagnoses")->required();
  command->add_option("--host", options->host, "Address to bind; any but a loopback address needs a token")
      ->capture_default_str();
  command->add_option("--port", options->port, "Port; 0 takes a free one")
      ->check(range(0, 65535))
      ->capture_default_str();
  auto token_file = std::make_shared<std::string>();
  command
      ->add_option(
          "--token-file",
          *token_file,
          "File with the token that requests must carry; else the variable LENTO_TOKEN")
      ->type_name("FILE");
  example(
      *command,
      "lento chip diagnose run.probe --chip chip.yaml --mapping net.map.json --json > runs/monday.json\n "
      " lento serve runs");
  command->callback([&context, options, token_file] {
    options->token = token_of(*token_file);
    serve::Server server(*options);
    context.streams.out << "serving " << options->folder << " at " << server.address()
                        << (options->token.empty() ? "\n" : "?token=..., with the token\n") << std::flush;
    server.run(context.progress());
  });
}

}  // namespace lento::cli
