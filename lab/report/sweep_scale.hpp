// Where a value lies on an axis of a picture, and which values have a tick.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace aisp::lab {

class Scale {
 public:
  // From `low` at pixel `from` to `high` at pixel `to`; logarithmic ones need positive values. An
  // axis without extent has all its values in the middle.
  Scale(double low, double high, double from, double to, bool logarithmic)
      : low_(low), high_(high), from_(from), to_(to), logarithmic_(logarithmic) {}

  double at(double value) const;

 private:
  double low_, high_, from_, to_;
  bool logarithmic_;
};

// Ticks of a logarithmic axis: powers of ten, with 2 and 5 between them where they would be fewer
// than three.
std::vector<double> log_ticks(double low, double high);

// Which of the swept values are written under the axis: all, or about `most` of them, evenly
// chosen, always with the first.
std::vector<std::int64_t> labelled(const std::vector<std::int64_t>& values, std::size_t most);

// Milliseconds without needless digits: "20 us", "1.5 ms".
std::string short_duration(double milliseconds);

}  // namespace aisp::lab
