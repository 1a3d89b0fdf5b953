// lento._lento: every command of the program inside Python. `run` takes the words of a command line and
// returns its exit status, output and errors, so that Python and the command cannot differ. Tables in memory
// reach a command as a file without a name. The package around it (lento/_command.py) makes a function of
// each command.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <future>
#include <span>
#include <sstream>

#include "base/interrupt.h"
#include "base/json.h"
#include "cli/commands/commands.h"
#include "cli/run.h"
#include "lento/lento.h"

namespace py = pybind11;

namespace {

// The work runs beside the thread of the interpreter, which alone receives signals. That thread checks for
// them twenty times a second. At Ctrl-C it stops the work, waits for its end, and raises KeyboardInterrupt
// whatever the result is.
template <class Work>
auto run(const Work& work) {
  using Result = decltype(work(lento::Progress{}));
  bool stopped = false;
  lento::Progress progress;
  progress.stop = [] {
    return lento::base::interrupted();
  };
  py::gil_scoped_release released;
  std::future<Result> done = std::async(std::launch::async, [&] {
    return work(progress);
  });
  while (done.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    py::gil_scoped_acquire held;
    if (!stopped && PyErr_CheckSignals() != 0) {
      stopped = true;
      lento::base::set_interrupted(true);
    }
  }
  if (!stopped)
    return done.get();
  lento::base::set_interrupted(false);
  py::gil_scoped_acquire held;
  throw py::error_already_set();
}

// Converts the vector to an array, which owns it, without a copy.
template <class T>
py::array_t<T> array_of(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  const py::capsule owner(kept, [](void* pointer) {
    delete static_cast<std::vector<T>*>(pointer);
  });
  return py::array_t<T>(py::ssize_t(kept->size()), kept->data(), owner);
}

template <class T>
using Values = py::array_t<T, py::array::c_style>;

template <class T>
std::span<const T> span_of(const py::handle& values) {
  const auto array = values.cast<Values<T>>();  // the caller's list keeps it alive
  return {array.data(), size_t(array.size())};
}

// (name, int64 array), (name, float64 array) or (name, int32 codes, words). The arrays are not copied.
lento::Column column_of(const py::tuple& given) {
  lento::Column column;
  column.name = given[0].cast<std::string>();
  if (given.size() == 3) {
    column.codes = span_of<int32_t>(given[1]);
    column.words = given[2].cast<std::vector<std::string>>();
  } else if (py::isinstance<Values<int64_t>>(given[1])) {
    column.integers = span_of<int64_t>(given[1]);
  } else {
    column.numbers = span_of<double>(given[1]);
  }
  return column;
}

std::vector<lento::Column> table_of(const py::list& columns) {
  std::vector<lento::Column> table;
  for (const py::handle& column : columns)
    table.push_back(column_of(column.cast<py::tuple>()));
  return table;
}

py::dict answers_to_python(lento::Answers answers) {
  py::dict out;
  out["seconds"] = array_of(std::move(answers.seconds));
  out["bound"] = array_of(std::move(answers.bound));
  out["bounds"] = std::move(answers.bounds);
  out["p50_pct"] = array_of(std::move(answers.p50_pct));
  out["p90_pct"] = array_of(std::move(answers.p90_pct));
  out["in_domain"] = array_of(std::move(answers.in_domain));
  return out;
}

struct Ran {
  int status = 0;
  std::string out;
  std::string err;
};

Ran run_command(const std::vector<std::string>& words) {
  static const lento::cli::Program program = [] {
    lento::cli::Program made = lento::cli::program();
    made.owns_process = false;
    return made;
  }();
  std::ostringstream out;
  std::ostringstream err;
  const int status = lento::cli::run(program, words, {out, err, false, false});
  return {status, out.str(), err.str()};
}

lento::Diagnosis diagnosis_of(const std::string& json) {
  return lento::finding::diagnosis_from_json(lento::base::parse_json(json, "diagnosis"), "diagnosis");
}

}  // namespace

PYBIND11_MODULE(_lento, module) {
  module.attr("version") = lento::version();
  py::register_exception<lento::Error>(module, "Error", PyExc_ValueError);

  py::class_<lento::TableFile>(module, "TableFile").def("path", &lento::TableFile::path);
  module.def("table", [](const py::list& columns) {
    return std::make_unique<lento::TableFile>(table_of(columns));
  });

  module.def("run", [](const std::vector<std::string>& words) {
    const Ran ran = run([&](const lento::Progress&) {
      return run_command(words);
    });
    return py::make_tuple(ran.status, py::bytes(ran.out), ran.err);
  });

  module.def("checked", [](const std::string& json) {
    return lento::to_json(diagnosis_of(json));
  });
  module.def("html", [](const std::string& json) {
    return lento::to_html(diagnosis_of(json));
  });
  module.def("text", [](const std::string& json) {
    return lento::to_text(diagnosis_of(json));
  });

  module.def("predict_columns", [](const py::list& columns, const std::string& system) {
    const std::vector<lento::Column> table = table_of(columns);
    return answers_to_python(run([&](const lento::Progress& progress) {
      return lento::predict_columns(table, system, progress);
    }));
  });
}
