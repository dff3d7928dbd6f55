pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
target_link_libraries(${name} PRIVATE PkgConfig::PNG)
# A fused multiply-add rounds once, not twice: which processor moved a star would be seen.
target_compile_options(${name} PRIVATE -ffp-contract=off)
# A part of it is for certain processors, by a pragma; g++ would take -ffp-contract from a precompiled
# header, not from its flags.
set_source_files_properties(${folder}/kernel.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
  SKIP_PRECOMPILE_HEADERS ON)
