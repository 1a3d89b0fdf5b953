# lento_embed(MODULE FUNCTION FILE...)
#
# Puts files into the library of MODULE, byte for byte, and generates the function
#   std::string_view lento::embedded::FUNCTION(std::string_view name);     // "" when there is no such file
#   std::vector<std::string_view> lento::embedded::FUNCTION_names();       // in the order given
# declared in "embedded/FUNCTION.h". `name` is the file's name without its folder. A changed file rebuilds.
function(lento_embed module function)
  string(REPLACE "/" "_" id ${module})
  set(dir ${PROJECT_BINARY_DIR}/embedded)
  set(assembly "")
  set(declarations "")
  set(entries "")
  set(names "")
  set(n 0)
  foreach(file ${ARGN})
    get_filename_component(path ${file} ABSOLUTE)
    get_filename_component(name ${file} NAME)
    set(s lento_embedded_${function}_${n})
    string(APPEND assembly
      "asm(\".section .rodata\\n.global ${s}\\n.balign 8\\n${s}:\\n.incbin \\\"${path}\\\"\\n.global ${s}_end\\n${s}_end:\\n.previous\\n\");\n")
    string(APPEND declarations "extern \"C\" const char ${s}[];\nextern \"C\" const char ${s}_end[];\n")
    string(APPEND entries "  if (name == \"${name}\") return {${s}, static_cast<size_t>(${s}_end - ${s})};\n")
    string(APPEND names "\"${name}\", ")
    math(EXPR n "${n} + 1")
  endforeach()
  file(CONFIGURE OUTPUT ${dir}/embedded/${function}.h @ONLY CONTENT
"#pragma once

#include <string_view>
#include <vector>

namespace lento::embedded {

std::string_view ${function}(std::string_view name);
std::vector<std::string_view> ${function}_names();

}  // namespace lento::embedded
")
  file(CONFIGURE OUTPUT ${dir}/${function}.cc @ONLY CONTENT
"#include \"embedded/${function}.h\"

${assembly}
${declarations}
namespace lento::embedded {

std::string_view ${function}(std::string_view name) {
${entries}  return {};
}

std::vector<std::string_view> ${function}_names() { return {${names}}; }

}  // namespace lento::embedded
")
  set_source_files_properties(${dir}/${function}.cc PROPERTIES OBJECT_DEPENDS "${ARGN}")
  target_sources(lento_${id} PRIVATE ${dir}/${function}.cc)
  target_include_directories(lento_${id} PRIVATE ${dir})
endfunction()
