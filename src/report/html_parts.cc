// Composes the parts that every page shares, in one order: the leading picture, next steps, evidence, what
// was examined and the smallest effects that would have been reported. All findings, figures, limits and the
// command to repeat the run follow in closed sections. Names in a diagnosis come from foreign files, so
// every text is escaped.
#include "report/html_parts.h"

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "base/units.h"
#include "embedded/page_files.h"
#include "report/figures.h"
#include "report/lead.h"
#include "report/markup.h"
#include "report/reduce.h"
#include "report/svg.h"
#include "report/window_text.h"

namespace lento::report {
namespace {

using base::format_number;
using finding::Diagnosis;
using finding::Evidence;
using finding::Figure;
using finding::Finding;
using finding::TableFigure;

constexpr size_t kMostTableRows = 400;  // under a picture; the whole figure is in the JSON
constexpr size_t kMostFindings = 200;

std::string tag(const char* name, const std::string& text) {
  return Element(name).with_text(text);
}

std::string tag_around(const char* name, const std::string& inside) {
  return Element(name).around(inside);
}

// Returns a table that scrolls in its own box.
std::string scrolling(const std::string& caption, const std::string& head, const std::string& body) {
  Element scroll("div");
  scroll.set("class", "scroll");
  scroll.set("tabindex", "0");
  scroll.set("role", "group");
  scroll.set("aria-label", caption);
  std::string out = Element("thead").around(Element("tr").around(head));
  out += Element("tbody").around(body);
  return scroll.around(Element("table").around(out));
}

// Returns a table.
std::string table_html(const TableFigure& table, const std::string& caption) {
  std::string head;
  for (const auto& column : table.columns)
    head += Element("th").set("scope", "col").with_text(column);
  std::string body;
  for (const auto& row : table.rows) {
    std::string cells;
    for (const auto& cell : row)
      cells += tag("td", cell);
    body += Element("tr").around(cells);
  }
  return scrolling(caption, head, body);
}

// Composes the heading of a section from `text` (already escaped), with an id that is unique in the page.
std::string heading(const Place& place, const std::string& id, const std::string& text, int deeper = 0) {
  Element element("h" + std::to_string(place.level + deeper));
  if (!id.empty())
    element.set("id", place.prefix + id);
  return element.around(text);
}

std::string
section(const Place& place, const std::string& id, const std::string& title, const std::string& content) {
  return "<section>" + heading(place, id, title) + content + "</section>\n";
}

// Composes a section that is closed at first: the first screen holds the answer, its picture and what to do.
std::string
folded(const Place& place, const std::string& id, const std::string& title, const std::string& content) {
  Element details("details");
  details.set("class", "part");
  return details.around(tag_around("summary", heading(place, id, title)) + content) + "\n";
}

// Returns a list item for one piece of evidence.
std::string evidence_item(const Evidence& e) {
  std::string out = escape(e.text);
  if (e.value)
    out += ": " + tag("strong", value_text(e));
  if (!e.source.empty()) {
    Element source("span");
    source.set("class", "dim");
    out += " " + source.with_text("(" + e.source + ")");
  }
  return Element("li").around(out);
}

// Returns the title of a finding with a link to it.
std::string finding_title(const Finding& f, const std::string& id, size_t number) {
  const std::string count = std::to_string(number);
  Element anchor("a");
  anchor.set("class", "anchor");
  anchor.set("href", "#" + id);
  anchor.set("aria-label", "Link to finding " + count);
  std::string title = anchor.with_text(count);
  title += " " + tag("code", f.subject);
  title += " " + escape(f.category);
  if (f.factor)
    title += ", " + escape(finding::factor_text(f));
  return title;
}

// Returns certainty, loss and time of a finding.
std::string finding_facts(const Finding& f) {
  std::string facts = sure_text(f.score);
  if (f.lost_share)
    facts += " · " + base::percent(*f.lost_share) + " of run time lost";
  if (f.when)
    facts += " · " + escape(window_text(*f.when, 4));
  return Element("p").set("class", "dim").around(facts);
}

// Returns a finding as a card.
std::string finding_card(const Finding& f, const Place& place, size_t number) {
  const std::string prefix = place.level == 2 ? "" : place.prefix;
  const std::string id = prefix + "finding-" + std::to_string(number);
  Element card("article");
  card.set("class", "finding");
  card.set("id", id);
  if (f.when) {  // "Show in the charts" needs to know
    card.set("data-begin", base::format_exact(f.when->begin));
    card.set("data-end", base::format_exact(f.when->end));
    card.set("data-unit", f.when->unit);
  }
  std::string out = heading(place, "", finding_title(f, id, number), 1);
  if (!f.summary.empty())
    out += tag("p", f.summary);
  out += finding_facts(f);
  if (!f.evidence.empty()) {
    std::string items;
    for (const Evidence& e : f.evidence)
      items += evidence_item(e);
    out += Element("ul").around(items);
  }
  if (!f.next_step.empty())
    out += tag("p", "Next: " + f.next_step);
  return card.around(out);
}

// Returns all findings, up to a limit.
std::string findings_html(const Diagnosis& d, const Place& place) {
  std::string out;
  for (size_t i = 0; i < d.findings.size() && i < kMostFindings; ++i)
    out += finding_card(d.findings[i], place, i + 1);
  if (d.findings.size() > kMostFindings) {
    const size_t more = d.findings.size() - kMostFindings;
    out += tag("p", std::to_string(more) + " more are in the JSON form.");
  }
  return out;
}

// Returns the list of next steps. A sentence precedes it when nothing was judged or nothing is wrong.
std::string next_html(const Diagnosis& d) {
  std::string items;
  for (const std::string& step : next_steps(d))
    items += tag("li", step);
  std::string out;
  if (d.outcome == finding::Outcome::CannotJudge)
    out = "<p>Nothing was judged, so nothing is said.</p>";
  else if (d.outcome == finding::Outcome::Healthy)
    out = "<p>Nothing stands out, so nothing is to be done.</p>";
  return out + (items.empty() ? "" : Element("ol").around(items));
}

// Lists the first findings, one row each, linked to their cards.
std::string ranking_html(const Diagnosis& d, const Place& place) {
  constexpr size_t kMost = 8;
  const std::string prefix = place.level == 2 ? "" : place.prefix;
  std::string rows;
  for (size_t i = 0; i < std::min(kMost, d.findings.size()); ++i) {
    const Finding& f = d.findings[i];
    Element link("a");
    link.set("href", "#" + prefix + "finding-" + std::to_string(i + 1));
    std::string cells = Element("td").around(link.with_text(f.subject)) + tag("td", f.category);
    cells += tag("td", finding::factor_text(f)) + tag("td", f.when ? window_text(*f.when, 4) : "");
    rows += Element("tr").around(cells + tag("td", sure_text(f.score)));
  }
  std::string head;
  for (const char* name : {"where", "what", "how much", "when", "how sure"})
    head += Element("th").set("scope", "col").with_text(name);
  return scrolling("Findings", head, rows);
}

// The findings when there are several, then the strongest evidence of the first, each a row.
std::string evidence_html(const Diagnosis& d, const Place& place) {
  constexpr size_t kMost = 5;
  if (d.findings.empty())
    return {};
  std::string out = tag("p", "How sure, 0 to 1, is the strength of the evidence; it is no probability.");
  if (d.findings.size() > 1)
    out += ranking_html(d, place);
  TableFigure table{{"evidence for " + d.findings.front().subject, "value", "from"}, {}};
  for (const Evidence& e : d.findings.front().evidence) {
    if (table.rows.size() < kMost)  // of a proposed change, which has lines below, the first
      table.rows.push_back({e.text.substr(0, e.text.find('\n')), value_text(e), e.source});
  }
  if (!table.rows.empty())
    out += table_html(table, "Evidence");
  return folded(place, "evidence", "Evidence", out);
}

std::string seen_html(const Diagnosis& d, const Place& place) {
  const Lines seen = seen_of(d);
  if (seen.empty())
    return {};
  // For a healthy subject this section is the result itself, so it is open. Otherwise it is closed at first.
  const auto compose = d.outcome == finding::Outcome::Healthy ? section : folded;
  return compose(place, "seen", "What was seen", pairs_html(seen, "facts"));
}

// Composes a picture with its table. The picture that leads the page has no heading of its own.
std::string figure_html(const Figure& figure, size_t index, const Place& place, bool leads) {
  const std::string picture = std::visit(
      [&](const auto& body) {
        return draw(body, figure.title);
      },
      figure.body);
  const TableFigure table = as_table(figure.body, kMostTableRows + 1);
  TableFigure shown = table;
  if (shown.rows.size() > kMostTableRows)
    shown.rows.resize(kMostTableRows);
  std::string inside;
  if (!picture.empty())
    inside += Element("div").set("class", "picture").around(picture);
  const std::string first = figure.caption.substr(0, figure.caption.find_first_of(".;"));
  const std::string caption = leads ? figure.title + (first.empty() ? "" : ". " + first) : figure.caption;
  if (!caption.empty())
    inside += tag("figcaption", caption);
  Element element("figure");
  element.set("data-figure", std::to_string(index));
  std::string out = element.around(inside);
  std::string summary = "Table";
  if (table.rows.size() > kMostTableRows)
    summary += " (first " + std::to_string(kMostTableRows) + " rows)";
  const std::string rows = table_html(shown, figure.title);
  if (!picture.empty())
    out += Element("details").around(tag("summary", summary) + rows);
  else
    out += rows;
  const std::string id = "fig" + std::to_string(index);
  if (leads)
    return Element("section").set("id", place.prefix + id).around(out) + "\n";
  return section(place, id, escape(figure.title), out);
}

std::string expectations_html(const Diagnosis& d, const Place& place) {
  if (d.expectations.empty())
    return {};
  TableFigure table{{"what", "expected", "error", "source"}, {}};
  for (const auto& e : d.expectations) {
    const std::string what = e.subject + " " + e.metric;
    const std::string value = format_number(e.value) + " " + e.unit;
    const std::string error = format_number(e.relative_error * 100, 3) + " %";
    table.rows.push_back({what, value, error, e.source});
  }
  return section(place, "expect", "How it should be", table_html(table, "Expectations"));
}

// Returns how many records were read and skipped, and why.
std::string quality_html(const Diagnosis& d) {
  std::string out;
  if (d.records_taken + d.records_skipped > 0) {
    const std::string taken = std::to_string(d.records_taken) + " records read, ";
    out += tag("p", taken + std::to_string(d.records_skipped) + " skipped.");
  }
  if (!d.skip_reasons.empty()) {
    std::string items;
    for (const auto& [reason, count] : d.skip_reasons)
      items += tag("li", reason + ": " + std::to_string(count));
    out += Element("ul").around(items);
  }
  for (const auto& note : d.notes)
    out += tag("p", note);
  if (out.empty())
    return "<p>No limits to report.</p>";
  return out;
}

// Returns how to repeat the diagnosis: command and inputs with digests.
std::string repeat_html(const Diagnosis& d) {
  std::string out = Element("pre").set("tabindex", "0").with_text(d.command);
  if (!d.inputs.empty()) {
    TableFigure table{{"input", "name", "digest"}, {}};
    for (const auto& input : d.inputs)
      table.rows.push_back({input.role, input.name, input.digest});
    out += table_html(table, "Inputs");
  }
  auto options = d.options;
  if (d.seed)
    options.emplace_back("seed", std::to_string(*d.seed));
  return out + pairs_html(options, "facts");
}

}  // namespace

std::string pairs_html(
    const std::vector<std::pair<std::string, std::string>>& pairs,
    const std::string& css) {
  if (pairs.empty())
    return {};
  std::string facts;
  for (const auto& [name, value] : pairs)
    facts += Element("div").around(tag("dt", name) + tag("dd", value));
  return Element("dl").set("class", css).around(facts);
}

std::string script_html() {
  return "<script>" + std::string(embedded::page_files("report.js")) + "</script>";
}

// Replaces each {{name}} once, from left to right, so that inserted text is never read as a place itself.
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

std::vector<Figure> shown_figures(const Diagnosis& d) {
  std::vector<Figure> shown = d.figures;
  for (auto& figure : shown)
    figure.body = reduced(figure.body);
  return shown;
}

std::string sections_html(const Diagnosis& d, const std::vector<Figure>& shown, const Place& place) {
  const auto lead = std::ranges::find_if(shown, [](const Figure& figure) {
    return !std::holds_alternative<TableFigure>(figure.body);
  });
  const size_t leading = size_t(lead - shown.begin());
  std::string out;
  if (leading < shown.size())
    out += figure_html(shown[leading], place.first_figure + leading, place, true);
  if (const std::string next = next_html(d); !next.empty())
    out += section(place, "next", "What to do next", next);
  out += evidence_html(d, place);
  if (d.outcome == finding::Outcome::Answer && !d.facts.empty())
    out += folded(place, "figures", "In figures", pairs_html(d.facts, "facts"));
  out += seen_html(d, place);
  std::string more;
  if (!d.findings.empty())
    more += section(place, "findings", "Findings", findings_html(d, place));
  for (size_t i = 0; i < shown.size(); ++i) {
    if (i != leading)
      more += figure_html(shown[i], place.first_figure + i, place, false);
  }
  more += expectations_html(d, place);
  if (d.outcome != finding::Outcome::Answer && !d.facts.empty())
    more += section(place, "figures", "In figures", pairs_html(d.facts, "facts"));
  more += section(place, "quality", "Data quality and limits", quality_html(d));
  more += section(place, "repeat", "How to repeat", repeat_html(d));
  Element details("details");
  details.set("class", "more");
  return out + details.around("<summary>More</summary>" + more) + "\n";
}

}  // namespace lento::report
