// The only file that includes valijson, which takes several seconds to compile.
#include "lab/record/schema.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#define VALIJSON_USE_EXCEPTIONS 1
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "base/refuse.hpp"

namespace aisp::lab {
namespace {

// valijson says where as {"<root>", "[entries]", "[x]"}.
std::string pointer(const std::vector<std::string>& context) {
  std::string path;
  for (const auto& step : context) {
    const bool bracketed = step.size() >= 2 && step.front() == '[' && step.back() == ']';
    if (bracketed) path += "/" + step.substr(1, step.size() - 2);
  }
  return path.empty() ? "/" : path;
}

}  // namespace

std::vector<std::string> schema_violations(std::string_view schema,
                                           const nlohmann::json& document) {
  const auto rules = nlohmann::json::parse(schema);
  valijson::Schema compiled;
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(rules), compiled);

  valijson::Validator validator;
  valijson::ValidationResults results;
  const valijson::adapters::NlohmannJsonAdapter subject(document);
  if (validator.validate(compiled, subject, &results)) return {};

  std::vector<valijson::ValidationResults::Error> errors(results.begin(), results.end());
  std::stable_sort(errors.begin(), errors.end(), [](const auto& a, const auto& b) {
    return a.context.size() > b.context.size();
  });
  std::vector<std::string> lines;
  for (const auto& error : errors)
    lines.push_back(base::say(pointer(error.context), ": ", error.description));
  return lines;
}

}  // namespace aisp::lab
