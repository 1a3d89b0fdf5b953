// The spellings of a rank's number: "rank 5", "rank=5", "[rank5]", "Rank: 5", "global_rank: 5". All readers
// that do not state a form of their own find ranks by these functions, so that files of one job name a rank
// alike.
#pragma once

#include <string>
#include <string_view>

namespace lento::desk {

// Returns whether a column or a key holds ranks: "rank", "global_rank", "worldRank". A local rank is the
// index of a device.
bool names_rank(std::string_view name);

struct RankWord {
  std::string number;  // without leading zeros, "" when there is none
  size_t begin = 0;    // of the word in the text
  size_t end = 0;      // behind the number
};

// Returns the first rank in the text. "rank 3/8" and "rank 3.5" name none.
RankWord rank_in(std::string_view text);

}  // namespace lento::desk
