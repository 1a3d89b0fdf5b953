# Debian packages by CPack, one a component: lento, liblento-dev, python3-lento, lento-lab, lento-mpi. Dependencies are computed
# from what the programs link. `./dev release` builds and checks them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lento)
set(CPACK_PACKAGE_VENDOR Lento)
set(LENTO_MAINTAINER "Lento maintainers <lento@lists.example.org>" CACHE STRING "Who answers for the packages: Name <address>")
set(CPACK_PACKAGE_CONTACT "${LENTO_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own first line
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# GTKWave's reader of FST and its two decompressors are compiled into the binaries: the head of each source is its licence.
set(lento_compiled_in "")
if(LENTO_FST_SOURCE)
  foreach(name fstapi lz4 fastlz)
    file(READ ${LENTO_FST_SOURCE}/gtkwave/${name}.c head LIMIT 4000)
    string(FIND "${head}" "*/" end)
    string(SUBSTRING "${head}" 0 ${end} licence)
    string(APPEND lento_compiled_in "\nCompiled in, ${name}.c of GTKWave as Debian's verilator ships it:\n${licence}*/\n")
  endforeach()
endif()

# Libraries of headers are compiled in as well; Debian states their licences beside them.
foreach(name nlohmann-json3-dev libcli11-dev libeigen3-dev)
  if(EXISTS /usr/share/doc/${name}/copyright)
    file(READ /usr/share/doc/${name}/copyright licence)
    string(APPEND lento_compiled_in "\nCompiled in, headers of ${name}:\n${licence}")
  endif()
endforeach()

function(lento_package component package section text)
  string(TOUPPER ${component} id)
  set(CPACK_DEBIAN_${id}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${id}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  string(REPLACE "\n " "\n" text "${text}")
  set(CPACK_COMPONENT_${id}_DESCRIPTION "${text}" PARENT_SCOPE)
  set(components ${CPACK_COMPONENTS_ALL} ${component})
  set(CPACK_COMPONENTS_ALL ${components} PARENT_SCOPE)
  file(WRITE ${PROJECT_BINARY_DIR}/packaging/${package}/copyright
    "Copyright: 2026 The Lento authors\nLicense: Apache-2.0\n Figures of share/lento (models, runs, kernels, chips) are facts; each row or its table's head names the source.\n On Debian systems, the full text of the Apache License, version 2.0,\n"
    " can be found in /usr/share/common-licenses/Apache-2.0.\n${lento_compiled_in}")
  install(FILES ${PROJECT_BINARY_DIR}/packaging/${package}/copyright ${PROJECT_BINARY_DIR}/packaging/changelog.gz
    ${PROJECT_BINARY_DIR}/packaging/changelog.Debian.gz
    DESTINATION share/doc/${package} COMPONENT ${component})
endfunction()

# What a user reads of a version, and the form that Debian's tools read; its day is that of the last commit.
find_program(LENTO_GZIP gzip REQUIRED)
file(READ ${PROJECT_SOURCE_DIR}/CHANGELOG.md changelog)
file(WRITE ${PROJECT_BINARY_DIR}/packaging/changelog "${changelog}")
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} log -1 "--format=%cD" OUTPUT_VARIABLE day OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET)
if(NOT day)
  string(TIMESTAMP day "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()
file(WRITE ${PROJECT_BINARY_DIR}/packaging/changelog.Debian
  "lento (${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) bookworm; urgency=medium\n\n"
  "  * Version ${PROJECT_VERSION}; changelog.gz beside this file says what is new.\n\n"
  " -- ${LENTO_MAINTAINER}  ${day}\n")
execute_process(COMMAND ${LENTO_GZIP} -9nf ${PROJECT_BINARY_DIR}/packaging/changelog
  ${PROJECT_BINARY_DIR}/packaging/changelog.Debian)

lento_package(lento lento science
  "finds what is slow in parallel AI hardware
 Lento judges recorded telemetry at every scale: blocks inside a chip, memory
 accesses of a multiprocessor, cores and links of an accelerator, machines of
 a training job; and predicts how fast kernels, models and jobs should be.")
lento_package(dev liblento-dev libdevel
  "library of lento, development files
 One function a verdict, the same conclusions as the command line. This
 package holds the static library and its headers.")
if(LENTO_LAB)
  lento_package(lab lento-lab science
    "laboratory of lento
 What measures Lento and reproduces the papers: fault campaigns, published
 baselines, case studies, validation against measured tables.")
endif()
if(TARGET lento_python)
  lento_package(python python3-lento python
    "verdicts of lento in Python
 Questions from pandas frames and files, verdicts as frames, pictures and
 pages in a notebook.")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.11), python3 (<< 3.12), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS python3-pandas)
endif()
if(TARGET lento-mpi)
  lento_package(mpi lento-mpi science
    "long work of lento on several machines
 Searches and campaigns over MPI ranks: mpirun lento-mpi search SPACE.yaml.")
endif()
# libcurl is loaded only by commands that speak to a server; with what it brings it is 18 packages.
set(CPACK_DEBIAN_LENTO_PACKAGE_SUGGESTS "libcurl4, gcc-riscv64-unknown-elf, prometheus-alertmanager")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "libyaml-cpp-dev, libonnx-dev, libzstd-dev, liblzma-dev, zlib1g-dev, libsodium-dev, libdw-dev, libelf-dev, libnlopt-dev, libsqlite3-dev, libsnappy-dev, libprotobuf-dev, nlohmann-json3-dev, pkg-config")
include(CPack)
