pkg_check_modules(GMP REQUIRED IMPORTED_TARGET gmpxx)
target_link_libraries(${name} PRIVATE PkgConfig::GMP)
# Chosen at run time; what is read once for all programs is for any processor. (g++ 12 takes the undefined operands of its own intrinsics for mistakes.)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${folder}/elimination_avx2.cpp PROPERTIES
    COMPILE_OPTIONS "-mavx2;-mfma;-Wno-maybe-uninitialized" SKIP_PRECOMPILE_HEADERS ON)
  set_source_files_properties(${folder}/elimination_avx512.cpp PROPERTIES
    COMPILE_OPTIONS "-mavx512f;-mavx512ifma;-Wno-maybe-uninitialized" SKIP_PRECOMPILE_HEADERS ON)
endif()
