// Names tiles and links. Every simulator, detector and report composes names here, so that findings of all of
// them can be compared as text.
#include "spec/interconnect.h"

#include <algorithm>

namespace lento::spec {
namespace {

std::string numbers(const TilePlace& at) {
  return std::to_string(at.x) + "-" + std::to_string(at.y);
}

std::string before(const Interconnect& net, int chip) {
  if (net.chips > 1)
    return "chip" + std::to_string(chip) + "/";
  return "";
}

}  // namespace

const char* name(Topology topology) {
  switch (topology) {
    case Topology::Mesh:
      return "mesh";
    case Topology::Ring:
      return "ring";
    case Topology::Torus:
      return "torus";
  }
  return "mesh";
}

const char* name(TileKind kind) {
  switch (kind) {
    case TileKind::Core:
      return "core";
    case TileKind::Dram:
      return "dram";
    case TileKind::Ethernet:
      return "ethernet";
    case TileKind::Router:
      return "router";
    case TileKind::Harvested:
      return "harvested";
  }
  return "core";
}

const char* name(Sense sense) {
  switch (sense) {
    case Sense::Up:
      return "up";
    case Sense::Down:
      return "down";
    case Sense::Both:
      return "both";
  }
  return "both";
}

const char* name(Load load) {
  switch (load) {
    case Load::Messages:
      return "messages";
    case Load::Reads:
      return "reads";
    case Load::Writes:
      return "writes";
  }
  return "messages";
}

int Interconnect::count(TileKind kind) const {
  return chips * int(std::ranges::count(tiles, kind));
}

std::string tile_name(const Interconnect& net, const std::string& what, const TilePlace& at) {
  return before(net, at.chip) + what + numbers(at);
}

std::string tile_name(const Interconnect& net, int network, const std::string& what, const TilePlace& at) {
  return before(net, at.chip) + net.networks[size_t(network)].name + "/" + what + numbers(at);
}

std::string link_name(const Interconnect& net, int network, const TilePlace& from, const TilePlace& to) {
  return tile_name(net, network, "link", from) + ">" + numbers(to);
}

std::string chip_link_name(const TilePlace& from, const TilePlace& to) {
  return "link" + std::to_string(from.chip) + "/" + numbers(from) + ">" + std::to_string(to.chip) + "/" +
         numbers(to);
}

}  // namespace lento::spec
