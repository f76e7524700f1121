// Links PTX texts as nvlink and the driver do, into one text: what every other part of the
// simulator reads, reports lines of and decodes. Used for relocatable device code and for cuLink.
#pragma once

#include <string>
#include <vector>

namespace aisp::sim::ptx {

// One text of a link; `label` names it in the linked text.
struct LinkUnit {
  std::string text, label;
};

// Names without .visible, .weak, .extern or .common stay apart where two units have the same. Of
// several .weak or .common definitions one is kept: a strong one where there is one, the largest
// common one. Files of .loc are renumbered. The result has the newest version and target of all
// units. Two strong definitions of one name are left for the decoder, which names them. Throws
// Refused for text that cannot be read.
std::string link(std::vector<LinkUnit> units);

}  // namespace aisp::sim::ptx
