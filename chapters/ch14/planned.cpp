// What chapter 14 will hold beside the targets in this folder.
#include "lab/case/planned.hpp"

using namespace aisp;

namespace {

const lab::PlannedEntry model_eager{{.chapter = "ch14",
                                     .name = "model_eager",
                                     .idea = "a transformer's forward pass: a kernel per operator, "
                                             "then traced, fused, compiled and replayed",
                                     .aliases = {"transformer"},
                                     .waits = "waits for the graph compiler"}};

const lab::PlannedEntry large_model{
    {.chapter = "ch14",
     .name = "large_model",
     .idea = "modes of compiling a large model, and guards that recompile only for a new fact",
     .aliases = {"torch_compile_large_model", "compiler_examples"},
     .waits = "waits for the graph compiler"}};

const lab::PlannedEntry training_step{{.chapter = "ch14",
                                       .name = "training_step",
                                       .idea = "forward, backward and AdamW: one kernel per "
                                               "operator, then compiled with one optimizer kernel",
                                       .aliases = {"training_large_model", "train"},
                                       .waits = "waits for the graph compiler"}};

const lab::PlannedEntry regional_compile{
    {.chapter = "ch14",
     .name = "regional_compile",
     .idea = "the repeated block of a deep model compiled once instead of once per layer",
     .aliases = {"regional_triton"},
     .waits = "waits for the graph compiler"}};

const lab::PlannedEntry library_vs_compiler{
    {.chapter = "ch14",
     .name = "library_vs_compiler",
     .idea = "a matrix product of the tile library against one from the run-time compiler",
     .aliases = {"cutlass", "triton_examples"},
     .waits = "waits for tile programs with matrix products"}};

const lab::PlannedEntry tile_program_tma{
    {.chapter = "ch14",
     .name = "tile_program_tma",
     .idea = "a matrix product as a tile program: pointers, then TMA, then warps with roles",
     .aliases = {"triton_tma_blackwell"},
     .waits = "waits for tile programs with matrix products"}};

const lab::PlannedEntry tile_program_fp8{
    {.chapter = "ch14",
     .name = "tile_program_fp8",
     .idea = "a product in e4m3 with a scale per block and sums in two levels, accuracy kept",
     .aliases = {"triton_fp8_advanced"},
     .waits = "waits for tile programs with matrix products"}};

}  // namespace
