// Pictures over axes: lines with bands, spans, bars, points.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"
#include "report/figures.h"
#include "report/svg.h"

namespace lento::report {
namespace {

using finding::BarsFigure;
using finding::ScatterFigure;
using finding::SeriesFigure;
using finding::TableFigure;
using finding::TimelineFigure;

std::string series_class(size_t i) {
  return "s" + std::to_string(i % 8);
}

// A gap in the data (NaN) lifts the pen.
std::string
line_path(const std::vector<double>& x, const std::vector<double>& y, const Scale& sx, const Scale& sy) {
  std::string d;
  bool down = false;
  for (size_t i = 0; i < y.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
      down = false;
      continue;
    }
    d += (down ? "L" : "M") + px(sx(x[i])) + " " + px(sy(y[i]));
    down = true;
  }
  return d;
}

std::string band_path(const SeriesFigure::Band& band, const Scale& sx, const Scale& sy) {
  const auto known = [&](size_t i) {
    return std::isfinite(band.x[i]) && std::isfinite(band.low[i]) && std::isfinite(band.high[i]);
  };
  std::string d;
  for (size_t i = 0; i < band.x.size(); ++i) {
    if (known(i))
      d += (d.empty() ? "M" : "L") + px(sx(band.x[i])) + " " + px(sy(band.high[i]));
  }
  for (size_t i = band.x.size(); i-- > 0;) {
    if (known(i))
      d += "L" + px(sx(band.x[i])) + " " + px(sy(band.low[i]));
  }
  return d.empty() ? d : d + "z";
}

// Keys under a picture, in as many lines as they need.
struct Legend {
  std::string svg;
  double bottom = 0;
};
Legend legend(const std::vector<std::pair<std::string, std::string>>& entries, double y) {
  constexpr size_t kMostCharacters = 28;
  Legend out;
  double x = 70;
  for (const auto& [css, name] : entries) {
    const double width = 34 + 6.8 * double(std::min(name.size(), kMostCharacters));
    if (x + width > 920 && x > 70) {
      x = 70;
      y += 16;
    }
    out.svg += "<rect class=\"" + css + " key\" x=\"" + px(x) + "\" y=\"" + px(y) +
               "\" width=\"12\" height=\"10\"/>";
    out.svg += cut_text_at(x + 17, y + 9, name, kMostCharacters, "start");
    x += width;
  }
  out.bottom = y + 16;
  return out;
}

std::string plot_of(const Frame& f, const Scale& x, const Scale& y, std::string_view x_name) {
  return open_plot({f.left, f.top, f.width - f.left - f.right, f.height - f.top - f.bottom, x_name, &y}, x);
}

}  // namespace

std::string draw(const SeriesFigure& f, const std::string& title) {
  ExtentOf ex;
  ExtentOf ey;
  for (const auto& line : f.lines) {
    ex.add(line.x);
    ey.add(line.y);
  }
  for (const auto& band : f.bands) {
    ex.add(band.x);
    ey.add(band.low);
    ey.add(band.high);
  }
  Frame frame;
  const Scale sx(ex.get(), frame.left, frame.width - frame.right, f.log_x);
  const Scale sy(ey.get(), frame.height - frame.bottom, frame.top, f.log_y);
  std::vector<std::pair<std::string, std::string>> keys;
  std::string body;
  for (const auto& band : f.bands) {
    body += "<path class=\"band\" d=\"" + band_path(band, sx, sy) + "\"/>";
    keys.emplace_back("band", band.name);
  }
  for (const bool blamed : {false, true}) {  // blamed lines on top
    for (size_t i = 0; i < f.lines.size(); ++i) {
      const auto& line = f.lines[i];
      if (line.blamed != blamed)
        continue;
      const std::string css = blamed ? "blamed" : series_class(i);
      body += "<path class=\"line " + css + (line.dashed ? " dashed" : "") + "\" data-name=\"" +
              escape(line.name) + "\" d=\"" + line_path(line.x, line.y, sx, sy) + "\"/>";
      keys.emplace_back(css, line.name);
    }
  }
  for (const double mark : f.marks)
    body += "<path class=\"mark\" d=\"M" + px(sx(mark)) + " " + px(frame.top) + "V" +
            px(frame.height - frame.bottom) + "\"/>";
  const Legend named = legend(keys, frame.height + 4);
  return open_svg(frame.width, named.bottom, title) + axes(frame, sx, sy, f.x_name, f.y_name) +
         plot_of(frame, sx, sy, f.x_name) + body + "</svg>" + named.svg + "</svg>";
}

std::string draw(const TimelineFigure& f, const std::string& title) {
  std::map<std::string, size_t> row;
  std::vector<std::string> tracks;
  ExtentOf ex;
  for (const auto& span : f.spans) {
    ex.add(span.begin);
    ex.add(span.end);
    if (row.emplace(span.track, tracks.size()).second)
      tracks.push_back(span.track);
  }
  const size_t all = tracks.size();
  if (all > 80)
    tracks.resize(80);
  const double left = 130;
  const double right = 905;
  const double pitch = tracks.size() > 30 ? 12 : 20;
  const double bottom = 8 + pitch * double(tracks.size());
  const Scale sx(ex.get(), left, right);
  std::string out = open_svg(920, bottom + 44, title);
  for (size_t i = 0; i < tracks.size(); ++i)
    out += cut_text_at(left - 6, 8 + pitch * (double(i) + 0.7), tracks[i], 18, "end");
  out += open_plot({left, 4, right - left, bottom - 4, f.x_name}, sx);
  for (const auto& span : f.spans) {
    const size_t track = row[span.track];
    if (track >= tracks.size())
      continue;
    out += "<rect class=\"" + std::string(span.blamed ? "blamed" : series_class(track)) + " span\" x=\"" +
           px(sx(span.begin)) + "\" y=\"" + px(8 + pitch * double(track)) + "\" width=\"" +
           px(std::max(1.0, sx(span.end) - sx(span.begin))) + "\" height=\"" + px(pitch - 3) + "\"><title>" +
           escape(span.label) + "</title></rect>";
  }
  out += "</svg>" + x_ticks(sx, bottom + 16);
  if (all > tracks.size())
    out += text_at(left - 6, bottom + 16, std::to_string(all - tracks.size()) + " more in the JSON", "end");
  return out + text_at((left + right) / 2, bottom + 34, f.x_name, "middle") + "</svg>";
}

std::string draw(const BarsFigure& f, const std::string& title) {
  ExtentOf ey;
  ey.add(0.0);
  for (size_t c = 0; c < f.categories.size(); ++c) {
    double top = 0;  // of the stack so far: with values of both signs the last is not the highest
    for (const auto& series : f.values) {
      top += std::isfinite(series[c]) ? series[c] : 0;
      ey.add(top);
    }
  }
  Frame frame;
  frame.bottom = 86;
  frame.height = 360;
  const Scale sy(ey.get(), frame.height - frame.bottom, frame.top);
  const double pitch =
      (frame.width - frame.left - frame.right) / double(std::max<size_t>(1, f.categories.size()));
  std::string body;
  for (size_t c = 0; c < f.categories.size(); ++c) {
    double base_value = 0;
    const double x = frame.left + pitch * double(c);
    for (size_t s = 0; s < f.series.size(); ++s) {
      const double v = f.values[s][c];
      if (!std::isfinite(v))
        continue;
      const double y0 = sy(base_value);
      const double y1 = sy(base_value + v);
      body += "<rect class=\"" + series_class(s) + " span\" x=\"" + px(x + pitch * 0.1) + "\" y=\"" +
              px(std::min(y0, y1)) + "\" width=\"" + px(pitch * 0.8) + "\" height=\"" +
              px(std::fabs(y1 - y0)) + "\"><title>" + escape(f.categories[c] + ", " + f.series[s]) + ": " +
              base::format_number(v) + "</title></rect>";
      base_value += v;
    }
    if (pitch >= 11) {
      body += "<text transform=\"translate(" + px(x + pitch / 2) + " " +
              px(frame.height - frame.bottom + 12) + ") rotate(-35)\" text-anchor=\"end\">" +
              escape(first_characters(f.categories[c], 16)) + "</text>";
    }
  }
  std::vector<std::pair<std::string, std::string>> keys;
  for (size_t s = 0; s < f.series.size(); ++s)
    keys.emplace_back(series_class(s), f.series[s]);
  std::string grid = "<g class=\"axis\">";
  for (const double t : sy.ticks(5)) {
    grid += "<path d=\"M" + px(frame.left) + " " + px(sy(t)) + "H" + px(frame.width - frame.right) + "\"/>" +
            text_at(frame.left - 6, sy(t) + 4, base::format_compact(t), "end");
  }
  grid += "<text transform=\"translate(14 150) rotate(-90)\" text-anchor=\"middle\">" + escape(f.y_name) +
          "</text></g>";
  const Legend named = legend(keys, frame.height + 4);
  return open_svg(frame.width, named.bottom, title) + grid + body + named.svg + "</svg>";
}

std::string draw(const ScatterFigure& f, const std::string& title) {
  ExtentOf ex;
  ExtentOf ey;
  for (const auto& group : f.groups) {
    for (const auto& p : group.points) {
      ex.add(p.x);
      ey.add(p.y);
    }
  }
  Frame frame;
  frame.height = 400;
  const Scale sx(ex.get(), frame.left, frame.width - frame.right, f.log_x);
  const Scale sy(ey.get(), frame.height - frame.bottom, frame.top, f.log_y);
  std::vector<std::pair<std::string, std::string>> keys;
  std::string body;
  for (size_t g = 0; g < f.groups.size(); ++g) {
    const auto& group = f.groups[g];
    std::string joined;
    for (const auto& p : group.points) {
      if (!std::isfinite(p.x) || !std::isfinite(p.y))
        continue;
      joined += (joined.empty() ? "M" : "L") + px(sx(p.x)) + " " + px(sy(p.y));
      if (group.joined && !p.blamed && p.label.empty())
        continue;
      body += "<path class=\"" + std::string(p.blamed ? "blamed" : series_class(g)) + " dot\" d=\"M" +
              px(sx(p.x)) + " " + px(sy(p.y)) + "h0\"><title>" +
              escape(p.label.empty() ? group.name : p.label) + "</title></path>";
    }
    if (group.joined)
      body += "<path class=\"line " + series_class(g) + "\" d=\"" + joined + "\"/>";
    keys.emplace_back(series_class(g), group.name);
  }
  const Legend named = legend(keys, frame.height + 4);
  return open_svg(frame.width, named.bottom, title) + axes(frame, sx, sy, f.x_name, f.y_name) +
         plot_of(frame, sx, sy, f.x_name) + body + "</svg>" + named.svg + "</svg>";
}

std::string draw(const TableFigure&, const std::string&) {
  return {};
}

}  // namespace lento::report
