#include "lab/measure/ceilings.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/file.hpp"
#include "base/home.hpp"
#include "base/refuse.hpp"
#include "base/temporary_file.hpp"

namespace aisp::lab {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Rate {
  const char* key;
  double Ceilings::*member;
};
constexpr std::array rates{
    Rate{"copy_bytes_per_s", &Ceilings::copy_bytes_per_s},
    Rate{"to_device_bytes_per_s", &Ceilings::to_device_bytes_per_s},
    Rate{"to_host_bytes_per_s", &Ceilings::to_host_bytes_per_s},
    Rate{"both_ways_bytes_per_s", &Ceilings::both_ways_bytes_per_s},
    Rate{"fma_f32", &Ceilings::fma_f32},
    Rate{"fma_f16", &Ceilings::fma_f16},
    Rate{"matrix_tf32", &Ceilings::matrix_tf32},
    Rate{"matrix_bf16", &Ceilings::matrix_bf16},
    Rate{"matrix_fp8", &Ceilings::matrix_fp8},
};

struct Word {
  const char* key;
  std::string Ceilings::*member;
};
constexpr std::array words{
    Word{"hardware", &Ceilings::hardware},       Word{"uuid", &Ceilings::uuid},
    Word{"device", &Ceilings::device},           Word{"driver", &Ceilings::driver},
    Word{"measured_at", &Ceilings::measured_at},
};

template <class... Parts>
[[noreturn]] void refuse_file(const fs::path& file, const Parts&... why) {
  base::refuse(base::Exit::environment, "ceilings file ", file.string(), " ", why...,
               "; measure again with `aisp doctor --measure`");
}

Ceilings from_json(const json& object, const fs::path& file) {
  const auto found = object.find("version");
  if (found == object.end()) refuse_file(file, "has no version");
  if (*found != ceilings_version)
    refuse_file(file, "has version ", found->dump(), " and this aisp reads version ",
                ceilings_version);
  Ceilings ceilings;
  for (const auto& [key, member] : words) object.at(key).get_to(ceilings.*member);
  for (const auto& [key, member] : rates) {
    const json& value = object.at(key);
    if (!value.is_number() || !(value.get<double>() >= 0.0) || !std::isfinite(value.get<double>()))
      refuse_file(file, "holds ", value.dump(), " for ", key, ", which is no rate");
    ceilings.*member = value.get<double>();
  }
  return ceilings;
}

}  // namespace

double Ceilings::rate(Unit unit) const {
  switch (unit) {
    case Unit::none:
      return 0.0;
    case Unit::fma_f32:
      return fma_f32;
    case Unit::fma_f16:
      return fma_f16;
    case Unit::matrix_tf32:
      return matrix_tf32;
    case Unit::matrix_bf16:
      return matrix_bf16;
    case Unit::matrix_fp8:
      return matrix_fp8;
  }
  return 0.0;
}

fs::path aisp_home() { return base::home(); }

fs::path ceilings_path(const std::string& hardware, const std::string& uuid) {
  return aisp_home() / "ceilings" /
         (base::file_word(hardware) + "-" + base::file_word(uuid) + ".json");
}

std::optional<Ceilings> load_ceilings(const fs::path& file) {
  const base::FileText read = base::read_file(file);
  if (read.missing) return std::nullopt;
  if (!read.problem.empty()) refuse_file(file, "cannot be read: ", read.problem);
  try {
    return from_json(json::parse(read.text), file);
  } catch (const json::exception& problem) {
    refuse_file(file, "is corrupt: ", problem.what());
  }
}

void save_ceilings(const fs::path& file, const Ceilings& ceilings) {
  json object{{"version", ceilings_version}};
  for (const auto& [key, member] : words) object[key] = ceilings.*member;
  for (const auto& [key, member] : rates) object[key] = ceilings.*member;

  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  const std::string problem =
      error ? error.message() : base::replace_file(file, object.dump(2) + "\n");
  if (!problem.empty())
    base::refuse(base::Exit::environment, "cannot write ", file.string(), ": ", problem,
                 "; free space there or set AISP_HOME to another folder");
}

}  // namespace aisp::lab
