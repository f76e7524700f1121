// Records to JSON and back.
#include "lab/record/records.hpp"

#include <cmath>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/record/record_fields.hpp"

namespace aisp::lab {
namespace {

using nlohmann::json;

template <class T>
concept Number = std::integral<T> && !std::same_as<T, bool>;

class Writer {
 public:
  explicit Writer(json& object) : object_(object) {}

  void operator()(const char* name, const auto& value) { object_[name] = encode(value); }

  template <class T>
  void maybe(const char* name, const T& value) {
    if (value != T{}) object_[name] = encode(value);
  }

 private:
  static json encode(const std::string& value) { return value; }
  static json encode(bool value) { return value; }
  static json encode(Number auto value) { return value; }
  static json encode(double value) {
    if (std::isfinite(value)) return value;
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }
  static json encode(Named auto value) { return name_of(value); }
  template <class T>
  static json encode(const std::optional<T>& value) {
    return encode(*value);
  }
  template <class T>
  static json encode(const std::vector<T>& list) {
    json array = json::array();
    for (const auto& value : list) array.push_back(encode(value));
    return array;
  }
  template <class R>
  static json encode(const R& record) requires requires(Writer& writer) {
    fields(writer, record);
  }
  {
    json object = json::object();
    Writer writer(object);
    fields(writer, record);
    return object;
  }

  json& object_;
};

class Reader {
 public:
  Reader(const json& object, std::string_view kind, std::string path)
      : object_(object), kind_(kind), path_(std::move(path)) {}

  void operator()(const char* name, auto& value) {
    const auto found = object_.find(name);
    if (found == object_.end()) refuse(path_ + name, " is missing");
    decode(*found, value, path_ + name);
  }

  void maybe(const char* name, auto& value) {
    if (const auto found = object_.find(name); found != object_.end())
      decode(*found, value, path_ + name);
  }

 private:
  [[noreturn]] void refuse(const std::string& field, const auto&... parts) const {
    base::refuse(base::Exit::environment, "not a ", kind_, " record of schema ", run_schema,
                 ": field \"", field, "\"", parts...);
  }

  [[noreturn]] void refuse_type(const json& value, const std::string& field, const char* want) {
    refuse(field, " must be ", want, ", got ", value.type_name());
  }

  void decode(const json& value, std::string& out, const std::string& field) {
    if (!value.is_string()) refuse_type(value, field, "a text");
    out = value.get_ref<const std::string&>();
  }

  void decode(const json& value, bool& out, const std::string& field) {
    if (!value.is_boolean()) refuse_type(value, field, "true or false");
    out = value.get<bool>();
  }

  template <Number T>
  void decode(const json& value, T& out, const std::string& field) {
    if (!value.is_number_integer()) refuse_type(value, field, "a whole number");
    const bool fits = value.is_number_unsigned() ? std::in_range<T>(value.get<std::uint64_t>())
                                                 : std::in_range<T>(value.get<std::int64_t>());
    if (!fits)
      refuse(field, " must lie between ", std::numeric_limits<T>::min(), " and ",
             std::numeric_limits<T>::max(), ", got ", value.dump());
    out = value.get<T>();
  }

  void decode(const json& value, double& out, const std::string& field) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (value.is_number()) {
      out = value.get<double>();
    } else if (value == "nan") {
      out = std::numeric_limits<double>::quiet_NaN();
    } else if (value == "inf" || value == "-inf") {
      out = value == "inf" ? infinity : -infinity;
    } else {
      refuse_type(value, field, "a number");
    }
  }

  template <Named E>
  void decode(const json& value, E& out, const std::string& field) {
    if (!value.is_string()) refuse_type(value, field, "a text");
    const auto known = value_named<E>(value.get_ref<const std::string&>());
    if (!known)
      refuse(field, " must be one of ", base::join(all_names<E>(), ", "), ", got ", value.dump());
    out = *known;
  }

  template <class T>
  void decode(const json& value, std::optional<T>& out, const std::string& field) {
    decode(value, out.emplace(), field);
  }

  template <class T>
  void decode(const json& value, std::vector<T>& out, const std::string& field) {
    if (!value.is_array()) refuse_type(value, field, "a list");
    out.clear();
    for (const auto& element : value) {
      const std::string place = base::say(field, '[', out.size(), ']');
      decode(element, out.emplace_back(), place);
    }
  }

  template <class R>
  void decode(const json& value, R& out, const std::string& field) requires
      requires(Reader& reader) {
    fields(reader, out);
  }
  {
    if (!value.is_object()) refuse_type(value, field, "an object");
    Reader reader(value, kind_, field + ".");
    fields(reader, out);
  }

  const json& object_;
  std::string_view kind_;
  std::string path_;
};

// A run written under another schema is refused as such, before its fields are looked at.
void check_schema(const json& object) {
  const auto found = object.find("schema");
  if (found != object.end() && found->is_number_integer() && *found != run_schema)
    base::refuse(base::Exit::environment, "written with run schema ", found->dump(),
                 ", this aisp reads schema ", run_schema, "; use the aisp that wrote it");
}

template <class R>
bool read_as(const json& object, const std::string& kind, Record& out) {
  if (kind != kind_of<R>) return false;
  if constexpr (std::same_as<R, RunHeader>) check_schema(object);
  Reader reader(object, kind_of<R>, "");
  fields(reader, out.emplace<R>());
  return true;
}

template <class... R>
Record read_any(const json& object, const std::string& kind, std::variant<R...>*) {
  Record record;
  if ((read_as<R>(object, kind, record) || ...)) return record;
  base::refuse(base::Exit::environment, "unknown record kind \"", kind, "\"; known are ",
               base::join({std::string(kind_of<R>)...}, ", "));
}

}  // namespace

bool bound_by_host(const RowRecord& row) {
  constexpr double most_of_it = 0.8, hidden_ms = 0.1;
  return row.host_share && *row.host_share >= most_of_it && row.median_ms >= hidden_ms;
}

nlohmann::json to_json(const Record& record) {
  return std::visit(
      [](const auto& r) {
        json object{{"kind", kind_of<std::remove_cvref_t<decltype(r)>>}};
        Writer writer(object);
        fields(writer, r);
        return object;
      },
      record);
}

Record record_from_json(const nlohmann::json& object) {
  if (!object.is_object())
    base::refuse(base::Exit::environment, "a record must be a JSON object, got ",
                 object.type_name());
  const auto kind = object.find("kind");
  if (kind == object.end() || !kind->is_string())
    base::refuse(base::Exit::environment, "a record must have a field \"kind\" that is a text");
  return read_any(object, kind->get_ref<const std::string&>(), static_cast<Record*>(nullptr));
}

std::string to_line(const Record& record) {
  return to_json(record).dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

Record record_from_line(std::string_view line) {
  const json object = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (object.is_discarded())
    base::refuse(base::Exit::environment, "not JSON: ", line.substr(0, 40));
  return record_from_json(object);
}

}  // namespace aisp::lab
