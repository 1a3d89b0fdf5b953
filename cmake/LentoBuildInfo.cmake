# What `lento --version` says. Run as a script at build time with -DSOURCE, -DOUTPUT and the texts: the commit
# changes without the build being configured again. The header is touched only when it says something else.
cmake_minimum_required(VERSION 3.25)
set(commit "unknown")
if(EXISTS ${SOURCE}/.git)
  execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changed ERROR_QUIET)
  if(failed)
    set(commit "unknown")
  elseif(changed)
    string(APPEND commit " with changes")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"#pragma once

inline constexpr const char* kBuildCommit = \"@commit@\";
inline constexpr const char* kBuildCompiler = \"@COMPILER@\";
inline constexpr const char* kBuildFeatures = \"@FEATURES@\";
inline constexpr const char* kBuildLibraries = \"@LIBRARIES@\";
")
