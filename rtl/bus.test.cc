// A host loads a signed image over each of the three buses with the shipped C driver, runs it beside a block
// and reads a histogram. Whatever the host and the block wait for, the bytes are those of the C++ model, and
// accesses that the registers refuse end with an error and change nothing. LENTO_TILE_SCHEDULES=N draws N
// schedules a bus.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "bus_board.h"
#include "driver/lento_tile.h"
#include "tile/seal/test_world.h"
#include "tile/unit/test_words.h"
#include "tile/unit/tile.h"

namespace lento::tile {
namespace {

using test::Op;

uint64_t schedules() {
  const char* wish = std::getenv("LENTO_TILE_SCHEDULES");
  return wish ? std::strtoull(wish, nullptr, 10) : 6;
}

// init makes the histogram unit hash, main counts two words and puts out the first, finish puts out all
// counts.
Image counting_image() {
  Image image;
  image.main_entry = 16;
  image.input_mask = 3;
  test::place(image, 0, {lui(5, 0x10000), imm(Op::Addi, 5, 5, 0x155), encode_hist_config(5), test::kRet});
  test::place(
      image,
      16,
      {lui(5, 0x4000),
       imm(Op::Lw, 6, 5, 0),
       imm(Op::Lw, 7, 5, 4),
       encode_hist(6, 7),
       lui(8, 0x7000),
       save(Op::Sw, 6, 8, 0),
       test::kRet});
  test::place(image, kFinishEntry, {encode_emit(0), test::kRet});
  return image;
}

// The image's bytes as a tile's owner accepts them: signed by a developer with a certificate.
std::string accepted_image() {
  test::World world;
  Image image = counting_image();
  image.block = world.image.block;
  image.abi = world.image.abi;
  image.rollback = world.image.rollback;
  image.expires = world.image.expires;
  world.image = image;
  EXPECT_EQ(world.refusal(), "");
  return world.submission().image.text;
}

std::vector<TileInputs> drawn_inputs(uint64_t seed) {
  base::Rng rng(seed, "tile.bus.inputs");
  std::vector<TileInputs> inputs(1 + rng.below(24));
  for (TileInputs& in : inputs) {
    in.valid = 3;
    in.data[0] = uint32_t(rng.next());
    in.data[1] = uint32_t(rng.next());
  }
  return inputs;
}

std::string bytes_of_model(const std::vector<TileInputs>& inputs) {
  Tile tile;
  std::string out;
  const auto run_until = [&](Status status) {
    for (int n = 0; n < 10000 && (tile.status() != status || !tile.idle()); ++n) {
      tile.step(nullptr);
      out += tile.drain(4);
    }
    EXPECT_EQ(tile.status(), status);
  };
  tile.config_image(counting_image());
  run_until(Status::Paused);
  tile.resume();
  for (const TileInputs& in : inputs) {
    run_until(Status::ActivePaused);
    tile.step(&in);
  }
  run_until(Status::ActivePaused);
  tile.finalize();
  tile.step(nullptr);
  run_until(Status::Paused);
  return out + tile.drain(64);
}

template <class BoardOfBus>
lento_tile driver_of(BoardOfBus& board) {
  return {
      &board,
      [](void* device, uint32_t offset, uint32_t word) {
        return static_cast<BoardOfBus*>(device)->access({true, offset, word}) ? 0 : 1;
      },
      [](void* device, uint32_t offset, uint32_t* word) {
        const auto answer = static_cast<BoardOfBus*>(device)->access({false, offset});
        *word = answer.value_or(0);
        return answer ? 0 : 1;
      }};
}

template <class BoardOfBus>
class Bus : public testing::Test {};
using Boards = testing::Types<AxiLiteBoard, WishboneBoard, TileLinkBoard>;
TYPED_TEST_SUITE(Bus, Boards);

TYPED_TEST(Bus, AHostLoadsRunsAndReadsAHistogram) {
  const std::string image = accepted_image();
  const auto* bytes = reinterpret_cast<const uint8_t*>(image.data());
  for (uint64_t seed = 0; seed < schedules(); ++seed) {
    TypeParam board(seed);
    const lento_tile tile = driver_of(board);
    ASSERT_EQ(lento_tile_load(&tile, bytes, image.size(), 0), LENTO_TILE_OK);
    ASSERT_EQ(lento_tile_wait(&tile, LENTO_TILE_PAUSED, 1000), LENTO_TILE_OK);
    const std::vector<TileInputs> inputs = drawn_inputs(seed);
    for (const TileInputs& in : inputs)
      board.offer(in);
    ASSERT_EQ(lento_tile_resume(&tile), LENTO_TILE_OK);

    std::string out;
    const auto take = [&] {
      std::array<uint8_t, 64> room;
      size_t taken = 0;
      ASSERT_EQ(lento_tile_output(&tile, room.data(), room.size(), &taken), LENTO_TILE_OK);
      out.append(reinterpret_cast<const char*>(room.data()), taken);
    };
    while (!board.idle())
      take();
    ASSERT_EQ(lento_tile_wait(&tile, LENTO_TILE_READY, 1000), LENTO_TILE_OK);
    ASSERT_EQ(lento_tile_finalize(&tile), LENTO_TILE_OK);
    while (out.size() < 4 * inputs.size() + 288)
      take();
    ASSERT_EQ(lento_tile_wait(&tile, LENTO_TILE_PAUSED, 1000), LENTO_TILE_OK);
    take();
    ASSERT_EQ(out, bytes_of_model(inputs)) << "seed " << seed;
    for (uint32_t drops = LENTO_TILE_AT_DROPS_RUNNING; drops <= LENTO_TILE_AT_DROPS_ERROR; drops += 4)
      ASSERT_EQ(board.access({false, drops}), 0u);
  }
}

TYPED_TEST(Bus, RefusedAccessesChangeNothing) {
  const std::string image = accepted_image();
  TypeParam board(7);
  const lento_tile tile = driver_of(board);
  ASSERT_EQ(
      lento_tile_load(&tile, reinterpret_cast<const uint8_t*>(image.data()), image.size(), 3),
      LENTO_TILE_OK);
  ASSERT_EQ(lento_tile_wait(&tile, LENTO_TILE_PAUSED, 1000), LENTO_TILE_OK);
  constexpr std::array kRegisters = {
      LENTO_TILE_AT_STATUS,
      LENTO_TILE_AT_ENTRY,
      LENTO_TILE_AT_MASK,
      LENTO_TILE_AT_QUEUE,
      LENTO_TILE_AT_WAITING};
  const auto state = [&] {
    std::vector<uint32_t> words;
    for (const uint32_t offset : kRegisters)
      words.push_back(board.access({false, offset}).value());
    return words;
  };
  const std::vector<uint32_t> before = state();
  EXPECT_EQ(before[3], 3u);
  base::Rng rng(1, "tile.bus.errors");
  for (int n = 0; n < 300; ++n) {
    const uint32_t offset = uint32_t(rng.below(0x10000));
    const bool is_readable =
        offset % 4 == 0 && offset <= LENTO_TILE_AT_TAPS && offset != LENTO_TILE_AT_COMMAND;
    const bool is_tap = offset >= LENTO_TILE_AT_TAP_MASK && offset < LENTO_TILE_AT_TAP_MASK + 4 * 16;
    if (!is_readable && !is_tap) {
      EXPECT_FALSE(board.access({false, offset})) << offset;
    }
    EXPECT_FALSE(board.access({true, offset | 0x200, uint32_t(rng.next())})) << offset;  // no register there
    EXPECT_FALSE(board.access({true, LENTO_TILE_AT_STATUS, uint32_t(rng.next())}));
    EXPECT_FALSE(board.access({true, LENTO_TILE_AT_MASK, uint32_t(rng.next()), uint32_t(rng.below(15))}));
  }
  EXPECT_EQ(state(), before);
}

TYPED_TEST(Bus, TheInterruptLineFollowsOutputAndFaults) {
  Image image = counting_image();
  test::place(image, 16 + 4 * 6, {0});  // an illegal word in place of the return
  const std::string bytes = write_image(image);
  TypeParam board(3);
  const lento_tile tile = driver_of(board);
  ASSERT_EQ(
      lento_tile_load(&tile, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), 9),
      LENTO_TILE_OK);
  EXPECT_EQ(board.access({false, LENTO_TILE_AT_QUEUE}), 4u);  // as many as the tile has
  EXPECT_FALSE(board.irq());
  board.access({true, LENTO_TILE_AT_INTERRUPT, 2});
  board.offer(drawn_inputs(1).front());
  ASSERT_EQ(lento_tile_resume(&tile), LENTO_TILE_OK);
  EXPECT_EQ(lento_tile_wait(&tile, LENTO_TILE_PAUSED, 1000), LENTO_TILE_FAULT);
  EXPECT_TRUE(board.irq());
  EXPECT_EQ(board.access({false, LENTO_TILE_AT_FAULT}), 0x80010000u | (16 + 4 * 6));
  board.access({true, LENTO_TILE_AT_INTERRUPT, 1});
  EXPECT_TRUE(board.irq());  // the word that main put out
  board.access({false, LENTO_TILE_AT_OUTPUT});
  EXPECT_FALSE(board.irq());
}

// The block runs at the clock of the tile, the program takes a dozen cycles an input.
TYPED_TEST(Bus, ATapCountsEveryEventThoughTheProgramIsLate) {
  const std::string bytes = write_image(counting_image());
  TypeParam board(5);
  const lento_tile tile = driver_of(board);
  constexpr uint32_t kOnComparesRisingCounts = 1 | 2 | 1 << 2 | 1 << 4;
  constexpr uint32_t kTap = 1;
  EXPECT_EQ(board.access({false, LENTO_TILE_AT_TAPS}), 4u);
  board.access({true, LENTO_TILE_AT_TAP_MASK + 16 * kTap, 3});
  board.access({true, LENTO_TILE_AT_TAP_EQUALS + 16 * kTap, 2});
  board.access({true, LENTO_TILE_AT_TAP_MODE + 16 * kTap, kOnComparesRisingCounts});
  EXPECT_FALSE(board.access({true, LENTO_TILE_AT_TAP_COUNT + 16 * kTap, 0}));
  EXPECT_FALSE(board.access({false, LENTO_TILE_AT_TAP_MASK + 16 * 4}));  // there are four
  ASSERT_EQ(
      lento_tile_load(&tile, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), 0),
      LENTO_TILE_OK);
  ASSERT_EQ(lento_tile_wait(&tile, LENTO_TILE_PAUSED, 1000), LENTO_TILE_OK);
  ASSERT_EQ(lento_tile_resume(&tile), LENTO_TILE_OK);

  base::Rng rng(2, "tile.bus.free");
  uint32_t left = 2000, rises = 0;
  bool was = false;
  board.run_free([&] {
    TileInputs in;
    if (left == 0)
      return in;
    --left;
    in.valid = 2;
    in.data[1] = uint32_t(rng.below(16));
    const bool is = (in.data[1] & 3) == 2;
    rises += is && !was;
    was = is;
    return in;
  });
  while (left > 0) {
    std::array<uint8_t, 64> room;
    size_t taken = 0;
    ASSERT_EQ(lento_tile_output(&tile, room.data(), room.size(), &taken), LENTO_TILE_OK);
  }
  EXPECT_GT(board.access({false, LENTO_TILE_AT_DROPS_RUNNING}).value(), 20u);
  EXPECT_EQ(board.access({false, LENTO_TILE_AT_TAP_COUNT + 16 * kTap}), rises);
  EXPECT_GT(rises, 200u);
}

TEST(Driver, RefusesWhatIsNoTileAndNoImage) {
  uint32_t id = 0;
  const lento_tile tile = {
      &id,
      [](void*, uint32_t, uint32_t) {
        return 0;
      },
      [](void* device, uint32_t, uint32_t* word) {
        *word = *static_cast<uint32_t*>(device);
        return 0;
      }};
  const std::string image = write_image(counting_image());
  const auto load = [&](const std::string& bytes) {
    return lento_tile_load(&tile, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), 0);
  };
  EXPECT_EQ(load(image), LENTO_TILE_NO_TILE);
  id = LENTO_TILE_ID_VALUE;
  EXPECT_EQ(load(image), LENTO_TILE_OK);
  for (size_t size = 0; size < 356 + 40; size += 7)
    EXPECT_EQ(load(image.substr(0, size)), LENTO_TILE_BAD_IMAGE) << size;
  std::string huge = image;
  huge.replace(68 + 4, 4, "\xff\xff\xff\xff");
  EXPECT_EQ(load(huge), LENTO_TILE_BAD_IMAGE);
}

}  // namespace
}  // namespace lento::tile
