// CRC-32 as java.util.zip.CRC32 computes it (IEEE 802.3, reflected). Long inputs are folded with carry-less multiplication, 64 bytes
// a step, where the processor has it; the rest, and other processors, go by tables, eight bytes a step.
//
// Folding rests on x^n mod P: four 128-bit lanes are each multiplied by x^512 to stand 64 bytes further on and added to what is
// there; at the end the lanes are folded into one by x^128 and that is reduced by Barrett's method. The constants are those powers
// of x modulo P in reflected form.
#include <cstring>

#include "crc32.h"
#include "exports.h"
#include "napi_util.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

struct Tables {
  uint32_t slice[8][256];
  Tables() {
    for (uint32_t i = 0; i < 256; i++) {
      uint32_t crc = i;
      for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1) ? 0xEDB88320u : 0);
      slice[0][i] = crc;
    }
    for (int s = 1; s < 8; s++) {
      for (uint32_t i = 0; i < 256; i++) slice[s][i] = (slice[s - 1][i] >> 8) ^ slice[0][slice[s - 1][i] & 0xff];
    }
  }
};

const Tables tables;

uint32_t ByTables(uint32_t crc, const uint8_t* bytes, size_t size) {
  const auto& t = tables.slice;
  for (; size >= 8; size -= 8, bytes += 8) {
    uint32_t low, high;
    memcpy(&low, bytes, 4);
    memcpy(&high, bytes + 4, 4);
    low ^= crc;
    crc = t[7][low & 0xff] ^ t[6][(low >> 8) & 0xff] ^ t[5][(low >> 16) & 0xff] ^ t[4][low >> 24] ^ t[3][high & 0xff] ^
          t[2][(high >> 8) & 0xff] ^ t[1][(high >> 16) & 0xff] ^ t[0][high >> 24];
  }
  for (; size > 0; size--, bytes++) crc = (crc >> 8) ^ t[0][(crc ^ *bytes) & 0xff];
  return crc;
}

#if defined(__x86_64__)

bool HasCarrylessMultiply() { return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1"); }

__attribute__((target("pclmul,sse4.1"))) inline __m128i Fold(__m128i lane, __m128i powers, __m128i next) {
  __m128i low = _mm_clmulepi64_si128(lane, powers, 0x00);
  __m128i high = _mm_clmulepi64_si128(lane, powers, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

inline __m128i Load(const uint8_t* bytes) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)); }

// size: at least 64, a multiple of 16.
__attribute__((target("pclmul,sse4.1"))) uint32_t ByFolding(uint32_t crc, const uint8_t* bytes, size_t size) {
  const __m128i by512 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
  const __m128i by128 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
  const __m128i by64 = _mm_set_epi64x(0, 0x163cd6124);
  const __m128i barrett = _mm_set_epi64x(0x1f7011641, 0x1db710641);
  const __m128i low32 = _mm_set_epi32(0, -1, 0, -1);

  __m128i a = _mm_xor_si128(Load(bytes), _mm_cvtsi32_si128(static_cast<int>(crc)));
  __m128i b = Load(bytes + 16);
  __m128i c = Load(bytes + 32);
  __m128i d = Load(bytes + 48);
  bytes += 64;
  size -= 64;
  for (; size >= 64; size -= 64, bytes += 64) {
    a = Fold(a, by512, Load(bytes));
    b = Fold(b, by512, Load(bytes + 16));
    c = Fold(c, by512, Load(bytes + 32));
    d = Fold(d, by512, Load(bytes + 48));
  }
  a = Fold(a, by128, b);
  a = Fold(a, by128, c);
  a = Fold(a, by128, d);
  for (; size >= 16; size -= 16, bytes += 16) a = Fold(a, by128, Load(bytes));

  // 128 bits to 96, to 64, to the remainder.
  __m128i r = _mm_xor_si128(_mm_srli_si128(a, 8), _mm_clmulepi64_si128(a, by128, 0x10));
  r = _mm_xor_si128(_mm_srli_si128(r, 4), _mm_clmulepi64_si128(_mm_and_si128(r, low32), by64, 0x00));
  __m128i q = _mm_clmulepi64_si128(_mm_and_si128(r, low32), barrett, 0x10);
  q = _mm_clmulepi64_si128(_mm_and_si128(q, low32), barrett, 0x00);
  return static_cast<uint32_t>(_mm_extract_epi32(_mm_xor_si128(q, r), 1));
}

const bool folds = HasCarrylessMultiply();

#endif

uint32_t UpdateInverted(uint32_t crc, const uint8_t* bytes, size_t size) {
#if defined(__x86_64__)
  if (folds && size >= 64) {
    size_t whole = size & ~static_cast<size_t>(15);
    crc = ByFolding(crc, bytes, whole);
    bytes += whole;
    size -= whole;
  }
#endif
  return ByTables(crc, bytes, size);
}

}  // namespace

uint32_t Crc32Of(const uint8_t* bytes, size_t size, uint32_t previous) {
  return UpdateInverted(previous ^ 0xffffffffu, bytes, size) ^ 0xffffffffu;
}

Napi::Value Crc32(const Napi::CallbackInfo& info) {
  int64_t start = Int64(info, 1);
  int64_t size = Int64(info, 2);
  const uint8_t* bytes = Range(info, 0, start, size);
  if (bytes == nullptr) {
    ThrowErrno(info.Env(), EINVAL, "crc32", "");
    return info.Env().Undefined();
  }
  uint32_t previous = info[3].As<Napi::Number>().Uint32Value();
  return Napi::Number::New(info.Env(), Crc32Of(bytes, static_cast<size_t>(size), previous));
}
