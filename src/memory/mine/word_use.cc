// Classifies contended words by the atomic operations on them. A word with atomic additions is no lock. If
// threads also subtract, it counts users. A word that compare-and-swaps change, and that no store resets as
// a lock's release would, belongs to a compare-and-swap loop, for example as the position in a queue.
#include "memory/mine/word_use.h"

#include <algorithm>
#include <map>
#include <set>

#include "memory/mine/tuning.h"

namespace lento::memory {
namespace {

struct Word {
  uint64_t accesses = 0;
  uint64_t excess = 0;
  uint64_t atomics = 0;
  uint64_t writes = 0;
  uint64_t stores = 0;  // of them, plain ones
  uint64_t paired = 0;
  uint64_t updates = 0;
  uint64_t downs = 0;
  uint64_t compares = 0;
  std::map<uint32_t, uint64_t> storers;            // stores by actor
  std::map<uint32_t, std::pair<bool, bool>> ways;  // of an actor's updates: up, down
  int takers = 0;                                  // actors with atomics
  bool several_pcs = false;
  std::set<uint64_t> pcs;  // two of its accesses' at most
};

// Returns the actors that store the word, without one that only sets it up.
std::set<uint32_t> storers_of(const Word& word) {
  uint64_t most = 0;
  for (const auto& [actor, stores] : word.storers)
    most = std::max(most, stores);
  std::set<uint32_t> out;
  for (const auto& [actor, stores] : word.storers) {
    if (double(stores) >= tuning::kWorkingShare * double(most))
      out.insert(actor);
  }
  return out;
}

// Returns whether no thread both adds and subtracts.
bool goes_one_way_each(const Word& word) {
  return std::ranges::none_of(word.ways, [](const auto& entry) {
    return entry.second.first && entry.second.second;
  });
}

// Returns whether a word is released as a lock is: after `compares` compare-and-swaps there are enough other
// writes, `other_writes`. True when there is no compare-and-swap.
bool is_given_back(uint64_t compares, uint64_t other_writes) {
  constexpr uint64_t kTries = 8;  // compare-and-swaps for each release of a lock that many threads wait for
  return compares == 0 || kTries * other_writes >= compares;
}

// Returns whether the word is a counter: its atomics add, or are all of one instruction and nothing else uses
// it. Every atomic then adds its part, and no thread holds the word.
bool is_counter(const Word& word) {
  if (word.updates > 0 && word.updates == word.atomics)
    return true;
  const bool only_atomics = word.atomics == word.accesses && word.paired == 0;
  return only_atomics && !word.several_pcs && word.pcs.size() == 1 &&
         word.accesses >= tuning::kCounterAccesses;
}

// A word is a count of users when this share of its updates subtracts, since every user leaves again.
constexpr double kLeaves = 0.1;

// Returns how atomic operations use a word: counter, reference count, compare-and-swap or lock.
WordUse use_of(const Word& word) {
  if (word.atomics == 0)
    return WordUse::Plain;
  // Threads may now and then take a lock that readers share to write.
  const uint64_t others = word.atomics - std::min(word.atomics, word.updates + word.compares);
  if (word.updates > 0 && (others == 0 || double(others) < kLeaves * double(word.downs)))
    return double(word.downs) < kLeaves * double(word.updates) ? WordUse::Counter
           : goes_one_way_each(word)                           ? WordUse::Level
                                                               : WordUse::ReferenceCount;
  if (word.compares == word.atomics && !is_given_back(word.compares, word.stores))
    return WordUse::CompareSwap;
  return WordUse::Lock;
}

// Sums the uses of each word of the lines, by address.
std::map<uint64_t, Word> words_of(const std::vector<const Line*>& lines) {
  std::map<uint64_t, Word> words;
  for (const Line* line : lines) {
    for (const Use& use : line->uses) {
      Word& word = words[line->address + use.offset];
      word.accesses += use.accesses();
      word.excess += use.excess;
      word.atomics += use.atomics;
      word.writes += use.writes;
      word.stores += use.writes - std::min(use.writes, use.atomics);
      word.paired += use.paired;
      word.updates += use.updates;
      word.downs += use.downs;
      word.compares += use.compares;
      if (use.writes > 0)
        word.storers[use.actor] += use.writes;
      if (use.updates > 0) {
        word.ways[use.actor].first |= use.updates > use.downs;
        word.ways[use.actor].second |= use.downs > 0;
      }
      word.takers += use.atomics > 0;
      word.several_pcs |= use.several_pcs;
      if (word.pcs.size() < 2)
        word.pcs.insert(use.pc);
    }
  }
  return words;
}

}  // namespace

LockUse lock_use(const Line& line) {
  LockUse total;
  for (const auto& [offset, word] : words_of({&line})) {
    const bool given_back = double(word.writes) <= tuning::kReleases * double(word.atomics) &&
                            is_given_back(word.compares, word.writes - std::min(word.writes, word.compares));
    if (word.takers >= 2 && given_back && !is_counter(word))
      total.accesses += word.accesses, total.excess += word.excess;
  }
  return total;
}

WordUse word_use(const std::vector<const Line*>& lines) {
  const std::map<uint64_t, Word> words = words_of(lines);
  const Word* most = nullptr;
  std::set<uint32_t> storers;
  bool turns = false;  // a word that all load and that is stored without atomics
  uint64_t plain = 0;  // cycles lost at words without atomics
  uint64_t atomic = 0;
  for (const auto& [address, word] : words) {
    turns |= word.atomics == 0 && word.stores > 0 && word.accesses > word.stores;
    storers.merge(storers_of(word));
    (word.atomics > 0 ? atomic : plain) += word.excess;
    if (word.atomics > 0 && word.storers.size() > 1 && (!most || word.atomics > most->atomics))
      most = &word;
  }
  const WordUse use = most ? use_of(*most) : WordUse::Plain;
  if (use == WordUse::Counter && turns && words.size() == 2)
    return WordUse::Ticket;
  if (!most || plain > atomic)
    return storers.size() == 1 ? WordUse::Published : WordUse::Plain;
  return use;
}

bool is_position(const std::vector<const Line*>& lines) {
  const auto is_between_two = [](const Line* line) {
    return line->users <= 2;
  };
  const std::map<uint64_t, Word> words = words_of(lines);
  return std::ranges::all_of(lines, is_between_two) && std::ranges::all_of(words, [](const auto& entry) {
           return entry.second.atomics == 0 && storers_of(entry.second).size() <= 1;
         });
}

bool is_polled(const std::vector<const Line*>& lines) {
  uint64_t reads = 0;
  uint64_t polls = 0;
  for (const Line* line : lines) {
    for (const Use& use : line->uses)
      reads += use.reads, polls += use.polls;
  }
  return 2 * polls > reads;
}

bool is_seldom_read(const std::vector<const Line*>& lines) {
  struct Word {
    uint64_t stores = 0;
    uint32_t storer = 0;
    std::map<uint32_t, uint64_t> loads = {};  // by actor
  };
  std::map<uint64_t, Word> words;
  for (const Line* line : lines) {
    for (const Use& use : line->uses) {
      Word& word = words[line->address + use.offset];
      word.loads[use.actor] += use.reads;
      if (use.writes == 0)
        continue;
      if (word.stores > 0 && word.storer != use.actor)
        return false;
      word.storer = use.actor;
      word.stores += use.writes;
    }
  }
  return std::ranges::all_of(words, [](const auto& entry) {
    const Word& word = entry.second;
    uint64_t others = 0;
    for (const auto& [actor, loads] : word.loads)
      others += actor == word.storer ? 0 : loads;
    return word.stores == 0 || double(others) < tuning::kWriteShare * double(word.stores);
  });
}

std::string name(WordUse use) {
  switch (use) {
    case WordUse::CompareSwap:
      return "a compare-and-swap loop";
    case WordUse::Counter:
      return "a counter";
    case WordUse::ReferenceCount:
      return "a count of users";
    case WordUse::Readers:
      return "a count of readers";
    case WordUse::Level:
      return "a level";
    case WordUse::Published:
      return "a word that one thread publishes";
    case WordUse::Ticket:
      return "a ticket lock";
    default:
      return "";
  }
}

std::string remedy(WordUse use) {
  switch (use) {
    case WordUse::Lock:
      return "hold the lock for less work, split it, or back off between tries";
    case WordUse::CompareSwap:
      return "let each thread take several positions at a time, or work on a part of its own; one "
             "fetch-and-add "
             "never repeats";
    case WordUse::Counter:
      return "let each thread count for itself and sum when the total is read";
    case WordUse::ReferenceCount:
      return "pass the object by reference or move its owner instead of copying it; for readers of a lock: a "
             "count for each thread, or a copy that is replaced as a whole";
    case WordUse::Readers:
      return "readers wait for the line of their count, however short they hold the lock: replace the data "
             "as a "
             "whole (RCU, an atomic pointer to a copy), let readers check a sequence number, or count "
             "readers "
             "for each thread";
    case WordUse::Level:
      return "let each side count for itself, and look at the other's count only when the last one seen is "
             "used "
             "up";
    case WordUse::Published:
      return "publish it less often, for more at a time, and let readers keep what they saw last";
    case WordUse::Ticket:
      return "let each waiter spin on a word of its own (a queue lock), or split what the lock guards";
    case WordUse::Plain:
      return "";
  }
  return "";
}

}  // namespace lento::memory
