pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
target_link_libraries(${name} PRIVATE PkgConfig::PNG)
# Two are for certain processors, by a pragma; all come from one header.
file(GLOB kernels ${folder}/kernel_*.cpp)
set_source_files_properties(${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
