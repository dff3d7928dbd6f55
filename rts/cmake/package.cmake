# The Debian package trawl-dev: `cpack -G DEB` in a build with the prefix /usr, or tests/install/debian.
set(CPACK_PACKAGE_NAME trawl-dev)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Trawl maintainers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
    "Headers, static library, CMake package and pkg-config file of Trawl, and\ntrawl-run, which starts PEs, trawl-profile, which draws what each of them did,\ntrawl-top, which shows what they do meanwhile, trawl-replay, which evaluates a task\ngraph again, and trawl-tune, which finds flags for a grid.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What the library is linked with and its headers include: whoever links it needs these.
set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "g++, pkg-config, mpich, libmpich-dev, libhwloc-dev, libsodium-dev, libboost1.81-dev, libboost-context1.81-dev, libcereal-dev, libfmt-dev")
if(TRAWL_HEAP STREQUAL "boehm")
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libgc-dev")
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS cmake)
include(CPack)
