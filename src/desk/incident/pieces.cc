// Binary segmentation by rank statistics (series.h): both sides of a change are searched for further ones.
// A change is placed where the sum of the distances of all values to the levels before and after it is
// smallest.
#include "desk/incident/pieces.h"

#include "evidence/sample.h"

namespace lento::desk {
namespace {

double median_of(const Track& track, size_t begin, size_t end) {
  return evidence::median(std::span(track.value).subspan(begin, end - begin));
}

}  // namespace

// Splits a series into pieces until no further split is improbable enough. A queue replaces recursion, so
// that no input can exhaust the stack.
std::vector<Piece> pieces_of(const Track& track, double budget) {
  constexpr size_t kMostPieces = 16;
  std::vector<Piece> pieces{{0, track.value.size(), 0, 0}};
  for (size_t i = 0; i < pieces.size() && pieces.size() < kMostPieces;) {
    const Piece piece = pieces[i];
    const std::span<const double> values =
        std::span(track.value).subspan(piece.begin, piece.end - piece.begin);
    const Split split = values.size() >= kFewestSamples ? best_split(values) : Split{};
    if (split.at == 0 || split.chance > budget) {
      ++i;
      continue;
    }
    pieces[i].end = piece.begin + split.at;
    pieces.insert(
        pieces.begin() + std::ptrdiff_t(i) + 1,
        Piece{piece.begin + split.at, piece.end, split.chance, 0});
  }
  for (Piece& piece : pieces)
    piece.median = median_of(track, piece.begin, piece.end);
  for (size_t i = 1; i < pieces.size(); ++i) {
    const size_t begin = pieces[i - 1].begin;
    const size_t at = begin + split_between(
                                  std::span(track.value).subspan(begin, pieces[i].end - begin),
                                  pieces[i - 1].median,
                                  pieces[i].median);
    pieces[i - 1].end = at;
    pieces[i].begin = at;
  }
  return pieces;
}

// Returns the change with the largest factor between the best piece so far and a later one.
Onset onset_of(const Quantity& quantity, std::span<const Piece> pieces) {
  Onset onset;
  const Piece* best = &pieces[0];
  for (size_t i = 1; i < pieces.size(); ++i) {
    const double times = times_worse(quantity, pieces[i].median, best->median);
    if (times > onset.times)
      onset = {best, &pieces[i], times};
    if (times < 1)
      best = &pieces[i];
  }
  return onset;
}

}  // namespace lento::desk
