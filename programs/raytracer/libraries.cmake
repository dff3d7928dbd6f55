pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
target_link_libraries(${name} PRIVATE PkgConfig::PNG)
# A fused multiply-add rounds once, not twice: which processor drew a tile would be seen.
target_compile_options(${name} PRIVATE -ffp-contract=off)
# What is read once for all programs is for any processor.
# Vectors are passed only within these files; what is said to be uninitialized is in g++'s header.
set(quiet -Wno-psabi -Wno-uninitialized -Wno-maybe-uninitialized)
set_source_files_properties(${folder}/draw_portable.cpp PROPERTIES COMPILE_OPTIONS "${quiet}")
set_source_files_properties(${folder}/draw_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;${quiet}"
  SKIP_PRECOMPILE_HEADERS ON)
set_source_files_properties(${folder}/draw_avx512.cpp PROPERTIES
  COMPILE_OPTIONS "-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;${quiet}"
  SKIP_PRECOMPILE_HEADERS ON)
