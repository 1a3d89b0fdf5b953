// Writes the HTML pages by filling the {{places}} of page.html. A page is one file with its style, script and
// pictures inside, so that it can be mailed and opened without a network.
#include "embedded/page_files.h"
#include "report/html_parts.h"
#include "report/lead.h"
#include "report/markup.h"
#include "report/report.h"
#include "report/svg.h"

namespace lento::report {
namespace {

struct Page {
  std::string title;
  std::string scale;
  std::string about;
  std::string lead;
  std::string main;
  std::string version;
  std::string skip;
};

std::string write_page(const Page& page) {
  return fill(
      embedded::page_files("page.html"),
      {{"title", escape(page.title)},
       {"style", std::string(embedded::page_files("page.css"))},
       {"scale", escape(page.scale)},
       {"about", page.about.empty() ? "" : " · " + escape(page.about)},
       {"skip", page.skip},
       {"lead", page.lead},
       {"main", page.main},
       {"version", escape(page.version)},
       {"script", script_html()}});
}

// Returns the verdict as an HTML element named `element`, then slow-down, time and certainty of the first
// finding.
std::string verdict_html(const finding::Diagnosis& d, const std::string& element) {
  const bool calm = d.outcome == finding::Outcome::Healthy || d.outcome == finding::Outcome::Answer;
  Element sentence(element);
  sentence.set("class", calm ? "verdict" : "verdict bad");
  std::string out = sentence.with_text(d.verdict) + "\n";
  const std::string skipped = skipped_text(d);  // the reasons follow under the limits
  if (!skipped.empty())
    out += Element("p").set("class", "dim").with_text(skipped.substr(0, skipped.find(':')));
  return out + pairs_html(keys_of(d), "keys");
}

std::string commands_html(const std::vector<std::string>& commands) {
  std::string text;
  for (const std::string& command : commands)
    text += escape(command) + "\n";
  return "<pre tabindex=\"0\" class=\"commands\">" + text + "</pre>";
}

// Returns a chapter of a report with several diagnoses.
std::string chapter_html(
    const Chapter& chapter,
    size_t number,
    const std::vector<finding::Figure>& shown,
    size_t first_figure) {
  const std::string id = "c" + std::to_string(number);
  std::string out = "<section class=\"chapter\"><h2 id=\"" + id + "\">" + std::to_string(number) + ". " +
                    escape(chapter.title) + "</h2><p>" + escape(chapter.text) + "</p>" +
                    commands_html(chapter.commands) + verdict_html(chapter.diagnosis, "p");
  return out + sections_html(chapter.diagnosis, shown, {3, id + "-", first_figure}) + "</section>\n";
}

// Lists the chapters with their verdicts, one line each.
std::string contents_html(const std::vector<Chapter>& chapters) {
  std::string out = "<nav aria-label=\"Chapters\"><ol class=\"contents\">";
  for (size_t i = 0; i < chapters.size(); ++i) {
    out += "<li><a href=\"#c" + std::to_string(i + 1) + "\">" + escape(chapters[i].title) + "</a> " +
           escape(chapters[i].diagnosis.verdict) + "</li>";
  }
  return out + "</ol></nav>";
}

}  // namespace

std::string write_html(const finding::Diagnosis& d) {
  Page page{
      d.title.empty() ? d.verdict : d.title,
      d.scale,
      d.title,
      verdict_html(d, "h1"),
      {},
      d.version,
      "h-next"};
  page.main = sections_html(d, shown_figures(d), {});
  return write_page(page);
}

std::string write_html(const Story& story) {
  const std::string lead =
      Element("h1").with_text(story.title) + Element("p").set("class", "verdict bad").with_text(story.lead);
  Page page{story.title, "tour", {}, lead, {}, {}, "c1"};
  page.lead += contents_html(story.chapters);
  size_t figures = 0;
  for (size_t i = 0; i < story.chapters.size(); ++i) {
    const Chapter& chapter = story.chapters[i];
    page.version = chapter.diagnosis.version;
    const std::vector<finding::Figure> shown = shown_figures(chapter.diagnosis);
    page.main += chapter_html(chapter, i + 1, shown, figures);
    figures += shown.size();
  }
  return write_page(page);
}

}  // namespace lento::report
