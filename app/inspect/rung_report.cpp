#include "app/inspect/rung_report.hpp"

#include <algorithm>
#include <functional>

#include "app/inspect/device_code.hpp"
#include "app/inspect/disassembler.hpp"
#include "app/inspect/numbered_files.hpp"
#include "app/inspect/resources.hpp"
#include "app/inspect/stage.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/cli/expectation_places.hpp"
#include "lab/profile/demangle.hpp"
#include "lab/record/file.hpp"

namespace aisp::app {
namespace {

namespace fs = std::filesystem;

std::string lines_in(const std::string& text) {
  const auto count = std::count(text.begin(), text.end(), '\n') + (text.ends_with('\n') ? 0 : 1);
  return base::say(count, count == 1 ? " line" : " lines");
}

std::string file_stem(const std::string& kernel) { return lab::short_name(lab::readable(kernel)); }

class Inspection {
 public:
  Inspection(lab::Device& device, const lab::Target& target, const lab::Rung& rung,
             const lab::Problem& problem, const InspectOptions& options, std::ostream& out,
             const std::function<void()>& on_run)
      : device_(device),
        target_(target),
        rung_(rung),
        problem_(problem),
        options_(options),
        out_(out),
        on_run_(on_run),
        files_(options.out / (target.chapter + "_" + target.name) / rung.name) {}

  RungReport run() {
    const std::string size = problem_.size.label();
    out_ << target_.id() << '/' << rung_.name << (size.empty() ? "" : ", " + size) << ", on "
         << device_.info().name << '\n';
    launch();
    show(What::ir, "a rung that is compiled by nvcc has none that it shows");
    show(What::passes, "a rung that is compiled by nvcc has none that it shows");
    if (options_.wants(What::source)) source();
    show(What::source, "");
    if (options_.wants(What::ptx)) ptx();
    show(What::ptx, "");
    if (options_.wants(What::sass)) machine_code();
    if (options_.wants(What::resources)) resources();
    if (options_.wants(What::graph)) graph();
    if (options_.wants(What::memory) && stage_) memory();
    show(What::log, "nvcc wrote its own when the program was built");
    out_ << "  " << files_.count() << (files_.count() == 1 ? " file" : " files") << " in "
         << files_.folder().string() << '\n';
    report_.files = files_.count();
    return report_;
  }

 private:
  // Everything that needs the rung's work; what it cannot do here is kept as a line.
  void launch() {
    const auto& info = device_.info();
    if (rung_.needs == lab::Needs::host) {
      report_.refused = "it runs on the host and launches nothing";
    } else if (!lab::runs_on(rung_.needs, info.major, info.minor)) {
      report_.refused =
          base::say("needs ", lab::name_of(rung_.needs), ", this is sm_", info.major, info.minor);
    } else {
      try {
        stage_.emplace(device_, problem_, rung_);
        stage_->on_run(on_run_);
        launches_ = stage_->launches();
        exhibits_ = stage_->exhibits();
      } catch (const base::Refusal& refusal) {
        report_.refused = refusal.what();
      } catch (const std::exception& error) {
        report_.failed = error.what();
      }
    }
    if (!report_.refused.empty()) out_ << "  not launched: " << report_.refused << '\n';
    if (!report_.failed.empty()) out_ << "  failed: " << report_.failed << '\n';
    if (stage_ && !stage_->told().empty()) out_ << "  note: " << stage_->told() << '\n';
    launched_ = report_.refused.empty() && report_.failed.empty();
    if (!launched_) return;
    const DeviceCode code(info.major, info.minor);
    for (const auto& kernel : launches_.kernels) code_.push_back(code.find(kernel.name));
  }

  void line(const fs::path& file, const std::string& words) {
    out_ << "  " << file.filename().string() << "  " << words << '\n';
  }
  void missing(What what, const std::string& why) {
    out_ << "  " << lab::name_of(what) << ": " << why << '\n';
  }
  void write(What what, const std::string& name, const std::string& text,
             const std::string& words) {
    line(files_.write(std::string(lab::name_of(what)), name, text),
         lines_in(text) + (words.empty() ? "" : ", " + words));
  }

  // What the rung shows of itself.
  void show(What what, const std::string& why_none) {
    if (!options_.wants(what)) return;
    bool any = false;
    for (const auto& exhibit : exhibits_) {
      if (exhibit.what != lab::name_of(what) || exhibit.name.ends_with(".cubin")) continue;
      any = true;
      write(what, exhibit.name, exhibit.text, "");
      for (const auto& said : exhibit.said) out_ << "    " << said << '\n';
    }
    if (!any && !why_none.empty() && options_.asked_for(what)) missing(what, "none: " + why_none);
  }

  void source() {
    const fs::path file = rung_file(target_, rung_);
    if (rung_.peer)
      return missing(What::source,
                     "a peer's own, " + (rung_.library.empty() ? "its library's" : rung_.library));
    if (file.empty())
      return missing(What::source,
                     base::say("no file of ", target_.id(), '/', rung_.name, " below ",
                               lab::expectations_folder(target_.chapter).string(),
                               ": it is made of a library, or the sources are not here; "
                               "AISP_CHAPTERS names the folder of the chapters"));
    write(What::source, file.filename().string(), lab::read_whole(file), file.string());
  }

  bool exhibited(const std::string& kernel) const {
    return std::any_of(exhibits_.begin(), exhibits_.end(), [&](const lab::Exhibit& exhibit) {
      if (exhibit.what != lab::name_of(What::ptx)) return false;
      const auto kernels = kernels_in(exhibit.text);
      return std::any_of(kernels.begin(), kernels.end(), [&](const std::string& one) {
        return one == kernel || lab::readable(one) == kernel;
      });
    });
  }

  void ptx() {
    if (!launched_) return;
    for (std::size_t at = 0; at < code_.size(); ++at) {
      const std::string& kernel = launches_.kernels[at].name;
      if (code_[at])
        write(What::ptx, file_stem(kernel) + ".ptx", code_[at]->ptx,
              base::say("for ", code_[at]->target, ", out of ", code_[at]->file));
      else if (!exhibited(kernel))
        missing(What::ptx, base::say(lab::readable(kernel),
                                     ": its code is not in this program but in a library"));
    }
    if (code_.empty()) missing(What::ptx, "no kernel was launched");
  }

  void disassembled(const std::string& cubin, const std::string& kernel, const std::string& stem) {
    const fs::path file = files_.write("sass", stem + ".cubin", cubin);
    line(file, base::say(cubin.size(), " bytes of machine code"));
    const Disassembly made = disassemble(file, kernel);
    if (!made.problem.empty()) return missing(What::sass, made.problem);
    write(What::sass, stem + ".sass", made.text, "by " + made.by);
  }

  void machine_code() {
    if (!launched_) return;
    bool without = false;
    for (std::size_t at = 0; at < code_.size(); ++at) {
      if (!code_[at]) continue;
      without = without || code_[at]->machine_code.empty();
      if (!code_[at]->machine_code.empty())
        disassembled(code_[at]->machine_code, code_[at]->name, file_stem(code_[at]->name));
    }
    if (without)
      missing(What::sass,
              base::say("none for sm_", device_.info().major, device_.info().minor,
                        " in this program: it was built with PTX alone (AISP_MACHINE_CODE=OFF)"));
    for (const auto& exhibit : exhibits_)
      if (exhibit.what == lab::name_of(What::sass) && exhibit.name.ends_with(".cubin"))
        disassembled(exhibit.text, "", fs::path(exhibit.name).stem().string());
    show(What::sass, "");
  }

  void resources() {
    if (!launched_) return;
    std::string text;
    bool machine_code = false;
    for (std::size_t at = 0; at < code_.size(); ++at) {
      text += resource_line(launches_.kernels[at], code_[at]) + '\n';
      machine_code = machine_code || (code_[at] && !code_[at]->machine_code.empty());
    }
    if (text.empty()) return missing(What::resources, "no kernel was launched");
    const std::string source =
        resource_source(device_.info().simulated, device_.info().name, machine_code);
    const fs::path file = files_.write("resources", ".txt", source + "\n\n" + text);
    line(file, source);
    for (const auto& one : base::split(text, '\n'))
      if (!one.empty()) out_ << "    " << one << '\n';
    show(What::resources, "");
  }

  void graph() {
    if (!launched_) return;
    line(files_.write("graph", ".txt", launches_.text()),
         launches_.summary() + (launches_.captured ? "" : "; no graph: " + launches_.why_not));
    show(What::graph, "");
  }

  void memory() {
    write(What::memory, ".txt", stage_->memory(), "");
    show(What::memory, "");
  }

  lab::Device& device_;
  const lab::Target& target_;
  const lab::Rung& rung_;
  const lab::Problem& problem_;
  const InspectOptions& options_;
  std::ostream& out_;
  const std::function<void()>& on_run_;
  NumberedFiles files_;
  RungReport report_;
  bool launched_ = false;
  std::optional<Stage> stage_;
  Launches launches_;
  std::vector<lab::Exhibit> exhibits_;
  std::vector<std::optional<KernelCode>> code_;  // one for each of the launched kernels
};

}  // namespace

fs::path rung_file(const lab::Target& target, const lab::Rung& rung) {
  const fs::path folder = lab::expectations_folder(target.chapter) / target.name;
  for (const char* architecture : {"", "_sm80", "_sm90", "_sm90a", "_sm100a"})
    for (const char* extension : {".cu", ".cpp"}) {
      std::error_code none;
      const fs::path file = folder / (rung.name + architecture + extension);
      if (fs::is_regular_file(file, none)) return file;
    }
  return {};
}

RungReport inspect_rung(lab::Device& device, const lab::Target& target, const lab::Rung& rung,
                        const lab::Size& size, const InspectOptions& options, std::ostream& out,
                        const std::function<void()>& on_run) {
  const lab::Problem problem = target.problem(size);
  return Inspection(device, target, rung, problem, options, out, on_run).run();
}

}  // namespace aisp::app
