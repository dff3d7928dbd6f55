pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
target_link_libraries(${name} PRIVATE PkgConfig::PNG)
