// Lists positions of a layer's parts in the order of cores. The index of a part is split into digits, and
// each placement is a permutation of these digits.
#include "chip/map/plan/placements.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace lento::chip {
namespace {

// Digits of a part's index, most significant first: block of samples, sample in the block, channels, high
// and low digit of the row, columns.
enum Digit : uint8_t {
  kBlock,
  kSample,
  kChannel,
  kHigh,
  kLow,
  kColumn,
  kDigits
};
using Order = std::array<Digit, kDigits>;

constexpr Order kByHighRows[] = {
    {kBlock, kHigh, kChannel, kLow, kColumn, kSample},
    {kBlock, kHigh, kSample, kChannel, kLow, kColumn}};
constexpr Order kByLowRows[] = {
    {kBlock, kLow, kChannel, kHigh, kColumn, kSample},
    {kBlock, kLow, kSample, kChannel, kHigh, kColumn}};

// Returns the position of each part when digits of its index are arranged in this order.
std::vector<uint32_t> positions_in(const Order& order, const std::array<int64_t, kDigits>& sizes) {
  const int64_t count = std::reduce(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  std::vector<uint32_t> out;
  for (int64_t index = 0; index < count; ++index) {
    std::array<int64_t, kDigits> digit{};
    int64_t rest = index;
    for (size_t d = kDigits; d-- > 0;) {
      digit[d] = rest % sizes[d];
      rest /= sizes[d];
    }
    int64_t position = 0;
    for (const Digit d : order)
      position = position * sizes[d] + digit[d];
    out.push_back(uint32_t(position));
  }
  return out;
}

}  // namespace

std::vector<std::vector<uint32_t>> list_placements(const Cut& cut, const BlocksOf& blocks) {
  const auto& n = cut.parts;
  std::vector<std::vector<uint32_t>> out(1);
  for (size_t i = 0; i < size_t(cut.cores); ++i)
    out[0].push_back(uint32_t(position_of(cut, i)));
  const auto add = [&](const Order& order, int64_t high) {
    const int64_t block = n[0] % blocks.samples == 0 ? blocks.samples : n[0];
    auto positions = positions_in(order, {block, n[0] / block, n[1], high, n[2] / high, n[3]});
    if (std::ranges::find(out, positions) == out.end())
      out.push_back(std::move(positions));
  };
  if (n[2] % blocks.rows != 0)
    return out;
  for (const Order& order : kByHighRows)
    add(order, blocks.rows);
  for (const Order& order : kByLowRows)
    add(order, n[2] / blocks.rows);
  return out;
}

}  // namespace lento::chip
