# Builds the page scripts of web/ with npm and Vite into LENTO_WEB_DIR/{report,serve}.js, in the build tree
# only. Without npm the scripts are empty: reports are then static, and `lento serve` lists without scripts.
set(LENTO_WEB_DIR ${PROJECT_BINARY_DIR}/web)
find_program(LENTO_NPM npm)
option(LENTO_WEB "Bundle the page scripts with npm, where it is installed" ON)
file(MAKE_DIRECTORY ${LENTO_WEB_DIR})
if(LENTO_WEB AND LENTO_NPM)
  file(GLOB web_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*.ts ${PROJECT_SOURCE_DIR}/web/*.ts
    ${PROJECT_SOURCE_DIR}/web/*.json ${PROJECT_SOURCE_DIR}/web/.npmrc)
  set(web_stage ${LENTO_WEB_DIR}/stage)
  add_custom_command(
    OUTPUT ${LENTO_WEB_DIR}/installed
    DEPENDS ${PROJECT_SOURCE_DIR}/web/package-lock.json
    COMMAND ${CMAKE_COMMAND} -E make_directory ${web_stage}
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/web/package.json ${PROJECT_SOURCE_DIR}/web/package-lock.json
      ${PROJECT_SOURCE_DIR}/web/.npmrc ${web_stage}
    COMMAND ${CMAKE_COMMAND} -E chdir ${web_stage} ${LENTO_NPM} install --ignore-scripts --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${LENTO_WEB_DIR}/installed
    COMMENT "Installing the chart library and bundler"
    VERBATIM)
  add_custom_command(
    OUTPUT ${LENTO_WEB_DIR}/report.js ${LENTO_WEB_DIR}/serve.js
    DEPENDS ${web_sources} ${LENTO_WEB_DIR}/installed
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${web_stage}/src
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/web/src ${web_stage}/src
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/web/tsconfig.json ${PROJECT_SOURCE_DIR}/web/vite.report.ts
      ${PROJECT_SOURCE_DIR}/web/vite.serve.ts ${web_stage}
    COMMAND ${CMAKE_COMMAND} -E chdir ${web_stage} ${CMAKE_COMMAND} -E env LENTO_WEB_OUT=${LENTO_WEB_DIR}
      ${LENTO_NPM} run --silent build -- --logLevel error
    COMMENT "Bundling the page scripts"
    VERBATIM)
else()
  message(STATUS "npm not found or LENTO_WEB off: reports will be static")
  file(TOUCH ${LENTO_WEB_DIR}/report.js ${LENTO_WEB_DIR}/serve.js)
endif()
