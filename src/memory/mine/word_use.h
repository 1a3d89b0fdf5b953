// Classifies a contended word by the atomics that threads use on it, because a reference count needs another
// fix than a lock.
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
  Readers,         // the same in a lock that readers share
  Level,           // added to by some threads and subtracted from by others
  Published,       // stored by one thread and loaded by others, as all words beside it
  Ticket           // a counter beside a word with the number that is served now
};

// Classifies the words of the lines by the one with most atomics, unless words without atomics cost more.
WordUse word_use(const std::vector<const Line*>& lines);

// Returns whether at most two threads use each line, and each word is stored by one of them only.
bool is_position(const std::vector<const Line*>& lines);

// Returns whether most loads only wait for another value.
bool is_polled(const std::vector<const Line*>& lines);

// Returns whether each word of the lines has one storer, and other threads load it less than once in a
// hundred stores. Loads alone move such a line, so that storing less often gains nothing.
bool is_seldom_read(const std::vector<const Line*>& lines);

// Returns "a reference count" and the like, "" for Plain and Lock.
std::string name(WordUse use);

// Returns the advice for such a word, "" for Plain.
std::string remedy(WordUse use);

}  // namespace lento::memory
