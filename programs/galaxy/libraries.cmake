pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
target_link_libraries(${name} PRIVATE PkgConfig::PNG)
# A fused multiply-add rounds once, not twice: which processor moved a star would be seen.
target_compile_options(${name} PRIVATE -ffp-contract=off)
