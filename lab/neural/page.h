// Text as a picture: what the networks that read text are given. Plain strokes of our own on a grid, the same
// bytes on every machine that has IEEE single precision.
#pragma once

#include <string>
#include <vector>

namespace lento::tile {

struct Picture {
  int height = 0;
  int width = 0;
  std::vector<float> ink;  // row by row; 0 paper, 1 ink
};

// Draws lines of ASCII text from the top left, each line `cell` pixels high (10 or more) and each character
// 0.6 of that wide. What does not fit is cut off; other characters than ASCII leave a gap.
Picture draw_text(const std::vector<std::string>& lines, int height, int width, int cell);

// How many characters of that cell fit into a line of `width` pixels.
int characters_in(int width, int cell);

}  // namespace lento::tile
