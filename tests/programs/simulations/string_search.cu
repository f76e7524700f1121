// Words in a text: a rolling hash per thread with a check of the bytes, all positions found, and
// Levenshtein distances of many pairs by a wave over diagonals in shared memory.
#include <algorithm>
#include <string>

#include "check.hpp"

namespace {

__global__ void find(const char* text, int length, const char* word, int word_length, int* places,
                     int* found) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  if (first + word_length > length) return;
  int at = 0;
  while (at < word_length && text[first + at] == word[at]) ++at;
  if (at == word_length) places[atomicAdd(found, 1)] = first;
}

constexpr int most = 40;
// One warp a pair; lane i owns the rows i, i + 32; diagonals follow each other.
__global__ void distances(const char* a, const char* b, const int2* lengths, int* out) {
  __shared__ int table[most + 1][most + 1];
  const int2 length = lengths[blockIdx.x];
  a += blockIdx.x * most;
  b += blockIdx.x * most;
  for (int diagonal = 0; diagonal <= length.x + length.y; ++diagonal) {
    for (int row = threadIdx.x; row <= length.x; row += 32) {
      const int column = diagonal - row;
      if (column < 0 || column > length.y) continue;
      int best;
      if (row == 0 || column == 0)
        best = row + column;
      else
        best = min(min(table[row - 1][column], table[row][column - 1]) + 1,
                   table[row - 1][column - 1] + (a[row - 1] != b[column - 1]));
      table[row][column] = best;
    }
    __syncwarp();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = table[length.x][length.y];
}

}  // namespace

int main() {
  std::string text;
  for (const unsigned bits : numbers(4000, 4)) text += "acgt"[bits >> 30];
  const std::string word = text.substr(1234, 5);
  const OnDevice<char> device_text(std::vector<char>(text.begin(), text.end())),
      device_word(std::vector<char>(word.begin(), word.end()));
  const OnDevice<int> places(text.size()), found(std::vector<int>(1, 0));
  find<<<blocks_for(static_cast<int>(text.size()), 128), 128>>>(
      device_text.get(), static_cast<int>(text.size()), device_word.get(), 5, places.get(),
      found.get());
  finish();
  std::vector<int> want, got = places.fetch();
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    want.push_back(static_cast<int>(at));
  got.resize(found.fetch()[0]);
  std::sort(got.begin(), got.end());
  expect_equal(got, want, "places of the word");

  constexpr int pairs = 12;
  std::vector<char> a(pairs * most), b(pairs * most);
  std::vector<int2> lengths;
  std::vector<int> answers;
  for (int pair = 0; pair < pairs; ++pair) {
    const std::string left = text.substr(pair * 100, 5 + pair * 3),
                      right = text.substr(pair * 101, 38 - pair);
    std::copy(left.begin(), left.end(), a.begin() + pair * most);
    std::copy(right.begin(), right.end(), b.begin() + pair * most);
    lengths.push_back(make_int2(static_cast<int>(left.size()), static_cast<int>(right.size())));
    std::vector<int> row(right.size() + 1);
    for (std::size_t j = 0; j <= right.size(); ++j) row[j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= left.size(); ++i) {
      int corner = row[0]++;
      for (std::size_t j = 1; j <= right.size(); ++j) {
        const int best =
            std::min({row[j] + 1, row[j - 1] + 1, corner + (left[i - 1] != right[j - 1])});
        corner = row[j];
        row[j] = best;
      }
    }
    answers.push_back(row.back());
  }
  const OnDevice<char> device_a(a), device_b(b);
  const OnDevice<int2> device_lengths(lengths);
  const OnDevice<int> out(pairs);
  distances<<<pairs, 32>>>(device_a.get(), device_b.get(), device_lengths.get(), out.get());
  finish();
  expect_equal(out.fetch(), answers, "distances");
  return passed();
}
