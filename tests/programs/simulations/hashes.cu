// SHA-256 of many messages, a CRC-32 of one in slices that are joined by shifts of the polynomial,
// and xorshift streams: integer work with rotations, byte permutes and tables.
#include <array>
#include <cstdint>
#include <string>

#include "check.hpp"

namespace {

using Word = std::uint32_t;

// The first 32 bits of the fractions of cube and square roots of primes, by integer arithmetic.
constexpr int nth_prime(int n) {
  int prime = 2;
  for (int found = 0;; ++prime) {
    bool is_prime = true;
    for (int d = 2; d * d <= prime; ++d) is_prime &= prime % d != 0;
    if (is_prime && found++ == n) return prime;
  }
}
constexpr Word root_fraction(int prime, int degree) {
  // The largest r with r^degree <= prime * 2^(32 * degree), whose lower 32 bits are wanted.
  unsigned long long low = 0, high = 1ull << 37;
  while (high - low > 1) {
    const unsigned long long middle = (low + high) / 2;
    unsigned __int128 power = static_cast<unsigned __int128>(middle) * middle;
    bool fits;
    if (degree == 2) {
      fits = power <= static_cast<unsigned __int128>(prime) << 64;
    } else {  // r^3 <= p * 2^96: r^2 / 2^32 * r, with what the shift drops
      const unsigned __int128 whole = power >> 32, rest = power & 0xffffffffu;
      fits = whole * middle + (rest * middle >> 32) < static_cast<unsigned __int128>(prime) << 64;
    }
    (fits ? low : high) = middle;
  }
  return static_cast<Word>(low);
}
constexpr std::array<Word, 64> make_rounds() {
  std::array<Word, 64> words{};
  for (int i = 0; i < 64; ++i) words[i] = root_fraction(nth_prime(i), 3);
  return words;
}
__constant__ Word round_words[64];

__host__ __device__ Word turned(Word x, int by) { return x >> by | x << (32 - by); }

__host__ __device__ void compress(Word (&h)[8], const Word (&block)[16], const Word* rounds) {
  Word w[16], v[8];
  for (int i = 0; i < 16; ++i) w[i] = block[i];
  for (int i = 0; i < 8; ++i) v[i] = h[i];
  for (int i = 0; i < 64; ++i) {
    if (i >= 16) {
      const Word a = w[(i + 1) % 16], b = w[(i + 14) % 16];
      w[i % 16] += (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[(i + 9) % 16] +
                   (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    const Word one = v[7] + (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)) +
                     ((v[4] & v[5]) ^ (~v[4] & v[6])) + rounds[i] + w[i % 16];
    const Word two = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) +
                     ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    for (int j = 7; j > 0; --j) v[j] = v[j - 1];
    v[4] += one;
    v[0] = one + two;
  }
  for (int i = 0; i < 8; ++i) h[i] += v[i];
}

constexpr int message_bytes = 48;  // one block with its padding

struct Digest {
  Word words[8];
};
__global__ void sha256(const unsigned* messages, Digest* out, Digest start, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Word block[16] = {};
  for (int j = 0; j < message_bytes / 4; ++j)  // big-endian words
    block[j] = __byte_perm(messages[i * (message_bytes / 4) + j], 0, 0x0123);
  block[message_bytes / 4] = 0x80000000u;
  block[15] = message_bytes * 8;
  compress(start.words, block, round_words);
  out[i] = start;
}

constexpr Word polynomial = 0xedb88320u;
__host__ __device__ Word crc_bits(Word crc, int bits) {
  for (int i = 0; i < bits; ++i) crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
  return crc;
}
// Each thread's slice alone; what follows a slice shifts it on by as many zero bits. CRCs without
// the usual inversion are linear, so the parts are joined by xor.
__global__ void crc_slices(const unsigned char* data, int bytes, int slice, Word* result) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int first = thread * slice, last = min(first + slice, bytes);
  Word crc = 0;
  if (first < last) {
    for (int i = first; i < last; ++i) crc = crc_bits(crc ^ data[i], 8);
    crc = crc_bits(crc, 8 * (bytes - last));
  }
  crc = __reduce_xor_sync(~0u, crc);
  if (threadIdx.x % 32 == 0) atomicXor(result, crc);
}

}  // namespace

int main() {
  static constexpr auto rounds = make_rounds();
  static_assert(rounds[0] == 0x428a2f98u && rounds[63] == 0xc67178f2u);
  Digest start;
  for (int i = 0; i < 8; ++i) start.words[i] = root_fraction(nth_prime(i), 2);
  expect(start.words[0] == 0x6a09e667u && start.words[7] == 0x5be0cd19u, "the first state");
  // The published digest of "abc" judges the function that host and device share.
  Digest abc = start;
  Word block[16] = {0x61626380u};
  block[15] = 24;
  compress(abc.words, block, rounds.data());
  expect(abc.words[0] == 0xba7816bfu && abc.words[7] == 0xf20015adu, "digest of abc");

  constexpr int count = 70;
  const auto messages = numbers(count * message_bytes / 4, 3);
  CHECK(cudaMemcpyToSymbol(round_words, rounds.data(), sizeof rounds));
  const OnDevice<unsigned> in(messages);
  const OnDevice<Digest> out(count);
  sha256<<<blocks_for(count, 64), 64>>>(in.get(), out.get(), start, count);
  finish();
  const auto digests = out.fetch();
  for (int i = 0; i < count; ++i) {
    Digest want = start;
    Word words[16] = {};
    for (int j = 0; j < message_bytes / 4; ++j)
      words[j] = __builtin_bswap32(messages[i * message_bytes / 4 + j]);
    words[message_bytes / 4] = 0x80000000u;
    words[15] = message_bytes * 8;
    compress(want.words, words, rounds.data());
    for (int j = 0; j < 8; ++j) expect(digests[i].words[j] == want.words[j], "digest");
  }
  const std::string text = "The quick brown fox jumps over the lazy dog";
  std::vector<unsigned char> bytes(text.begin(), text.end());
  Word want = 0;
  for (const unsigned char byte : bytes) want = crc_bits(want ^ byte, 8);
  Word usual = ~0u;
  for (const unsigned char byte : bytes) usual = crc_bits(usual ^ byte, 8);
  expect(~usual == 0x414fa339u, "the published check value");
  const OnDevice<unsigned char> data(bytes);
  const OnDevice<Word> crc(std::vector<Word>(1, 0));
  crc_slices<<<2, 32>>>(data.get(), static_cast<int>(bytes.size()), 3, crc.get());
  finish();
  expect(crc.fetch()[0] == want, "slices joined");
  return passed();
}
