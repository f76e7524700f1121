#include "tests/sim/fatbin/mutant.hpp"

#include <elf.h>

#include <algorithm>
#include <stdexcept>

#include "tests/sim/fatbin/format.hpp"
#include "tests/sim/fatbin/harmless.hpp"

namespace fatbin_fuzz {
namespace {

using Demand = Mutant::Demand;

// Values at which sizes, offsets and counts go wrong.
std::uint64_t wild_value(std::uint64_t old, Random& random) {
  const std::uint64_t values[] = {0,
                                  1,
                                  7,
                                  8,
                                  15,
                                  16,
                                  63,
                                  64,
                                  65,
                                  old + 1,
                                  old - 1,
                                  old + 8,
                                  old - 8,
                                  old + 4096,
                                  old * 2,
                                  old / 2,
                                  0x7fff,
                                  0xffff,
                                  0x7fffffff,
                                  0x80000000,
                                  0xffffffff,
                                  std::uint64_t{1} << 40,
                                  std::uint64_t{1} << 63,
                                  ~std::uint64_t{0},
                                  ~std::uint64_t{0} - 15,
                                  ~std::uint64_t{0} - 63,
                                  old ^ std::uint64_t{1} << random.below(64),
                                  random.next(),
                                  random.next() >> random.below(64)};
  return values[random.below(std::size(values))];
}

void change_field(Mutant& mutant, std::size_t base, const char* of, const Field& field,
                  Random& random) {
  const std::uint64_t value = wild_value(get(mutant.image, base + field.at, field.bytes), random);
  set(mutant.image, base + field.at, field.bytes, value);
  mutant.what += std::string(", ") + of + " " + field.name + " = " + std::to_string(value);
}

void change_headers(Mutant& mutant, int count, Random& random) {
  const auto entries = entries_of(mutant.image);
  for (int i = 0; i < count; ++i) {
    if (random.one_in(3)) {
      const auto& field = container_fields[random.below(std::size(container_fields))];
      change_field(mutant, 0, "container's", field, random);
      continue;
    }
    const std::size_t number = random.below(entries.size());
    change_field(mutant, entries[number].at, ("entry " + std::to_string(number) + "'s").c_str(),
                 entry_fields[random.below(std::size(entry_fields))], random);
  }
}

void change_bytes(Mutant& mutant, std::size_t begin, std::size_t end, Random& random) {
  const std::uint64_t count = 1 + random.below(8);
  mutant.what += ", " + std::to_string(count) + " bytes changed";
  for (std::uint64_t i = 0; i < count; ++i)
    mutant.image[begin + random.below(end - begin)] = static_cast<char>(random.next());
}

std::string junk(std::uint64_t most, Random& random) {
  std::string bytes(1 + random.below(most), '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.next());
  return bytes;
}

Lead any_lead(Random& random) {
  constexpr Lead leads[] = {Lead::image,  Lead::null,     Lead::before_image, Lead::past_end,
                            Lead::itself, Lead::unmapped, Lead::list};
  return leads[random.below(std::size(leads))];
}

void change_wrapper(Mutant& mutant, Random& random) {
  Wrapper& wrapper = mutant.wrapper;
  mutant.wrapped = true;
  wrapper.shift = 1 + random.below(64);
  switch (random.below(6)) {
    case 0:
      wrapper.magic = wild_value(wrapper.magic, random);
      mutant.what += ", wrapper's magic";
      break;
    case 1:
      wrapper.version = wild_value(wrapper.version, random);
      wrapper.prelinked = any_lead(random);
      mutant.what += ", wrapper's version";
      break;
    case 2:
      wrapper.data = any_lead(random);
      mutant.what += ", wrapper's pointer";
      break;
    case 3:
      wrapper.version = 2;
      wrapper.prelinked = any_lead(random);
      wrapper.list_ends = random.one_in(2);
      mutant.what += ", list of fatbins";
      break;
    case 4:
      wrapper.version = 2;
      wrapper.data = any_lead(random);
      wrapper.prelinked = any_lead(random);
      mutant.what += ", both pointers of the wrapper";
      break;
    default:
      wrapper.bytes = random.below(wrapper_bytes);
      mutant.what += ", wrapper cut to " + std::to_string(wrapper.bytes) + " bytes";
  }
}

void change_size(Mutant& mutant, Random& random) {
  std::size_t at = random.below(mutant.image.size());
  if (random.one_in(2)) {
    if (mutant.door == Door::linker) at = std::max<std::size_t>(at, 1);  // none is no input
    mutant.image.resize(at);
    mutant.what += ", cut to " + std::to_string(at) + " bytes";
  } else {
    const std::string more = junk(200, random);
    mutant.image.insert(at, more);
    mutant.what += ", " + std::to_string(more.size()) + " bytes inserted at " + std::to_string(at);
  }
}

// A wrapper that stands in a file, or its bytes given with their size, leads nowhere.
void become_a_wrapper(Mutant& mutant, Random& random) {
  mutant.what += ", bytes of a wrapper in its place";
  mutant.image = std::string(wrapper_bytes, '\0');
  set(mutant.image, 0, 4, 0x466243b1);
  set(mutant.image, 4, 4, 1 + random.below(2));
  set(mutant.image, 8, 8, random.next() >> random.below(64));
  set(mutant.image, 16, 8, random.next() >> random.below(64));
}

void mutate(Mutant& mutant, const Sample& sample, Random& random) {
  const bool container = is_fatbin(mutant.image);
  const auto kind = random.below(20);
  mutant.demand = Demand::refused_or_right;
  if (kind < 4 && container && mutant.door != Door::module_file &&
      mutant.door != Door::library_file && mutant.door != Door::linker) {
    change_wrapper(mutant, random);
  } else if (kind < 9 && container) {
    change_headers(mutant, random.one_in(3) ? 2 : 1, random);
  } else if (kind < 12) {
    mutant.demand = Demand::refused_or_loaded;
    change_bytes(mutant, 0, mutant.image.size(), random);
  } else if (kind < 15) {
    mutant.demand = Demand::refused_or_loaded;
    change_size(mutant, random);
  } else if (kind < 16) {
    become_a_wrapper(mutant, random);
  } else {
    mutant.demand = sample.has_ptx() ? Demand::right : Demand::refused_or_loaded;
    if (container) mutant.what += harmless_change(mutant.image, random);
    if (random.one_in(2)) {
      mutant.image += junk(100, random);
      mutant.what += ", more behind it";
    }
  }
}

// Of the shared library: headers, wrappers and payloads where the file has them, without a change
// of size. What the loader itself reads stays as it is.
void mutate_library(Mutant& mutant, Random& random) {
  const auto* const file = reinterpret_cast<const unsigned char*>(mutant.image.data());
  Elf64_Ehdr header;
  std::memcpy(&header, file, sizeof header);
  const auto section = [&](const std::string& name) {
    Elf64_Shdr names, found;
    std::memcpy(&names, file + header.e_shoff + header.e_shstrndx * sizeof names, sizeof names);
    for (int i = 0; i < header.e_shnum; ++i) {
      std::memcpy(&found, file + header.e_shoff + static_cast<std::size_t>(i) * sizeof found,
                  sizeof found);
      if (name == mutant.image.c_str() + names.sh_offset + found.sh_name) return found;
    }
    throw std::runtime_error("the sample library has no section " + name);
  };
  mutant.demand = Demand::refused_or_right;
  if (random.one_in(5)) {  // two wrappers of 24 bytes, of which the loader sets the pointers
    const auto wrappers = section(".nvFatBinSegment");
    const std::size_t at = random.below(wrappers.sh_size / wrapper_bytes) * wrapper_bytes;
    const Field field = random.one_in(2) ? Field{"magic", 0, 4} : Field{"version", 4, 4};
    change_field(mutant, wrappers.sh_offset + at, "wrapper's", field, random);
    return;
  }
  const auto code = section(".nv_fatbin");
  Mutant inner;
  for (std::size_t at = 0; at < code.sh_size;) {  // each container by itself
    const std::size_t begin = code.sh_offset + at;
    const std::size_t bytes = get(mutant.image, begin + 6, 2) + get(mutant.image, begin + 8, 8);
    inner.image = mutant.image.substr(begin, bytes);
    if (random.one_in(4)) {
      mutant.demand = Demand::refused_or_loaded;
      change_bytes(inner, 0, bytes, random);
    } else if (bytes > container_bytes) {
      change_headers(inner, 1, random);
    }
    mutant.image.replace(begin, bytes, inner.image);
    at += (bytes + 7) / 8 * 8;
  }
  mutant.what += inner.what;
}

}  // namespace

// splitmix64
std::uint64_t Random::next() {
  std::uint64_t value = state_ += 0x9e3779b97f4a7c15u;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
  value = (value ^ value >> 27) * 0x94d049bb133111ebu;
  return value ^ value >> 31;
}

Mutant make_mutant(const std::vector<Sample>& samples, std::uint64_t seed, std::uint64_t index) {
  Random random(seed, index);
  for (int i = 0; i < 4; ++i) random.next();
  const Sample& sample = samples[random.below(samples.size())];
  Mutant mutant;
  mutant.what = sample.name;
  mutant.image = sample.bytes;
  if (sample.name.ends_with(".so")) {
    mutant.door = random.one_in(4) ? Door::module_file : Door::shared_library;
    if (mutant.door == Door::shared_library)
      mutate_library(mutant, random);
    else
      change_size(mutant, random);
    return mutant;
  }
  constexpr Door doors[] = {Door::module_data, Door::module_fatbin, Door::library_data,
                            Door::module_file, Door::library_file,  Door::linker,
                            Door::registered};
  mutant.door = doors[random.below(std::size(doors))];
  mutant.wrapped = mutant.door == Door::registered || random.one_in(3);
  mutate(mutant, sample, random);
  return mutant;
}

}  // namespace fatbin_fuzz
