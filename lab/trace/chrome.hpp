// A trace in the Chrome trace event format, which ui.perfetto.dev and chrome://tracing open: one
// process per device with one track per stream, and one for the host.
// The schema is lab/trace/trace.schema.json.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lab/trace/trace.hpp"

namespace aisp::lab {

// Where things that overlap without one lying in the other get a track of their own: the kernels
// of a graph, or of programmatic launches, on one stream.
nlohmann::json chrome_trace(const Trace& trace, const std::string& title);

// "ch11-streams-f32_4096-two_streams.json": no letter of it means anything to a shell.
std::string trace_file_name(const std::string& target, const std::string& size,
                            const std::string& rung);

// Makes the folder too. Refuses where it cannot be written.
void write_chrome_trace(const std::filesystem::path& file, const Trace& trace,
                        const std::string& title);

}  // namespace aisp::lab
