// Renders text as a picture, which is the input of networks that read text. Plain strokes on a grid give the
// same bytes on every machine with IEEE single precision.
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
// 0.6 times as wide. Text that does not fit is cut off, and other characters than ASCII leave a gap.
Picture draw_text(const std::vector<std::string>& lines, int height, int width, int cell);

// Returns the number of characters of that cell size in a line of `width` pixels.
int characters_in(int width, int cell);

}  // namespace lento::tile
