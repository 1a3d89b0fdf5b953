#include "chip/map/wiring.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <set>

#include "spec/fabric_sheet.h"

namespace lento::chip {
namespace {

using spec::Interconnect;
using spec::Sense;
using spec::TilePlace;
using testing::ElementsAre;

using Way = std::vector<std::pair<int, int>>;

// The tiles of a way after its first one.
Way way(const Wiring& wiring, TilePlace from, TilePlace to, int network = 0) {
  std::vector<Wiring::Hop> hops;
  EXPECT_TRUE(wiring.route(network, wiring.tile(from), wiring.tile(to), hops));
  Way out;
  int at = wiring.tile(from);
  for (const Wiring::Hop& hop : hops) {
    const Wiring::Link& link = wiring.links()[size_t(hop.link)];
    EXPECT_EQ(link.from, at);
    at = link.to;
    out.emplace_back(wiring.place(at).x, wiring.place(at).y);
  }
  EXPECT_EQ(at, wiring.tile(to));
  return out;
}

std::vector<int> lanes(const Wiring& wiring, TilePlace from, TilePlace to) {
  std::vector<Wiring::Hop> hops;
  wiring.route(0, wiring.tile(from), wiring.tile(to), hops);
  std::vector<int> out;
  for (const Wiring::Hop& hop : hops)
    out.push_back(hop.lane);
  return out;
}

TEST(Wiring, OrderOfAxes) {
  Interconnect net = spec::mesh_fabric(3, 3);
  EXPECT_THAT(
      way(Wiring(net), {0, 0, 0}, {0, 1, 2}),
      ElementsAre(Way::value_type{1, 0}, Way::value_type{1, 1}, Way::value_type{1, 2}));
  net.networks[0].y_first = true;
  EXPECT_THAT(
      way(Wiring(net), {0, 0, 0}, {0, 1, 2}),
      ElementsAre(Way::value_type{0, 1}, Way::value_type{0, 2}, Way::value_type{1, 2}));
}

TEST(Wiring, ATableReplacesTheOrderBetweenItsEndsOnEveryChip) {
  spec::FabricSheet sheet = spec::mesh_fabric(3, 3);
  sheet.networks[0].table.push_back({{{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0}}});
  spec::join_chips(sheet, 2, false);
  const Wiring wiring(sheet);
  for (const int chip : {0, 1})
    EXPECT_EQ(way(wiring, {chip, 0, 0}, {chip, 1, 0}), (Way{{0, 1}, {1, 1}, {1, 0}}));
  EXPECT_EQ(way(wiring, {0, 1, 0}, {0, 0, 0}), (Way{{0, 0}}));  // the way back is not in it
  EXPECT_EQ(way(wiring, {0, 0, 0}, {0, 2, 0}), (Way{{1, 0}, {2, 0}}));
}

TEST(Wiring, ATableMayAddLinks) {
  Interconnect net = spec::mesh_fabric(3, 1);
  net.networks[0].table.push_back({{{0, 0, 0}, {0, 2, 0}}});
  const Wiring wiring(net);
  EXPECT_EQ(wiring.links().size(), 5u);
  EXPECT_EQ(way(wiring, {0, 0, 0}, {0, 2, 0}), (Way{{2, 0}}));
}

TEST(Wiring, AnOppositeNetworkGoesTheOtherWayRound) {
  spec::FabricSheet sheet = spec::torus_fabric(4, 3);
  spec::add_opposite_network(sheet);
  const Wiring wiring(sheet);
  EXPECT_EQ(wiring.links().size(), 2u * 2 * 12);
  EXPECT_EQ(way(wiring, {0, 0, 0}, {0, 3, 1}, 0), (Way{{1, 0}, {2, 0}, {3, 0}, {3, 1}}));
  EXPECT_EQ(way(wiring, {0, 0, 0}, {0, 3, 1}, 1), (Way{{0, 2}, {0, 1}, {3, 1}}));
  for (const Wiring::Link& link : wiring.links())
    EXPECT_EQ(wiring.link(link.network, link.to, link.from), -1)
        << "a torus that turns one way has no way back";
}

TEST(Wiring, TheSecondLaneBeginsWithTheLinkThatClosesARing) {
  spec::FabricSheet sheet = spec::torus_fabric(4, 4);
  spec::add_opposite_network(sheet);
  const Wiring wiring(sheet);
  EXPECT_THAT(lanes(wiring, {0, 2, 0}, {0, 1, 2}), ElementsAre(0, 1, 1, 0, 0));
}

TEST(Wiring, OfTwoTilesARingHasOneLinkEachWay) {
  const Wiring wiring(spec::ring_fabric(2));
  EXPECT_EQ(wiring.links().size(), 2u);
  for (const Wiring::Link& link : wiring.links())
    EXPECT_FALSE(link.wraps);
}

TEST(Wiring, ChipsAreReachedOverAsFewLinksAsThereCanBe) {
  spec::FabricSheet sheet = spec::mesh_fabric(3, 3);
  spec::join_chips(sheet, 4, true);
  const Wiring wiring(sheet);
  const auto crossed = [&](int from, int to) {
    std::vector<Wiring::Hop> hops;
    wiring.route(0, wiring.tile({from, 1, 1}), wiring.tile({to, 1, 1}), hops);
    int count = 0;
    for (const Wiring::Hop& hop : hops)
      count += wiring.links()[size_t(hop.link)].joint >= 0 ? 1 : 0;
    return count;
  };
  EXPECT_EQ(crossed(0, 0), 0);
  EXPECT_EQ(crossed(0, 1), 1);
  EXPECT_EQ(crossed(0, 2), 2);
  EXPECT_EQ(crossed(0, 3), 1);
  EXPECT_EQ(crossed(3, 0), 1);
}

TEST(Wiring, OfSeveralLinksToAChipTheNearestIsTaken) {
  spec::FabricSheet sheet = spec::mesh_fabric(2, 3);
  sheet.chips = 2;
  for (const int y : {0, 2})
    sheet.chip_links.push_back({{0, 1, y}, {1, 0, y}});
  const Wiring wiring(sheet);
  EXPECT_EQ(way(wiring, {0, 0, 2}, {1, 1, 2}), (Way{{1, 2}, {0, 2}, {1, 2}}));
  EXPECT_EQ(way(wiring, {0, 0, 0}, {1, 1, 0}), (Way{{1, 0}, {0, 0}, {1, 0}}));
  EXPECT_EQ(way(wiring, {0, 1, 1}, {1, 0, 1}), (Way{{1, 0}, {0, 0}, {0, 1}}));  // of equals the first
}

TEST(Wiring, HopsAreThoseOfTheWay) {
  spec::FabricSheet torus = spec::torus_fabric(5, 4);
  spec::add_opposite_network(torus);
  spec::FabricSheet both = spec::torus_fabric(5, 4);
  spec::FabricSheet mesh = spec::mesh_fabric(5, 4);
  mesh.networks[0].table.push_back({{{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0}}});
  for (const spec::FabricSheet& sheet : {torus, both, mesh}) {
    const Wiring wiring(sheet);
    for (int network = 0; network < int(sheet.networks.size()); ++network)
      for (int from = 0; from < wiring.tile_count(); ++from)
        for (int to = 0; to < wiring.tile_count(); ++to)
          EXPECT_EQ(
              size_t(wiring.hops(network, from, to)),
              way(wiring, wiring.place(from), wiring.place(to), network).size());
  }
}

TEST(Wiring, ChipsThatNothingJoinsHaveNoWay) {
  spec::FabricSheet sheet = spec::mesh_fabric(2, 2);
  sheet.chips = 2;
  const Wiring wiring(sheet);
  std::vector<Wiring::Hop> hops;
  EXPECT_FALSE(wiring.route(0, wiring.tile({0, 0, 0}), wiring.tile({1, 0, 0}), hops));
  EXPECT_TRUE(hops.empty());
}

TEST(Wiring, TilesCanStandInAnotherOrder) {
  const Wiring wiring(spec::mesh_fabric(2, 2), {0, 2, 1, 3});
  std::vector<int> from;
  for (const Wiring::Link& link : wiring.links())
    from.push_back(link.from);
  EXPECT_THAT(from, ElementsAre(0, 0, 2, 2, 1, 1, 3, 3));
}

}  // namespace
}  // namespace lento::chip
