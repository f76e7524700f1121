#include "tests/sim/fatbin/harmless.hpp"

#include <algorithm>

#include "tests/sim/fatbin/format.hpp"

namespace fatbin_fuzz {
namespace {

void insert(std::string& image, std::size_t at, const std::string& bytes) {
  image.insert(at, bytes);
  set(image, 8, 8, get(image, 8, 8) + bytes.size());
}

// A multiple of 8 bytes, as the toolkit aligns them.
std::string filling(Random& random, bool zeros) {
  std::string bytes(8 * (1 + random.below(12)), '\0');
  if (!zeros)
    for (char& byte : bytes) byte = static_cast<char>(random.next());
  return bytes;
}

std::string unknown_entry(Random& random) {
  const std::string payload = filling(random, false);
  std::string entry(entry_bytes, '\0');
  set(entry, 0, 2, 100 + random.below(1000));
  set(entry, 2, 2, 0x101);
  set(entry, 4, 4, entry_bytes);
  set(entry, 8, 8, payload.size());
  set(entry, 28, 4, 90);
  return entry + payload;
}

}  // namespace

std::string harmless_change(std::string& image, Random& random) {
  const auto entries = entries_of(image);
  const Entry entry = entries[random.below(entries.size())];
  const std::string text = image.substr(entry.at, entry.header + entry.payload);
  switch (random.below(7)) {
    case 0: {
      const std::string more = filling(random, false);
      image.insert(container_bytes, more);
      set(image, 6, 2, container_bytes + more.size());
      return ", a longer container header";
    }
    case 1: {
      const std::string more = filling(random, false);
      insert(image, entry.at + entry.header, more);
      set(image, entry.at + 4, 4, entry.header + more.size());
      return ", a longer entry header";
    }
    case 2: {
      const std::string more = filling(random, true);
      insert(image, entry.end(), more);
      set(image, entry.at + 8, 8, entry.payload + more.size());
      return ", a padded payload";
    }
    case 3:
      insert(image, entry.at, unknown_entry(random));
      return ", an entry of an unknown kind before one";
    case 4:
      insert(image, entries.back().end(), unknown_entry(random));
      return ", an entry of an unknown kind at the end";
    case 5:
      insert(image, entries.back().end(), std::string(8 * (1 + random.below(7)), '\0'));
      return ", zeros behind the last entry";
    default:
      image.erase(entry.at, text.size());
      image.insert(random.one_in(2) ? entries.front().at : entries.back().end() - text.size(),
                   text);
      return ", an entry moved";
  }
}

}  // namespace fatbin_fuzz
