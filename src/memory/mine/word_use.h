// Names what threads do with a word that they fight over, from the atomics that they use on it: the fix of a
// reference count is another than that of a lock.
#pragma once

#include <string>
#include <vector>

#include "memory/mine/sharing.h"

namespace lento::memory {

enum class WordUse {
  Plain,           // loads and stores
  Lock,            // taken by an atomic and given back
  CompareSwap,     // moved on by a compare-and-swap loop: a position, the head of a list
  Counter,         // only added to
  ReferenceCount,  // added to and subtracted from
  Level,           // added to by some threads and subtracted from by others
  Published,       // stored by one thread and loaded by others
  Ticket           // a counter whose neighbour word says whose turn it is
};

// Classifies the words of the lines by the one that most accesses go to.
WordUse word_use(const std::vector<const Line*>& lines);

// Returns whether the lines hold a word that one of two threads stores and the other one loads.
bool is_position(const std::vector<const Line*>& lines);

// Returns "a reference count" and the like, "" for Plain and Lock.
std::string name(WordUse use);

// Returns what to do about it. Empty for Plain.
std::string remedy(WordUse use);

}  // namespace lento::memory
