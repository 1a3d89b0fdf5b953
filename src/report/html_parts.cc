// The pieces that every page shares. Everything that comes from a diagnosis is escaped.
#include "report/html_parts.h"

#include "base/error.h"
#include "base/json.h"
#include "base/units.h"
#include "embedded/page_files.h"
#include "report/figures.h"
#include "report/reduce.h"
#include "report/svg.h"
#include "report/window_text.h"

namespace lento::report {
namespace {

using finding::Diagnosis;
using finding::Evidence;
using finding::Finding;

constexpr size_t kMostTableRows = 400;  // under a picture; the whole figure is in the JSON
constexpr size_t kMostFindings = 200;

std::string tag(const char* name, const std::string& text) {
  return "<" + std::string(name) + ">" + escape(text) + "</" + name + ">";
}

std::string table_html(const finding::TableFigure& table, const std::string& caption) {
  std::string out = "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"" + escape(caption) +
                    "\"><table><thead><tr>";
  for (const auto& column : table.columns)
    out += "<th scope=\"col\">" + escape(column) + "</th>";
  out += "</tr></thead><tbody>";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (const auto& cell : row)
      out += tag("td", cell);
    out += "</tr>";
  }
  return out + "</tbody></table></div>";
}

// Heading `text` (already escaped) of a section, with an id that is unique in the page.
std::string heading(const Place& place, const std::string& id, const std::string& text, int deeper = 0) {
  const std::string tag = "h" + std::to_string(place.level + deeper);
  return "<" + tag + (id.empty() ? "" : " id=\"" + place.prefix + id + "\"") + ">" + text + "</" + tag + ">";
}

std::string
section(const Place& place, const std::string& id, const std::string& title, const std::string& content) {
  return "<section>" + heading(place, id, title) + content + "</section>\n";
}

std::string evidence_item(const Evidence& e) {
  std::string out = "<li>" + escape(e.text);
  if (e.value)
    out += ": <strong>" + base::format_number(*e.value) + (e.unit.empty() ? "" : " " + escape(e.unit)) +
           "</strong>";
  if (!e.source.empty())
    out += " <span class=\"dim\">(" + escape(e.source) + ")</span>";
  return out + "</li>";
}

// "Show in the charts" needs to know when.
std::string window_attributes(const Finding& f) {
  if (!f.when)
    return {};
  return " data-begin=\"" + base::format_exact(f.when->begin) + "\" data-end=\"" +
         base::format_exact(f.when->end) + "\" data-unit=\"" + escape(f.when->unit) + "\"";
}

std::string finding_card(const Finding& f, const Place& place, size_t number) {
  const std::string id = (place.level == 2 ? "" : place.prefix) + "finding-" + std::to_string(number);
  std::string title = "<a class=\"anchor\" href=\"#" + id + "\" aria-label=\"Link to finding " +
                      std::to_string(number) + "\">" + std::to_string(number) + "</a> <code>" +
                      escape(f.subject) + "</code> " + escape(f.category);
  if (f.factor)
    title += ", " + base::format_number(*f.factor, 3) + " times slower";
  std::string out = "<article class=\"finding\" id=\"" + id + "\"" + window_attributes(f) + ">" +
                    heading(place, "", title, 1);
  if (!f.summary.empty())
    out += tag("p", f.summary);
  out += "<p class=\"dim\">score " + base::format_number(f.score, 3);
  if (f.lost_share)
    out += " · " + base::format_number(*f.lost_share * 100, 3) + " % of run time lost";
  if (f.when) {
    out += " · " + escape(window_text(*f.when, 7));
  }
  out += "</p>";
  if (!f.evidence.empty()) {
    out += "<ul>";
    for (const Evidence& e : f.evidence)
      out += evidence_item(e);
    out += "</ul>";
  }
  if (!f.next_step.empty())
    out += "<p>Next: " + escape(f.next_step) + "</p>";
  return out + "</article>";
}

std::string findings_html(const Diagnosis& d, const Place& place) {
  if (d.outcome == finding::Outcome::CannotJudge)
    return "<p>Nothing was judged, so nothing is said.</p>";
  if (d.findings.empty())
    return "<p>Nothing stands out.</p>";
  std::string out;
  for (size_t i = 0; i < d.findings.size() && i < kMostFindings; ++i)
    out += finding_card(d.findings[i], place, i + 1);
  if (d.findings.size() > kMostFindings) {
    out += "<p>" + std::to_string(d.findings.size() - kMostFindings) + " more are in the JSON form.</p>";
  }
  return out;
}

std::string figure_html(const finding::Figure& figure, size_t index, const Place& place) {
  const std::string picture = std::visit(
      [&](const auto& body) {
        return draw(body, figure.title);
      },
      figure.body);
  const finding::TableFigure table = as_table(figure.body, kMostTableRows + 1);
  finding::TableFigure shown = table;
  if (shown.rows.size() > kMostTableRows)
    shown.rows.resize(kMostTableRows);
  std::string out = "<figure data-figure=\"" + std::to_string(index) + "\">";
  if (!picture.empty())
    out += "<div class=\"picture\">" + picture + "</div>";
  if (!figure.caption.empty())
    out += tag("figcaption", figure.caption);
  out += "</figure>";
  const std::string rows = table_html(shown, figure.title);
  const std::string more =
      table.rows.size() > kMostTableRows ? " (first " + std::to_string(kMostTableRows) + " rows)" : "";
  if (!picture.empty())
    out += "<details><summary>The same as a table" + more + "</summary>" + rows + "</details>";
  else
    out += rows;
  return section(place, "fig" + std::to_string(index), escape(figure.title), out);
}

std::string expectations_html(const Diagnosis& d, const Place& place) {
  if (d.expectations.empty())
    return {};
  finding::TableFigure table{{"what", "expected", "error", "source"}, {}};
  for (const auto& e : d.expectations) {
    table.rows.push_back(
        {e.subject + " " + e.metric,
         base::format_number(e.value) + " " + e.unit,
         base::format_number(e.relative_error * 100, 3) + " %",
         e.source});
  }
  return section(place, "expect", "How it should be", table_html(table, "Expectations"));
}

std::string quality_html(const Diagnosis& d) {
  std::string out;
  if (d.records_taken + d.records_skipped > 0) {
    out += "<p>" + std::to_string(d.records_taken) + " records read, " + std::to_string(d.records_skipped) +
           " skipped.</p>";
  }
  if (!d.skip_reasons.empty()) {
    out += "<ul>";
    for (const auto& [reason, count] : d.skip_reasons)
      out += "<li>" + escape(reason) + ": " + std::to_string(count) + "</li>";
    out += "</ul>";
  }
  for (const auto& note : d.notes)
    out += tag("p", note);
  return out.empty() ? "<p>No limits to report.</p>" : out;
}

std::string repeat_html(const Diagnosis& d) {
  std::string out = "<pre tabindex=\"0\">" + escape(d.command) + "</pre>";
  if (!d.inputs.empty()) {
    finding::TableFigure table{{"input", "name", "digest"}, {}};
    for (const auto& input : d.inputs)
      table.rows.push_back({input.role, input.name, input.digest});
    out += table_html(table, "Inputs");
  }
  auto options = d.options;
  if (d.seed)
    options.emplace_back("seed", std::to_string(*d.seed));
  return out + facts_html(options);
}

}  // namespace

std::string facts_html(const std::vector<std::pair<std::string, std::string>>& pairs) {
  if (pairs.empty())
    return {};
  std::string out = "<dl class=\"facts\">";
  for (const auto& [name, value] : pairs)
    out += "<div>" + tag("dt", name) + tag("dd", value) + "</div>";
  return out + "</dl>";
}

std::string script_html() {
  return "<script>" + std::string(embedded::page_files("report.js")) + "</script>";
}

// Fills each {{name}} once, left to right, so that text put in is never read as a place itself.
std::string fill(std::string_view page, const Places& places) {
  std::string out;
  for (size_t at = 0;;) {
    const size_t open = page.find("{{", at);
    if (open == std::string_view::npos)
      return out.append(page.substr(at));
    const size_t close = page.find("}}", open);
    out.append(page.substr(at, open - at));
    const auto place = places.find(page.substr(open + 2, close - open - 2));
    LENTO_CHECK(place != places.end(), "a page names a place that nothing fills");
    out += place->second;
    at = close + 2;
  }
}

std::vector<finding::Figure> shown_figures(const Diagnosis& d) {
  std::vector<finding::Figure> shown = d.figures;
  for (auto& figure : shown)
    figure.body = reduced(figure.body);
  return shown;
}

std::string sections_html(const Diagnosis& d, const std::vector<finding::Figure>& shown, const Place& place) {
  std::string out = section(place, "findings", "Findings", findings_html(d, place));
  for (size_t i = 0; i < shown.size(); ++i)
    out += figure_html(shown[i], place.first_figure + i, place);
  out += expectations_html(d, place);
  out += section(place, "quality", "Data quality and limits", quality_html(d));
  return out + section(place, "repeat", "How to repeat", repeat_html(d));
}

}  // namespace lento::report
