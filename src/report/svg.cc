// Computes scales, ticks and colours of pictures. Ticks are at 1, 2 or 5 times a power of ten. Colours are
// classes of nine steps, which the style sheet of the page maps to light, dark and print.
#include "report/svg.h"

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/units.h"
#include "report/markup.h"

namespace lento::report {
namespace {

constexpr double kTiny = 1e-12;
constexpr size_t kMostTicks = 50;

// Returns 1, 2 or 5 times a power of ten, at least `wanted`.
double step_near(double wanted) {
  const double power = std::pow(10, std::floor(std::log10(wanted)));
  for (const double m : {1.0, 2.0, 5.0}) {
    if (m * power >= wanted)
      return m * power;
  }
  return 10 * power;
}

}  // namespace

// Adds a value to the range. Infinite and NaN are left out.
void ExtentOf::add(double value) {
  if (!std::isfinite(value))
    return;
  if (!any_)
    extent_ = {value, value};
  any_ = true;
  extent_.low = std::min(extent_.low, value);
  extent_.high = std::max(extent_.high, value);
}

void ExtentOf::add(std::span<const double> values) {
  for (const double v : values)
    add(v);
}

// Returns the range, widened when all values are equal.
Extent ExtentOf::get() const {
  if (!any_)
    return {0, 1};
  // The tolerance is relative, because small values can differ too: operations cost about 1e-12 joules.
  const double size = std::max(std::fabs(extent_.low), std::fabs(extent_.high));
  if (extent_.high - extent_.low > kTiny * size)
    return extent_;
  const double margin = size > 0 ? size * 0.05 : 1e-9;
  return {extent_.low - margin, extent_.high + margin};
}

Extent ExtentOf::get_at_least_twofold() const {
  Extent extent = get();
  if (any_ && extent.low > 0) {
    extent.low = extent_.low;
    extent.high = std::max(extent_.high, 2 * extent_.low);
  }
  return extent;
}

Scale::Scale(Extent data, double pixel_low, double pixel_high, bool log)
    : data_(data),
      pixel_low_(pixel_low),
      pixel_high_(pixel_high),
      log_(log) {
  if (!log_)
    return;
  data_.high = std::max(data_.high, 1e-300);
  data_.low = std::max(data_.low, data_.high * 1e-9);
  if (data_.low >= data_.high)
    data_.low = data_.high / 10;
}

double Scale::operator()(double value) const {
  if (!std::isfinite(value))
    return pixel_low_;
  double share = (value - data_.low) / (data_.high - data_.low);
  if (log_) {
    const double above = std::max(value, data_.low) / data_.low;
    share = std::log(above) / std::log(data_.high / data_.low);
  }
  return pixel_low_ + share * (pixel_high_ - pixel_low_);
}

std::vector<double> Scale::ticks(int about) const {
  std::vector<double> out;
  if (log_) {
    const double first = std::pow(10, std::ceil(std::log10(data_.low)));
    for (double power = first; power <= data_.high * 1.0001; power *= 10)
      out.push_back(power);
    if (out.size() > 1)
      return out;
    out.clear();
  }
  const double step = step_near((data_.high - data_.low) / about);
  const double nothing = step * 1e-6;
  double tick = std::ceil(data_.low / step) * step;
  while (tick <= data_.high + nothing && out.size() < kMostTicks) {
    out.push_back(std::fabs(tick) < nothing ? 0 : tick);
    tick += step;
  }
  return out;
}

int colour_class(double value, Extent extent) {
  const double share = (value - extent.low) / (extent.high - extent.low);
  if (std::isnan(share))
    return 0;
  return int(std::clamp(share * 9, 0.0, 8.0));
}

std::string open_svg(double width, double height, std::string_view title) {
  Element svg("svg");
  svg.set("viewBox", "0 0 " + px(width) + " " + px(height));
  svg.set("role", "img");
  svg.set("style", "max-width:" + px(width) + "px");
  return svg.open() + Element("title").with_text(title);
}

std::string text_at(double x, double y, std::string_view text, std::string_view anchor) {
  Element element("text");
  element.set("x", x);
  element.set("y", y);
  if (anchor != "start")
    element.set("text-anchor", anchor);
  return element.with_text(text);
}

std::string x_ticks(const Scale& x, double y) {
  std::string labels;
  for (const double tick : x.ticks(8))
    labels += text_at(x(tick), y, base::format_compact(tick), "middle");
  Element group("g");
  group.set("class", "x-ticks");
  group.set("data-y", y);
  return group.around(labels);
}

// Opens the inner drawing that scales with the page.
std::string open_plot(const Plot& plot, const Scale& x) {
  const std::string place = px(plot.left) + " " + px(plot.top);
  const std::string size = px(plot.width) + " " + px(plot.height);
  Element svg("svg");
  svg.set("class", "plot");
  svg.set("preserveAspectRatio", "none");
  svg.set("x", plot.left);
  svg.set("y", plot.top);
  svg.set("width", plot.width);
  svg.set("height", plot.height);
  svg.set("viewBox", place + " " + size);
  svg.set("data-name", plot.x_name);
  svg.set("data-log", x.log() ? "1" : "0");
  svg.set("data-low", base::format_exact(x.data().low));
  svg.set("data-high", base::format_exact(x.data().high));
  if (plot.y) {
    const Extent y = plot.y->data();
    svg.set("data-ylow", base::format_exact(y.low));
    svg.set("data-yhigh", base::format_exact(y.high));
    svg.set("data-ylog", plot.y->log() ? "1" : "0");
  }
  if (plot.rows) {
    const base::Json::Array names(plot.rows->begin(), plot.rows->end());
    svg.set("data-rows", base::write_json(names));
  }
  return svg.open();
}

std::string_view first_characters(std::string_view text, size_t most) {
  size_t end = 0;
  for (size_t characters = 0; end < text.size() && characters < most; ++characters) {
    ++end;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
      ++end;
  }
  return text.substr(0, end);
}

std::string cut_text_at(double x, double y, const std::string& text, size_t most, std::string_view anchor) {
  const std::string_view begin = first_characters(text, most);
  if (begin.size() == text.size())
    return text_at(x, y, text, anchor);
  const std::string cut = std::string(begin) + "…";
  const std::string whole = Element("title").with_text(text);
  return Element("g").around(whole + text_at(x, y, cut, anchor));
}

// Returns axes with ticks and names.
std::string
axes(const Frame& f, const Scale& x, const Scale& y, std::string_view x_name, std::string_view y_name) {
  const double bottom = f.height - f.bottom;
  const double right = f.width - f.right;
  std::string out = x_ticks(x, bottom + 16);
  for (const double tick : y.ticks(5)) {
    PathData line;
    line.move_to(f.left, y(tick));
    line.horizontal_to(right);
    out += Element("path").set("d", line.text()).empty();
    out += text_at(f.left - 6, y(tick) + 4, base::format_compact(tick), "end");
  }
  out += text_at((f.left + right) / 2, f.height - 8, x_name, "middle");
  const double middle = (f.top + bottom) / 2;
  Element name("text");
  name.set("transform", "translate(14 " + px(middle) + ") rotate(-90)");
  name.set("text-anchor", "middle");
  out += name.with_text(y_name);
  return Element("g").set("class", "axis").around(out);
}

std::string value_legend(double x, double y, Extent extent, std::string_view name) {
  std::string out;
  for (int q = 0; q < 9; ++q) {
    Element box("rect");
    box.set("class", "q" + std::to_string(q));
    box.set("x", x + 18 * q);
    box.set("y", y);
    box.set("width", 18);
    box.set("height", 10);
    out += box.empty();
  }
  out += text_at(x, y + 24, base::format_measure(extent.low, ""));
  out += text_at(x + 162, y + 24, base::format_measure(extent.high, ""), "end");
  return out + text_at(x + 172, y + 10, name);
}

}  // namespace lento::report
