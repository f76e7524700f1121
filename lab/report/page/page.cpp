#include "lab/report/page/page.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

namespace aisp::embedded {
extern const std::string_view report_html;
}

namespace aisp::lab {
namespace {

// "<" is the letter that everything begins with which HTML could take for its own; JSON has another
// spelling for it.
std::string without_markup(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char letter : json) {
    if (letter == '<')
      safe += "\\u003c";
    else
      safe += letter;
  }
  return safe;
}

}  // namespace

std::string report_page(const nlohmann::json& document) {
  constexpr std::string_view place = "{{data}}";
  const std::string_view page = embedded::report_html;
  const auto at = page.find(place);
  if (at == std::string_view::npos) throw std::logic_error("page.html has no place for the data");
  std::string text(page.substr(0, at));
  text += without_markup(document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  text += page.substr(at + place.size());
  return text;
}

}  // namespace aisp::lab
