// The strokes of the characters, and how a segment is drawn with soft edges.
#include "lab/neural/page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/error.h"

namespace lento::tile {
namespace {

// Grid units of a cell, then half the width of a stroke.
constexpr float kRows = 10;
constexpr float kColumns = 6;
constexpr float kPen = 0.5f;

// Strokes from '!' to '~': points "xy" on a grid, x 0 to 4, y 0 to 8 (capitals 0 to 6, small letters 2 to 6,
// below the line to 8). A blank begins the next stroke, and a single point is a dot.
constexpr std::array<std::string_view, 94> kStrokes = {
    "2024 26",
    "1012 3032",
    "1016 3036 0242 0444",
    "413010010213334445361605 2026",
    "4006 0010110100 3545463635",
    "460201102031320405162644",
    "2022",
    "30121436",
    "10323416",
    "2125 0244 0442",
    "2125 0343",
    "262718",
    "0343",
    "26",
    "4006",
    "20313526151120",
    "112026 1636",
    "01103041420646",
    "0110304142334445361605 1333",
    "36300444",
    "400002324345361605",
    "30100105163645443303",
    "004016",
    "103041423344453616050413020110 1333",
    "43130201103041453616",
    "22 26",
    "22 262718",
    "410345",
    "0242 0444",
    "014305",
    "01103041422324 26",
    "453616050110304144242242",
    "062046 1434",
    "003041423303 334445360600",
    "4130100105163645",
    "00204244260600",
    "40000646 0333",
    "400006 0333",
    "41301001051636454323",
    "0006 4046 0343",
    "1030 2026 1636",
    "4045361605",
    "0006 400346",
    "000646",
    "0600234046",
    "06004640",
    "103041453616050110",
    "06003041423303",
    "103041453616050110 3446",
    "06003041423303 2346",
    "413010010213334445361605",
    "0040 2026",
    "000516364540",
    "002640",
    "0016233640",
    "0046 4006",
    "002340 2326",
    "00400646",
    "30101636",
    "0046",
    "10303616",
    "022042",
    "0747",
    "1021",
    "12324346 4414051646",
    "00063645433202",
    "421203051646",
    "40461605031242",
    "044443321203051646",
    "40302126 1242",
    "421203051646 42473818",
    "0006 02324346",
    "2226 20",
    "22271808 20",
    "0006 420446",
    "202536",
    "0602 02122326 23324346",
    "0206 02324346",
    "123243453616050312",
    "0208 023243453606",
    "4248 421203051646",
    "0206 042242",
    "4212031434453606",
    "20253646 0242",
    "02051646 4246",
    "022642",
    "0216243642",
    "0246 4206",
    "0226 4218",
    "02420646",
    "30212213242536",
    "2027",
    "10212233242516",
    "04133443"};

struct Point {
  float x;
  float y;
};

float distance(Point p, Point a, Point b) {
  const float dx = b.x - a.x;
  const float dy = b.y - a.y;
  const float length = dx * dx + dy * dy;
  const float along =
      length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0f, 1.0f) : 0.0f;
  const float ex = p.x - a.x - along * dx;
  const float ey = p.y - a.y - along * dy;
  return std::sqrt(ex * ex + ey * ey);
}

// Draws the pixels near the segment. Edges fade over one pixel.
void draw_segment(Picture& picture, Point a, Point b, float pen) {
  const auto low = [](float v) {
    return int(std::floor(v));
  };
  const int top = std::max(0, low(std::min(a.y, b.y) - pen - 1));
  const int bottom = std::min(picture.height, low(std::max(a.y, b.y) + pen + 2));
  const int left = std::max(0, low(std::min(a.x, b.x) - pen - 1));
  const int right = std::min(picture.width, low(std::max(a.x, b.x) + pen + 2));
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) {
      const Point center = {float(x) + 0.5f, float(y) + 0.5f};
      float& ink = picture.ink[size_t(y) * size_t(picture.width) + size_t(x)];
      ink = std::max(ink, std::clamp(pen + 0.5f - distance(center, a, b), 0.0f, 1.0f));
    }
  }
}

void draw_character(Picture& picture, char c, Point origin, float unit) {
  if (c <= ' ' || c > '~')
    return;
  const std::string_view strokes = kStrokes[size_t(c - '!')];
  const auto point = [&](size_t at) {
    return Point{
        origin.x + unit * (1 + float(strokes[at] - '0')),
        origin.y + unit * (1 + float(strokes[at + 1] - '0'))};
  };
  bool fresh = true;
  for (size_t at = 0; at < strokes.size();) {
    if (strokes[at] == ' ') {
      fresh = true;
      ++at;
      continue;
    }
    draw_segment(picture, point(fresh ? at : at - 2), point(at), kPen * unit);
    fresh = false;
    at += 2;
  }
}

}  // namespace

int characters_in(int width, int cell) {
  return int(float(width) / (float(cell) * kColumns / kRows));
}

Picture draw_text(const std::vector<std::string>& lines, int height, int width, int cell) {
  LENTO_CHECK(height > 0 && width > 0 && cell >= 10, "a picture has a size");
  Picture picture{height, width, std::vector<float>(size_t(height) * size_t(width))};
  const float unit = float(cell) / kRows;
  for (size_t row = 0; row < lines.size() && int(row) * cell < height; ++row) {
    const auto columns = size_t(characters_in(width, cell));
    for (size_t i = 0; i < std::min(columns, lines[row].size()); ++i)
      draw_character(picture, lines[row][i], {float(i) * kColumns * unit, float(row) * kRows * unit}, unit);
  }
  return picture;
}

}  // namespace lento::tile
