# lento_pkg(NAME MODULE...): required libraries known to pkg-config, as PkgConfig::NAME, here and for those who use
# the install.
function(lento_pkg name)
  pkg_check_modules(${name} REQUIRED IMPORTED_TARGET GLOBAL ${ARGN})
  list(JOIN ARGN " " modules)
  set_property(GLOBAL APPEND_STRING PROPERTY LENTO_PKG_CONFIG
    "pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${modules})\n")
endfunction()

# One precompiled header for all test programs: they are compiled for speed of building, not of running.
function(lento_test_header)
  file(WRITE ${PROJECT_BINARY_DIR}/test_header.cc "int main() {}\n")
  add_executable(lento_test_header EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/test_header.cc)  # a program, as its users are
  target_link_libraries(lento_test_header PRIVATE GTest::gmock)
  target_compile_options(lento_test_header PRIVATE ${LENTO_TEST_OPTIONS})
  target_precompile_headers(lento_test_header PRIVATE <gmock/gmock.h> <gtest/gtest.h> <string> <vector>)
endfunction()

# One precompiled header of the standard library for the modules of the demo, which all have the same flags.
function(lento_module_header)
  file(WRITE ${PROJECT_BINARY_DIR}/module_header.cc "")
  add_library(lento_module_header STATIC EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/module_header.cc)
  target_compile_features(lento_module_header PUBLIC cxx_std_20)
  target_precompile_headers(lento_module_header PRIVATE <algorithm> <array> <chrono> <cmath> <filesystem> <functional> <map>
    <memory> <optional> <set> <span> <string> <unordered_map> <vector>)
endfunction()

# lento_module(NAME [HOT] [DEEP] [USES module...] [LINKS library...])
#
# HOT modules hold the inner loops and are compiled with -O2, all others with -O1, which builds 0.7 times as long
# (docs/rationale/build.md).
# One module is one folder of src (or of lab, when its name begins with lab/) and one library. USES is the complete list of modules whose headers it
# may include; tests/house_check.py reads the same lines and checks every #include against them.
# A DEEP module also takes the files of its folder's folders, none of which is a module of its own.
# x.test.cc, x.bench.cc beside the code become the module's own test and benchmark programs.
function(lento_module name)
  cmake_parse_arguments(M "HOT;DEEP" "" "USES;LINKS" ${ARGN})
  string(REPLACE "/" "_" id ${name})
  set(root ${PROJECT_SOURCE_DIR}/src)
  if(name MATCHES "^lab/")
    set(root ${PROJECT_SOURCE_DIR})
  endif()
  set(dir ${root}/${name})
  set(folders ${dir})
  if(M_DEEP)
    list(APPEND folders ${dir}/*)
  endif()
  list(TRANSFORM folders APPEND /*.cc OUTPUT_VARIABLE source_patterns)
  list(TRANSFORM folders APPEND /*.h OUTPUT_VARIABLE header_patterns)
  file(GLOB sources CONFIGURE_DEPENDS ${source_patterns})
  file(GLOB headers CONFIGURE_DEPENDS ${header_patterns})
  set(tests ${sources})
  set(benches ${sources})
  list(FILTER sources EXCLUDE REGEX "\\.(test|bench)\\.cc$")
  list(FILTER tests INCLUDE REGEX "\\.test\\.cc$")
  list(FILTER benches INCLUDE REGEX "\\.bench\\.cc$")

  set(target lento_${id})
  list(TRANSFORM M_USES REPLACE "/" "_")
  list(TRANSFORM M_USES PREPEND lento_)
  add_library(${target} STATIC ${sources})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${root} FILES ${headers})
  target_link_libraries(${target} PUBLIC ${M_USES} PRIVATE ${M_LINKS})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE ${LENTO_HARDEN_OPTIONS}
    "$<$<CXX_COMPILER_ID:GNU>:-Wconversion;-Wno-sign-conversion>")
  if(M_HOT AND NOT LENTO_LEVEL)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
  endif()
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  if(LENTO_UNITY AND NOT name MATCHES "^lab/")  # sources in one, which parses the headers once
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON
      UNITY_BUILD_BATCH_SIZE ${LENTO_BATCH})
    if(LENTO_LEVEL)
      target_precompile_headers(${target} REUSE_FROM lento_module_header)
    endif()
  endif()
  set_property(GLOBAL APPEND PROPERTY LENTO_LINKS_${target} ${M_LINKS})
  if(NOT name MATCHES "^lab/")
    set_property(GLOBAL APPEND PROPERTY LENTO_MODULES ${target})
  endif()

  if(BUILD_TESTING AND tests)
    add_executable(${target}_tests ${tests})
    target_link_libraries(${target}_tests PRIVATE ${target} GTest::gmock GTest::gtest_main ${M_LINKS})
    target_compile_options(${target}_tests PRIVATE ${LENTO_TEST_OPTIONS})
    target_precompile_headers(${target}_tests REUSE_FROM lento_test_header)
    add_test(NAME ${id} COMMAND ${target}_tests)
    set_tests_properties(${id} PROPERTIES ENVIRONMENT "LENTO_SOURCE=${PROJECT_SOURCE_DIR}"
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endif()
  if(LENTO_BENCH AND benches)
    add_executable(${target}_bench ${benches})
    target_link_libraries(${target}_bench PRIVATE ${target} benchmark::benchmark_main ${M_LINKS})
  endif()
endfunction()
