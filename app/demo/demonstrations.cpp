// What the demonstrations say before their numbers.
#include "app/demo/demo_report.hpp"

namespace aisp::app {

const std::vector<Demonstration>& all_demonstrations() {
  static const std::vector<Demonstration> all{{.chapter = "ch10",
                                               .target = "ch10:double_buffered_pipeline",
                                               .title = "Memory pipeline",
                                               .words = {R"(
A matrix product works on tiles: a tile is brought from memory into a buffer close to the
arithmetic, multiplied, and replaced by the next one. With one buffer the two take turns: while a
tile travels nothing is multiplied, and while one is multiplied nothing travels. With two buffers
the next tile travels while this one is multiplied.)",
                                                         R"(
All rungs below compute the same product with the same tile, and every element is checked; only the
buffers, and who brings the tiles, change.)"}},
                                              {.chapter = "ch10",
                                               .target = "ch10:gpudirect_storage",
                                               .title = "Storage overlap",
                                               .words = {R"(
The same idea one level further out: the batches of a training loop come from a file. To read all,
then copy, then multiply makes the device wait for the disk. Batch by batch, one is read while the
one before it is copied and the one before that multiplied. Past the page cache the disk puts the bytes where the device can
fetch them, and with cuFile, where a machine has it, into the device's own memory.)",
                                                         R"(
Every run starts with the file out of the page cache, so that it comes from the disk. What to
compare with is reading alone, the way dd does, in blocks of 1 MiB, one after the other.)"},
                                               .of_a_disk = true}};
  return all;
}

}  // namespace aisp::app
