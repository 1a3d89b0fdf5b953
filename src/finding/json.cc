// Converts Diagnosis to and from JSON. Two hand-written functions for each struct would drift apart, so each
// struct lists its fields once, in `fields`, and a Writer and a Reader visit the list.
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/number.h"
#include "finding/finding.h"

namespace lento::finding {
namespace {

using base::child;
using base::Error;
using base::Json;
using base::Location;

constexpr const char* kKinds[] =
    {"mesh", "heat map", "series", "timeline", "bars", "graph", "scatter", "table"};

template <class A>
void fields(A& a, TimeWindow& v) {
  a("begin", v.begin);
  a("end", v.end);
  a("unit", v.unit);
}
template <class A>
void fields(A& a, Evidence& v) {
  a("text", v.text);
  a("value", v.value);
  a("unit", v.unit);
  a("source", v.source);
}
template <class A>
void fields(A& a, Place& v) {
  a("host", v.host);
  a("rank", v.rank);
  a("gpu", v.gpu);
}
template <class A>
void fields(A& a, Finding& v) {
  a("subject", v.subject);
  a("category", v.category);
  a("summary", v.summary);
  a("score", v.score);
  a("factor", v.factor);
  a("factor_of", v.factor_of);
  a("lost_share", v.lost_share);
  a("when", v.when);
  a("where", v.where);
  a("evidence", v.evidence);
  a("next_step", v.next_step);
}
template <class A>
void fields(A& a, Expectation& v) {
  a("subject", v.subject);
  a("metric", v.metric);
  a("value", v.value);
  a("unit", v.unit);
  a("relative_error", v.relative_error);
  a("source", v.source);
}
template <class A>
void fields(A& a, Input& v) {
  a("role", v.role);
  a("name", v.name);
  a("digest", v.digest);
}

template <class A>
void fields(A& a, MeshFigure::Core& v) {
  a("x", v.x);
  a("y", v.y);
  a("value", v.value);
  a("label", v.label);
}
template <class A>
void fields(A& a, MeshFigure::Link& v) {
  a("from_x", v.from_x);
  a("from_y", v.from_y);
  a("to_x", v.to_x);
  a("to_y", v.to_y);
  a("value", v.value);
}
template <class A>
void fields(A& a, MeshFigure::Route& v) {
  a("hops", v.hops);
  a("label", v.label);
}
template <class A>
void fields(A& a, MeshFigure& v) {
  a("width", v.width);
  a("height", v.height);
  a("value_name", v.value_name);
  a("cores", v.cores);
  a("links", v.links);
  a("routes", v.routes);
  a("blamed", v.blamed);
}
template <class A>
void fields(A& a, HeatMapFigure& v) {
  a("rows", v.rows);
  a("columns", v.columns);
  a("x_name", v.x_name);
  a("value_name", v.value_name);
  a("values", v.values);
  a("blamed", v.blamed);
}
template <class A>
void fields(A& a, SeriesFigure::Line& v) {
  a("name", v.name);
  a("x", v.x);
  a("y", v.y);
  a("blamed", v.blamed);
  a("dashed", v.dashed);
}
template <class A>
void fields(A& a, SeriesFigure::Band& v) {
  a("name", v.name);
  a("x", v.x);
  a("low", v.low);
  a("high", v.high);
}
template <class A>
void fields(A& a, SeriesFigure& v) {
  a("x_name", v.x_name);
  a("y_name", v.y_name);
  a("log_x", v.log_x);
  a("log_y", v.log_y);
  a("bands", v.bands);
  a("lines", v.lines);
  a("marks", v.marks);
}
template <class A>
void fields(A& a, TimelineFigure::Span& v) {
  a("track", v.track);
  a("begin", v.begin);
  a("end", v.end);
  a("label", v.label);
  a("blamed", v.blamed);
}
template <class A>
void fields(A& a, TimelineFigure& v) {
  a("x_name", v.x_name);
  a("spans", v.spans);
}
template <class A>
void fields(A& a, BarsFigure& v) {
  a("categories", v.categories);
  a("series", v.series);
  a("values", v.values);
  a("y_name", v.y_name);
}
template <class A>
void fields(A& a, GraphFigure::Node& v) {
  a("id", v.id);
  a("label", v.label);
  a("value", v.value);
  a("blamed", v.blamed);
}
template <class A>
void fields(A& a, GraphFigure::Edge& v) {
  a("from", v.from);
  a("to", v.to);
  a("value", v.value);
}
template <class A>
void fields(A& a, GraphFigure& v) {
  a("value_name", v.value_name);
  a("nodes", v.nodes);
  a("edges", v.edges);
}
template <class A>
void fields(A& a, ScatterFigure::Point& v) {
  a("x", v.x);
  a("y", v.y);
  a("label", v.label);
  a("blamed", v.blamed);
}
template <class A>
void fields(A& a, ScatterFigure::Group& v) {
  a("name", v.name);
  a("points", v.points);
  a("joined", v.joined);
}
template <class A>
void fields(A& a, ScatterFigure& v) {
  a("x_name", v.x_name);
  a("y_name", v.y_name);
  a("log_x", v.log_x);
  a("log_y", v.log_y);
  a("groups", v.groups);
}
template <class A>
void fields(A& a, TableFigure& v) {
  a("columns", v.columns);
  a("rows", v.rows);
}
template <class A>
void fields(A& a, Diagnosis& v) {
  a("scale", v.scale);
  a("title", v.title);
  a("verdict", v.verdict);
  a("outcome", v.outcome);
  a("reason", v.reason);
  a("remedy", v.remedy);
  a("covered", v.covered);
  a("findings", v.findings);
  a("facts", v.facts);
  a("expectations", v.expectations);
  a("figures", v.figures);
  a("notes", v.notes);
  a("version", v.version);
  a("command", v.command);
  a("seed", v.seed);
  a("options", v.options);
  a("inputs", v.inputs);
  a("records_taken", v.records_taken);
  a("records_skipped", v.records_skipped);
  a("skip_reasons", v.skip_reasons);
}

// Writes fields in order. Empty texts, empty lists and absent optionals are left out to keep a diagnosis
// readable, except the list `findings`.
class Writer {
 public:
  template <class T>
  void operator()(const char* name, const T& value) {
    if constexpr (requires { value.empty(); }) {
      if (value.empty() && std::string_view(name) != "findings")
        return;
    }
    if constexpr (requires { value.has_value(); }) {
      if (value.has_value())
        out.set(name, json(*value));
    } else {
      out.set(name, json(value));
    }
  }

  Json out = Json::object();

 private:
  template <class T>
  static Json json(const T& value) {
    if constexpr (std::is_same_v<T, uint64_t>) {
      // Readers of JSON keep doubles, which would lose the last digits of such a number, so it is written as
      // text.
      return value > uint64_t(INT64_MAX) ? Json(std::to_string(value)) : Json(value);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return Json(value);
    } else if constexpr (std::is_enum_v<T>) {
      return Json(std::string(finding::name(value)));
    } else {
      Writer inner;
      fields(inner, const_cast<T&>(value));  // Writer only reads
      return std::move(inner.out);
    }
  }
  template <class T>
  static Json json(const std::vector<T>& values) {
    Json::Array items;
    items.reserve(values.size());
    for (const T& value : values)
      items.push_back(json(value));
    return items;
  }
  template <class A, class B>
  static Json json(const std::pair<A, B>& pair) {
    return Json::Array{Json(pair.first), Json(pair.second)};
  }
  static Json json(const Figure& figure) {
    Writer inner;
    inner("title", figure.title);
    inner("caption", figure.caption);
    inner.out.set("kind", kKinds[figure.body.index()]);
    std::visit(
        [&](const auto& body) {
          inner.out.set("data", json(body));
        },
        figure.body);
    return std::move(inner.out);
  }
};

class Reader {
 public:
  Reader(const Json& json, Location where)
      : json_(json),
        where_(std::move(where)) {
    json.object(where_);
  }

  template <class T>
  void operator()(const char* name, T& value) {
    const Json* found = json_.find(name);
    if (!found)
      return;
    const Location place = child(where_, name);
    if constexpr (requires { value.has_value(); }) {
      read(*found, value.emplace(), place);
    } else {
      read(*found, value, place);
    }
  }

 private:
  static void read(const Json& j, bool& v, const Location& w) {
    v = j.boolean(w);
  }
  static void read(const Json& j, int& v, const Location& w) {
    v = int(j.integer(w, -1000000, 1000000));
  }
  static void read(const Json& j, uint64_t& v, const Location& w) {
    if (!j.is_string()) {
      v = uint64_t(j.integer(w, 0));
      return;
    }
    const auto digits = base::try_uint(j.string(w));
    if (!digits)
      throw Error(w, "found text, needed a whole number");
    v = *digits;
  }
  static void read(const Json& j, double& v, const Location& w) {
    v = j.is_null() ? std::numeric_limits<double>::quiet_NaN() : j.number(w);
  }
  static void read(const Json& j, std::string& v, const Location& w) {
    v = j.string(w);
  }
  static void read(const Json& j, Outcome& v, const Location& w) {
    const std::string& text = j.string(w);
    for (const Outcome o : {Outcome::Answer, Outcome::Findings, Outcome::Healthy, Outcome::CannotJudge})
      if (text == name(o)) {
        v = o;
        return;
      }
    throw Error(
        w,
        "unknown outcome '" + text.substr(0, 40) + "'",
        "one of: answer, findings, healthy, cannot judge");
  }
  template <class T>
  static void read(const Json& j, std::vector<T>& values, const Location& w) {
    const auto& items = j.array(w);
    values.resize(items.size());
    for (size_t i = 0; i < items.size(); ++i)
      read(items[i], values[i], child(w, i));
  }
  template <class A, class B>
  static void read(const Json& j, std::pair<A, B>& pair, const Location& w) {
    if (j.array(w).size() != 2)
      throw Error(w, "needed an array of two");
    read(j.items()[0], pair.first, child(w, size_t{0}));
    read(j.items()[1], pair.second, child(w, size_t{1}));
  }
  template <class T>
  requires std::is_class_v<T>
  static void read(const Json& j, T& value, const Location& w) {
    Reader inner(j, w);
    fields(inner, value);
  }

  template <size_t I = 0>
  static void read_body(const std::string& kind, const Json& data, FigureBody& body, const Location& w) {
    if constexpr (I == std::variant_size_v<FigureBody>) {
      throw Error(
          w,
          "unknown kind of figure '" + kind.substr(0, 40) + "'",
          "a newer lento may have written it");
    } else if (kind == kKinds[I]) {
      read(data, body.emplace<I>(), w);
    } else {
      read_body<I + 1>(kind, data, body, w);
    }
  }
  static void read(const Json& j, Figure& figure, const Location& w) {
    Reader inner(j, w);
    inner("title", figure.title);
    inner("caption", figure.caption);
    const std::string& kind = j.at("kind", w).string(child(w, "kind"));
    read_body(kind, j.at("data", w), figure.body, child(w, "data"));
  }

  const Json& json_;
  Location where_;
};

}  // namespace

Json to_json(const Diagnosis& diagnosis) {
  Writer writer;
  writer.out.set("schema", Diagnosis::kSchema);
  fields(writer, const_cast<Diagnosis&>(diagnosis));  // Writer only reads
  return std::move(writer.out);
}

// Reads a diagnosis, of the current or the former schema.
Diagnosis diagnosis_from_json(const Json& json, const std::string& file) {
  const Location where{file};
  const std::string& schema = json.at("schema", where).string(child(where, "schema"));
  const bool former = schema == Diagnosis::kFormerSchema;
  if (schema != Diagnosis::kSchema && !former) {
    throw Error(
        child(where, "schema"),
        "found '" + schema.substr(0, 40) + "', this lento reads '" + Diagnosis::kSchema + "'",
        "write it again with this version, or open it with the one that wrote it");
  }
  Diagnosis diagnosis;
  Reader reader(json, where);
  fields(reader, diagnosis);
  if (former && !diagnosis.findings.empty())
    diagnosis.outcome = Outcome::Findings;
  check_shapes(diagnosis, where);
  return diagnosis;
}

}  // namespace lento::finding
