// SHA-256 (FIPS 180-4) of the same octets from two chaining values, as they come. OpenSSL computes one hash at a time, and the processor
// waits half of that time for the round before. intel-ipsec-mb 1.3 computes several at once, but each of a message that is there as a
// whole, and neither has two hashes share what is computed from the octets alone.

#include <openssl/sha.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// One chaining value after the other, by OpenSSL. `states` are two of eight words, `count` is in blocks of 64 octets.
static inline void sha256_pair_in_turn(uint32_t *states, const uint8_t *blocks, size_t count) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"  // Since 3.0; EVP takes no chaining value.
  for (int lane = 0; lane < 2; lane++) {
    SHA256_CTX context;
    SHA256_Init(&context);
    memcpy(context.h, states + 8 * lane, 32);
    SHA256_Update(&context, blocks, 64 * count);
    memcpy(states + 8 * lane, context.h, 32);
    OPENSSL_cleanse(&context, sizeof context);
  }
#pragma clang diagnostic pop
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

// Whether the processor has the SHA extensions, which none has without SSSE3 and SSE4.1.
static inline bool sha256_pair_is_interleaved(void) {
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1);
}

static const uint32_t sha256_constants[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// Both at once, round by round: one message schedule for both, and each lane's rounds run while the other's have no result yet. The
// names are those of the instructions' description (Intel SDM, volume 2B, SHA256RNDS2): a lane's eight words are ABEF and CDGH there.
__attribute__((target("sha,sse4.1,ssse3"))) static inline void sha256_pair_interleaved(
    uint32_t *states, const uint8_t *blocks, size_t count) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i abef[2], cdgh[2];
  for (int lane = 0; lane < 2; lane++) {
    const __m128i *state = (const __m128i *)(states + 8 * lane);
    const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(state), 0xB1), hgfe = _mm_shuffle_epi32(_mm_loadu_si128(state + 1), 0x1B);
    abef[lane] = _mm_alignr_epi8(badc, hgfe, 8);
    cdgh[lane] = _mm_blend_epi16(hgfe, badc, 0xF0);
  }
  for (; count > 0; count--, blocks += 64) {
    __m128i abef0 = abef[0], cdgh0 = cdgh[0], abef1 = abef[1], cdgh1 = cdgh[1], schedule[4];
#pragma clang loop unroll(full)
    for (int step = 0; step < 16; step++) {
      __m128i *const word = &schedule[step & 3];
      const __m128i next = schedule[(step + 1) & 3], middle = schedule[(step + 2) & 3], last = schedule[(step + 3) & 3];
      if (step < 4)
        *word = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)blocks + step), big_endian);
      else
        *word = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(*word, next), _mm_alignr_epi8(last, middle, 4)), last);
      const __m128i first_rounds = _mm_add_epi32(*word, _mm_load_si128((const __m128i *)sha256_constants + step));
      const __m128i last_rounds = _mm_shuffle_epi32(first_rounds, 0x0E);
      cdgh0 = _mm_sha256rnds2_epu32(cdgh0, abef0, first_rounds);
      cdgh1 = _mm_sha256rnds2_epu32(cdgh1, abef1, first_rounds);
      abef0 = _mm_sha256rnds2_epu32(abef0, cdgh0, last_rounds);
      abef1 = _mm_sha256rnds2_epu32(abef1, cdgh1, last_rounds);
    }
    abef[0] = _mm_add_epi32(abef[0], abef0), cdgh[0] = _mm_add_epi32(cdgh[0], cdgh0);
    abef[1] = _mm_add_epi32(abef[1], abef1), cdgh[1] = _mm_add_epi32(cdgh[1], cdgh1);
  }
  for (int lane = 0; lane < 2; lane++) {
    __m128i *state = (__m128i *)(states + 8 * lane);
    const __m128i feba = _mm_shuffle_epi32(abef[lane], 0x1B), dchg = _mm_shuffle_epi32(cdgh[lane], 0xB1);
    _mm_storeu_si128(state, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128(state + 1, _mm_alignr_epi8(dchg, feba, 8));
  }
}
#else
static inline bool sha256_pair_is_interleaved(void) { return false; }

static inline void sha256_pair_interleaved(uint32_t *states, const uint8_t *blocks, size_t count) {
  sha256_pair_in_turn(states, blocks, count);
}
#endif
