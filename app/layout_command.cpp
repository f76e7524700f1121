#include "app/layout_command.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "app/layout_banks.hpp"
#include "base/refuse.hpp"
#include "base/temporary_file.hpp"
#include "base/text.hpp"
#include "lab/run/plan/rung_choice.hpp"
#include "tile/layout/print.hpp"
#include "tile/layout/query.hpp"

namespace aisp::app {
namespace {

constexpr int most_cells = 1 << 14;  // what still can be looked at

const std::vector<std::string> options = {"--compose",    "--divide",  "--product",
                                          "--complement", "--inverse", "--tv",
                                          "--svg",        "--banks",   "--element"};

struct Drawing {
  tile::Swizzled layout;
  std::optional<tile::Shape> owners;  // the tile of a thread-value layout
  std::string svg_file;
  bool banks = false;
  std::optional<tile::Element> element;
};

const tile::Layout& plain(const tile::Swizzled& composed, const std::string& option) {
  if (composed.swizzle.bits != 0 || composed.offset != 0)
    base::refuse(base::Exit::usage, "layout ", option, " needs a layout without a swizzle, not ",
                 to_text(composed));
  return composed.layout;
}

int parse_extent(const std::string& word) {
  const std::optional<std::int64_t> extent = base::parse_integer(word);
  if (!extent || *extent < 1 || *extent > tile::max_int)
    base::refuse(base::Exit::usage, "layout --complement needs a number of 1 to ", tile::max_int,
                 ", not '", word, "'");
  return static_cast<int>(*extent);
}

// A shape is a tile, mode by mode: (tile, rest). A layout names the indices that a tile takes.
tile::Layout divided(const tile::Layout& layout, const std::string& tiler) {
  if (tiler.find(':') != std::string::npos)
    return tile::logical_divide(layout, tile::parse_layout(tiler));
  const tile::Shape tile = tile::parse_layout(tiler).shape;
  return tile::zipped_divide(layout, tile);
}

void apply(Drawing& drawing, const std::string& option, const std::string& value) {
  tile::Swizzled& layout = drawing.layout;
  if (option == "--banks") {
    drawing.banks = true;
  } else if (option == "--element") {
    drawing.element = element_named(value);
  } else if (option == "--svg") {
    drawing.svg_file = value;
  } else if (option == "--tv") {
    drawing.owners = tile::parse_layout(value).shape;
  } else if (option == "--compose") {
    layout = tile::compose(layout, tile::parse_layout(value));
  } else if (option == "--divide") {
    layout.layout = divided(plain(layout, option), value);
  } else if (option == "--product") {
    layout.layout = tile::logical_product(plain(layout, option), tile::parse_layout(value));
  } else if (option == "--complement") {
    layout.layout = tile::complement(plain(layout, option), parse_extent(value));
  } else {
    layout.layout = tile::left_inverse(plain(layout, option));
  }
}

void require_known(const std::string& option) {
  if (std::find(options.begin(), options.end(), option) != options.end()) return;
  lab::refuse_option("layout", option, options);
}

struct Operation {
  std::string option, value;
};

Drawing read(const std::vector<std::string>& words) {
  std::optional<std::string> layout;
  std::vector<Operation> operations;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (!words[at].starts_with("-")) {
      if (layout)
        base::refuse(base::Exit::usage, "layout takes one, not '", *layout, "' and '", words[at],
                     "'");
      layout = words[at];
      continue;
    }
    Operation& operation = operations.emplace_back(Operation{words[at], ""});
    require_known(operation.option);
    if (operation.option == "--inverse" || operation.option == "--banks") continue;
    if (++at == words.size())
      base::refuse(base::Exit::usage, "layout ", operation.option, " needs a value after it");
    operation.value = words[at];
  }
  if (!layout)
    base::refuse(base::Exit::usage, "layout needs one, for example '(4,(2,2)):(2,(1,8))'");
  Drawing drawing{.layout = tile::parse_swizzled(*layout)};
  for (const auto& [option, value] : operations) apply(drawing, option, value);
  if (drawing.banks != drawing.element.has_value())
    base::refuse(base::Exit::usage, "layout ", drawing.banks ? "--banks" : "--element", " needs ",
                 drawing.banks ? "--element, such as --element bf16" : "--banks",
                 ": how many bytes an offset counts decides about banks");
  if (drawing.banks && drawing.owners)
    base::refuse(base::Exit::usage,
                 "layout --banks looks at a tile in memory, --tv at its owners; give one of them");
  return drawing;
}

void describe(const tile::Swizzled& composed, std::ostream& out) {
  const tile::Layout& layout = composed.layout;
  const bool swizzled = composed.swizzle.bits != 0 || composed.offset != 0;
  out << to_text(composed) << "\n"
      << "rank " << rank(layout) << ", size " << size(layout) << ", cosize " << cosize(composed)
      << (tile::is_injective(layout) ? ", one to one" : ", several indices share an offset");
  if (!swizzled) {
    out << (tile::covers(layout, cosize(layout)) ? ", no holes" : ", with holes") << ", coalesced "
        << to_text(tile::coalesce(layout));
  }
  out << "\n\n";
}

void write_svg(const std::string& name, const std::string& svg) {
  if (const auto problem = base::replace_file(name, svg); !problem.empty())
    base::refuse(base::Exit::environment, "layout cannot write '", name, "': ", problem,
                 "; give --svg a file in a folder that can be written");
}

}  // namespace

int layout_command(const std::vector<std::string>& words, std::ostream& out) {
  try {
    const Drawing drawing = read(words);
    const int cells = drawing.owners ? size(*drawing.owners) : size(drawing.layout);
    if (cells > most_cells)
      base::refuse(base::Exit::usage, "layout draws at most ", most_cells, " cells, and ",
                   to_text(drawing.layout), " has ", cells);
    const tile::Grid grid = drawing.owners
                                ? tile::owners_of(plain(drawing.layout, "--tv"), *drawing.owners)
                                : tile::grid_of(drawing.layout);
    if (!drawing.svg_file.empty())
      write_svg(drawing.svg_file, to_svg(grid, to_text(drawing.layout)));
    describe(drawing.layout, out);
    out << to_text(grid);
    if (drawing.banks) out << "\n" << bank_report(drawing.layout, *drawing.element);
    return static_cast<int>(base::Exit::good);
  } catch (const tile::TextError& error) {
    base::refuse(base::Exit::usage, "layout ", error.what());
  } catch (const tile::Refused& refused) {
    base::refuse(base::Exit::usage, "layout: ", refused.what());
  }
}

}  // namespace aisp::app
