#include "rts/base/vector_registers.hpp"

namespace trawl {
namespace {

void clear_sse() noexcept {
  asm volatile(
      "pxor %%xmm0, %%xmm0\n pxor %%xmm1, %%xmm1\n pxor %%xmm2, %%xmm2\n pxor %%xmm3, %%xmm3\n"
      "pxor %%xmm4, %%xmm4\n pxor %%xmm5, %%xmm5\n pxor %%xmm6, %%xmm6\n pxor %%xmm7, %%xmm7\n"
      "pxor %%xmm8, %%xmm8\n pxor %%xmm9, %%xmm9\n pxor %%xmm10, %%xmm10\n"
      "pxor %%xmm11, %%xmm11\n pxor %%xmm12, %%xmm12\n pxor %%xmm13, %%xmm13\n"
      "pxor %%xmm14, %%xmm14\n pxor %%xmm15, %%xmm15\n" ::
          : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
            "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

__attribute__((target("avx"))) void clear_avx() noexcept {
  asm volatile("vzeroall\n" ::
                   : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                     "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

// Of 16 bytes each: it clears the rest, too, and costs the processor no clock rate.
__attribute__((target("avx512vl"))) void clear_upper() noexcept {
  asm volatile(
      "vpxorq %%xmm16, %%xmm16, %%xmm16\n vpxorq %%xmm17, %%xmm17, %%xmm17\n"
      "vpxorq %%xmm18, %%xmm18, %%xmm18\n vpxorq %%xmm19, %%xmm19, %%xmm19\n"
      "vpxorq %%xmm20, %%xmm20, %%xmm20\n vpxorq %%xmm21, %%xmm21, %%xmm21\n"
      "vpxorq %%xmm22, %%xmm22, %%xmm22\n vpxorq %%xmm23, %%xmm23, %%xmm23\n"
      "vpxorq %%xmm24, %%xmm24, %%xmm24\n vpxorq %%xmm25, %%xmm25, %%xmm25\n"
      "vpxorq %%xmm26, %%xmm26, %%xmm26\n vpxorq %%xmm27, %%xmm27, %%xmm27\n"
      "vpxorq %%xmm28, %%xmm28, %%xmm28\n vpxorq %%xmm29, %%xmm29, %%xmm29\n"
      "vpxorq %%xmm30, %%xmm30, %%xmm30\n vpxorq %%xmm31, %%xmm31, %%xmm31\n" ::
          : "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24",
            "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31");
}

}  // namespace

void clear_vector_registers() noexcept {
  static const bool has_avx = __builtin_cpu_supports("avx") != 0;
  static const bool has_upper = __builtin_cpu_supports("avx512vl") != 0;
  if (has_avx)
    clear_avx();
  else
    clear_sse();
  if (has_upper) clear_upper();
}

}  // namespace trawl
