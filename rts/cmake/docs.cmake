# Two targets. docs: the API reference by Doxygen, in build/.../docs/html; a warning is an error. man:
# the manual pages of what is installed, made of --help. And the pages, which are installed
# as they lie here, so that they lead to each other; sources that they lead to stay behind.

set(docs_dir ${PROJECT_BINARY_DIR}/docs)
find_program(TRAWL_DOXYGEN doxygen)
if(TRAWL_DOXYGEN)
  # Of the runtime's headers those with classes that a program names: Error, RemoteError,
  # needs_no_destructor.
  set(docs_input rts/inline/error.hpp rts/inline/exception.hpp rts/inline/lifetime.hpp
                 rts/inline/work.hpp)
  list(TRANSFORM docs_input PREPEND ${PROJECT_SOURCE_DIR}/)
  file(CONFIGURE OUTPUT ${docs_dir}/main.md CONTENT "# Trawl @PROJECT_VERSION@

A program includes `<trawl/trawl.hpp>` and names what is in namespace #trawl. How to write one is in
`lang/WRITING.md` of the sources, what may travel and what is refused in `lang/README.md`.
" @ONLY)
  list(PREPEND docs_input ${docs_dir}/main.md ${PROJECT_SOURCE_DIR}/lang)
  list(TRANSFORM docs_input REPLACE "(.+)" "\"\\1\"")
  list(JOIN docs_input " " docs_input)
  configure_file(rts/cmake/Doxyfile.in ${docs_dir}/Doxyfile @ONLY)
  add_custom_target(docs COMMAND ${TRAWL_DOXYGEN} ${docs_dir}/Doxyfile VERBATIM)
  if(TRAWL_TESTS)
    add_test(NAME docs COMMAND ${TRAWL_DOXYGEN} ${docs_dir}/Doxyfile)
    set_tests_properties(docs PROPERTIES LABELS pages)
  endif()
else()
  add_custom_target(docs
    COMMAND ${CMAKE_COMMAND} -E echo "doxygen is missing: .ci/setup doxygen, then configure again"
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
endif()

find_package(Python3 COMPONENTS Interpreter)
if(TARGET trawl-profile AND TARGET trawl-replay AND TARGET trawl-tune AND TARGET fib AND Python3_FOUND AND NOT CMAKE_CROSSCOMPILING)
  set(man_pages)
  function(man_page name section summary program flag)
    set(page ${PROJECT_BINARY_DIR}/man/${name}.${section})
    set(command ${PROJECT_SOURCE_DIR}/rts/cmake/man_page ${name} ${section} ${PROJECT_VERSION}
                ${summary} $<TARGET_FILE:${program}> ${flag})
    add_custom_command(OUTPUT ${page}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
      COMMAND ${Python3_EXECUTABLE} ${command} > ${page}
      DEPENDS ${program} ${PROJECT_SOURCE_DIR}/rts/cmake/man_page VERBATIM)
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} OPTIONAL)
    set(man_pages ${man_pages} ${page} PARENT_SCOPE)
  endfunction()
  man_page(trawl-profile 1 "draws what each PE of a Trawl run did" trawl-profile --help)
  man_page(trawl-replay 1 "evaluates the task graph of a run with declared work" trawl-replay --help)
  man_page(trawl-top 1 "shows what the PEs of a Trawl run do while it goes on" trawl-top --help)
  man_page(trawl-tune 1 "finds flags that suit a program on a grid" trawl-tune --help)
  man_page(trawl-run 1 "starts a program on several PEs" trawl-run --help)
  man_page(trawl 7 "flags of programs that run on Trawl" fib --trawl:help)
  add_custom_target(man ALL DEPENDS ${man_pages})
endif()

set(pages README.md)
foreach(room lang rts profiles programs)
  file(GLOB_RECURSE of_room CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
    ${room}/*.md ${room}/*.png ${room}/*.svg)
  list(APPEND pages ${of_room})
endforeach()
# What they tell to run: programs of the guide, their grids.
file(GLOB_RECURSE to_run CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
  profiles/guide/pictures/* profiles/guide/solutions/* profiles/grids/your-grid/*.json)
foreach(page IN LISTS pages to_run)
  cmake_path(GET page PARENT_PATH folder)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()
install(PROGRAMS profiles/grids/sweep DESTINATION ${CMAKE_INSTALL_DOCDIR}/profiles/grids)
