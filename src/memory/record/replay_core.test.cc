// What an access takes in the core, beyond its line.
#include "memory/record/replay_core.h"

#include <gtest/gtest.h>

namespace lento::memory {
namespace {

AccessRecord access(uint64_t address, AccessType type) {
  AccessRecord r;
  r.address = address;
  r.type = type;
  return r;
}

TEST(ReplayCore, ALoadWaitsForTheStoreOfItsWord) {
  const CoreModel model = {.forward = 5};
  ReplayCore core;
  EXPECT_EQ(core.in_core(access(0x1000, AccessType::Store), false, 100, model), 0u);
  EXPECT_EQ(core.in_core(access(0x1000, AccessType::Load), false, 101, model), 4u);
  EXPECT_EQ(core.in_core(access(0x1008, AccessType::Load), false, 101, model), 0u);
  EXPECT_EQ(core.in_core(access(0x1000, AccessType::Load), false, 105, model), 0u);
}

TEST(ReplayCore, AnAtomicOperationTakesItsTimeWhoeverOwnsTheLine) {
  const CoreModel model = {.atomic = 18};
  ReplayCore core;
  EXPECT_EQ(core.in_core(access(0x1000, AccessType::Atomic), true, 100, model), 18u);
  EXPECT_EQ(core.in_core(access(0x1000, AccessType::Atomic), true, 119, model), 18u);
  // A count that a thread keeps for itself is an ordinary update.
  EXPECT_EQ(core.in_core(access(0x1000, AccessType::Atomic), false, 200, model), 0u);
}

}  // namespace
}  // namespace lento::memory
