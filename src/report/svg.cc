#include "report/svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/json.h"
#include "base/units.h"

namespace lento::report {
namespace {

constexpr double kTiny = 1e-12;

double step_near(double wanted) {
  const double power = std::pow(10, std::floor(std::log10(wanted)));
  for (const double m : {1.0, 2.0, 5.0}) {
    if (m * power >= wanted)
      return m * power;
  }
  return 10 * power;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 32 || c == '\n' || c == '\t')
          out += c;
    }
  }
  return out;
}

std::string px(double value) {
  if (!std::isfinite(value))
    return "0";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f", value);
  std::string text = buffer;
  if (text.ends_with(".0"))
    text.resize(text.size() - 2);
  return text;
}

void ExtentOf::add(double value) {
  if (!std::isfinite(value))
    return;
  extent_ = any_ ? Extent{std::min(extent_.low, value), std::max(extent_.high, value)} : Extent{value, value};
  any_ = true;
}

void ExtentOf::add(std::span<const double> values) {
  for (const double v : values)
    add(v);
}

Extent ExtentOf::get() const {
  if (!any_)
    return {0, 1};
  // By the values' own size: joules of one operation are 1e-12 and differ all the same.
  const double size = std::max(std::fabs(extent_.low), std::fabs(extent_.high));
  if (extent_.high - extent_.low > kTiny * size)
    return extent_;
  const double margin = size > 0 ? size * 0.05 : 1e-9;
  return {extent_.low - margin, extent_.high + margin};
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
  const double share =
      log_ ? std::log(std::max(value, data_.low) / data_.low) / std::log(data_.high / data_.low)
           : (value - data_.low) / (data_.high - data_.low);
  return pixel_low_ + share * (pixel_high_ - pixel_low_);
}

std::vector<double> Scale::ticks(int about) const {
  std::vector<double> out;
  if (log_) {
    for (double p = std::pow(10, std::ceil(std::log10(data_.low))); p <= data_.high * 1.0001; p *= 10)
      out.push_back(p);
    if (out.size() > 1)
      return out;
    out.clear();
  }
  const double step = step_near((data_.high - data_.low) / about);
  for (double t = std::ceil(data_.low / step) * step; t <= data_.high + step * 1e-6 && out.size() < 50;
       t += step) {
    out.push_back(std::fabs(t) < step * 1e-6 ? 0 : t);
  }
  return out;
}

int colour_class(double value, Extent extent) {
  const double share = (value - extent.low) / (extent.high - extent.low);
  return std::isnan(share) ? 0 : int(std::clamp(share * 9, 0.0, 8.0));
}

std::string open_svg(double width, double height, std::string_view title) {
  return "<svg viewBox=\"0 0 " + px(width) + " " + px(height) +
         "\" role=\"img\" style=\"max-width:" + px(width) + "px\"><title>" + escape(title) + "</title>";
}

std::string text_at(double x, double y, std::string_view text, std::string_view anchor) {
  std::string out = "<text x=\"" + px(x) + "\" y=\"" + px(y) + "\"";
  if (anchor != "start")
    out.append(" text-anchor=\"").append(anchor).append("\"");
  return out + ">" + escape(text) + "</text>";
}

std::string x_ticks(const Scale& x, double y) {
  std::string out = "<g class=\"x-ticks\" data-y=\"" + px(y) + "\">";
  for (const double t : x.ticks(8))
    out += text_at(x(t), y, base::format_compact(t), "middle");
  return out + "</g>";
}

std::string open_plot(const Plot& plot, const Scale& x) {
  const auto attribute = [](const char* name, std::string_view value) {
    return " " + std::string(name) + "=\"" + escape(value) + "\"";
  };
  const auto number = [&](const char* name, double value) {
    return attribute(name, base::format_exact(value));
  };
  std::string out = "<svg class=\"plot\" preserveAspectRatio=\"none\"";
  out += attribute("x", px(plot.left)) + attribute("y", px(plot.top));
  out += attribute("width", px(plot.width)) + attribute("height", px(plot.height));
  out +=
      attribute("viewBox", px(plot.left) + " " + px(plot.top) + " " + px(plot.width) + " " + px(plot.height));
  out += attribute("data-name", plot.x_name) + attribute("data-log", x.log() ? "1" : "0");
  out += number("data-low", x.data().low) + number("data-high", x.data().high);
  if (plot.y) {
    out += number("data-ylow", plot.y->data().low) + number("data-yhigh", plot.y->data().high);
    out += attribute("data-ylog", plot.y->log() ? "1" : "0");
  }
  if (plot.rows) {
    base::Json::Array names(plot.rows->begin(), plot.rows->end());
    out += attribute("data-rows", base::write_json(names));
  }
  return out + ">";
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
  return "<g><title>" + escape(text) + "</title>" + text_at(x, y, cut, anchor) + "</g>";
}

std::string
axes(const Frame& f, const Scale& x, const Scale& y, std::string_view x_name, std::string_view y_name) {
  const double bottom = f.height - f.bottom;
  const double right = f.width - f.right;
  std::string out = "<g class=\"axis\">";
  out += x_ticks(x, bottom + 16);
  for (const double t : y.ticks(5)) {
    out += "<path d=\"M" + px(f.left) + " " + px(y(t)) + "H" + px(right) + "\"/>";
    out += text_at(f.left - 6, y(t) + 4, base::format_compact(t), "end");
  }
  out += text_at((f.left + right) / 2, f.height - 8, x_name, "middle");
  out += "<text transform=\"translate(14 " + px((f.top + bottom) / 2) +
         ") rotate(-90)\" text-anchor=\"middle\">" + escape(y_name) + "</text>";
  return out + "</g>";
}

std::string value_legend(double x, double y, Extent extent, std::string_view name) {
  std::string out;
  for (int q = 0; q < 9; ++q) {
    out += "<rect class=\"q" + std::to_string(q) + "\" x=\"" + px(x + 18 * q) + "\" y=\"" + px(y) +
           "\" width=\"18\" height=\"10\"/>";
  }
  out += text_at(x, y + 24, base::format_compact(extent.low));
  out += text_at(x + 162, y + 24, base::format_compact(extent.high), "end");
  return out + text_at(x + 172, y + 10, name);
}

}  // namespace lento::report
