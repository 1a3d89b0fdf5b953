// lento tile: programmable analytics inside the chip.
#include "cli/tile/tile.h"

namespace lento::cli {

void add_tile(Command& app, Context& context) {
  Command* tile = app.add_subcommand("tile", "Analytics programs inside a chip: build, check, sign, run");
  tile->require_subcommand(1);
  example(*tile, "lento tile build echo.c -o echo.ypu && lento tile verify echo.ypu");
  add_tile_build(*tile, context);
  add_tile_sign(*tile, context);
  add_tile_check(*tile, context);
  add_tile_store(*tile, context);
  add_tile_run(*tile, context);
}

}  // namespace lento::cli
