// The constants of the contention detector: value, unit, reason, and where it was measured. Values that
// follow from the trace (baselines, thresholds, line size, base rates) are estimated from it and are not
// listed here.
//
// Raw file of the campaign cited below: bench/results/2026-11-23/memory-planted.csv (lento-lab memory
// campaign).
#pragma once

#include <cstddef>
#include <cstdint>

namespace lento::memory::tuning {

// Constants for bytes, accesses and samples.

// Two accesses can conflict only within one line, at most this many bytes on the machines that the formats
// come from (x86 64, Arm 64 and 128, POWER 128).
inline constexpr uint32_t kBlockBytes = 128;
// Line sizes that are tried where neither format nor user names one.
inline constexpr uint32_t kLineSizes[] = {32, 64, 128};
// The smallest line size is taken whose contended lines hold at least this share of the cycles that the best
// size explains. A larger size explains all that a smaller one does, and further cycles by chance.
inline constexpr double kExplains = 0.9;
// Fewer samples do not describe a program. With this many, a share of a tenth has an error below a factor of
// two.
inline constexpr uint64_t kLeastSamples = 100;
// The largest share of skipped records in a trace that is judged. With more, the file is probably not what
// it was taken for.
inline constexpr double kMostSkipped = 0.5;
// At most this share of the accesses may have a time stamp far outside the span of the others; they are set
// aside. With more of them it is not clear which times are wrong, so no more are set aside.
inline constexpr double kMostFarTimes = 0.05;

// The constant that separates working from idle CPUs.

// A CPU works when it makes this share of the accesses of the busiest one. Idle harts spin or sleep.
inline constexpr double kWorkingShare = 0.01;

// Constants for data that threads share.

// Share of conflicting pairs of accesses that touch a common byte. Planted false sharing lies below 0.05 and
// true sharing above 0.9 at every sampling. Between them the likelier cause is reported.
inline constexpr double kOverlap = 0.5;
// The share of conflicting pairs that would remain if each word were on a line with the other words of its
// main user. Above this share, data is handed from thread to thread rather than falsely shared. In the
// planted cases no pairs remain of false sharing, and all of a table that goes from thread to thread.
inline constexpr double kKept = 0.5;
// A contended line needs this share of writes, because one write in a hundred reads already takes it from all
// readers.
inline constexpr double kWriteShare = 0.01;
// A lock word is released by at most this many plain writes for each atomic access.
inline constexpr double kReleases = 3;
// Share of the accesses to a line that go to lock words before the line is called a lock. The guarded data
// often lies in the same line, and is loaded once and stored once each time.
inline constexpr double kLockShare = 0.25;
// Atomic accesses of one instruction, to a word that nothing else uses, make it a counter when there are at
// least this many.
inline constexpr uint64_t kCounterAccesses = 20;
// Number of accesses that were slow, or whose line another core had taken, before there is a finding. A
// variable that is set once before all threads read it is not contended, however little else the program
// does.
inline constexpr uint64_t kLeastMeetings = 50;
// The least number of delayed accesses for each line of an object, on average, where every access is
// recorded. A table that one thread fills and another continues is handed over once, without contention.
inline constexpr uint64_t kMeetingsALine = 2;
// The share of the time that may be lost to other CPUs on objects that each lose less than `least_loss`.
// Above it one cause may be spread over many objects, and the outcome is "cannot judge".
inline constexpr double kSpread = 0.1;
// Most lines that are examined byte by byte. 4,096 hold a histogram of 256 threads and 16 lines each.
inline constexpr size_t kHotBlocks = 4096;
// Most (byte range, thread) pairs kept over all of them: about 160 MB.
inline constexpr size_t kMostUses = size_t{1} << 21;
// Lines without a name are one region when they lie at most this far apart, in bytes.
inline constexpr uint64_t kRegionGap = 512;

// Constants for causes other than sharing.

// Remote accesses cost this factor of local ones where a trace holds no local ones to compare with. Two
// sockets of current servers have 1.5 to 2.
inline constexpr double kRemoteFactor = 1.6;
// Queueing: the median latency of local memory over its tenth percentile. Unloaded memory stays below 1.3.
inline constexpr double kLoaded = 1.5;
// Memory that is always loaded has no unloaded tenth percentile. Its median is then compared with the tenth
// percentile of the last cache, of which unloaded memory takes about 4 times.
inline constexpr double kLoadedOverCache = 8;
// A cache that is too small fetches lines that it held before: misses per line and CPU when every access is
// recorded.
inline constexpr double kRefetched = 3;
// Share of the working time that misses of one variable must cost before the size of a cache is reported,
// because every program has some. Misses on one residue of a power of two are always a conflict and need only
// least_loss.
inline constexpr double kMissLoss = 0.2;
// Share of an object's accesses that miss. A walk over an array of 8-byte elements misses once in 8, whatever
// the size of the cache.
inline constexpr double kMissRatio = 0.2;
// Bytes that an object must span to be too large for a cache. First caches hold 8 KiB (Lento's platform) and
// more.
inline constexpr uint64_t kLeastFootprint = 8 << 10;
// The share of an object's misses whose line numbers have one residue modulo a power of two, above which the
// misses are a conflict in one cache set.
inline constexpr double kConcentrated = 0.9;
// The least power of two, in lines, that is taken for the stride of a set conflict. Smaller strides are those
// of ordinary arrays.
inline constexpr uint64_t kConflictStride = 16;
// The share of an object's misses that lie a multiple of kConflictStride lines from the thread's previous
// miss, above which they are a conflict. A walk down a column of a matrix whose rows are so far apart misses
// in one set after another. In random order the share is one in sixteen.
inline constexpr double kJumps = 0.5;

// Constants for patterns of contention windows.

inline constexpr double kLeastLift = 1.2;      // against control windows; planted calm traces reach 1.1
inline constexpr size_t kPatternFindings = 5;  // shown
inline constexpr size_t kShownPatterns = 20;   // in the table

}  // namespace lento::memory::tuning
