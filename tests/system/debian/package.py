"""Makes the Debian package, installs it into an empty root, and checks programs there as on a machine without CUDA.

    package.py CPACK BUILD TOOLKIT PROGRAM PAIR RULE

PROGRAM PAIR bug has a planted hazard of RULE, PROGRAM PAIR fixed has none (tests/hazards). Where this process may mount,
TOOLKIT and the usual folders are hidden behind an empty one; else they are off PATH at least.
"""

import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "tests/system/package"))
from installed import check_pages, installed_documents  # noqa: E402

FILES = {"bin/aisp", "lib/aisp/sim/libcudart.so.13", "lib/aisp/sim/libcuda.so.1", "lib/aisp/sim/libcuda.so",
         "share/bash-completion/completions/aisp",
         "share/fish/vendor_completions.d/aisp.fish", "share/zsh/vendor-completions/_aisp",
         "share/doc/aisp/copyright", *(f"share/doc/aisp/{page}" for page in installed_documents(SOURCE))}
USUAL = ["/usr/local/cuda", "/opt/cuda", *glob.glob("/usr/local/cuda-*")]


def demand(condition, *what):
    if not condition:
        sys.exit(" ".join(str(word) for word in what))


def call(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    demand(done.returncode == 0, *words, f": exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def make_package(cpack, build, folder):
    call(cpack, "--config", pathlib.Path(build).resolve() / "CPackConfig.cmake", "-B", folder, cwd=folder)
    packages = list(folder.glob("*.deb"))
    demand(len(packages) == 1, "cpack made", packages)
    return packages[0]


def check_contents(package):
    names = [line.split()[5] for line in call("dpkg-deb", "-c", package).splitlines()]
    files = {name.removeprefix("./usr/") for name in names if not name.endswith("/")}
    demand(files == FILES, "the package lacks", sorted(FILES - files), "and has besides", sorted(files - FILES))


def check_control(package):
    fields = dict(line.split(": ", 1) for line in call("dpkg-deb", "-f", package).splitlines() if ": " in line)
    demand(fields["Package"] == "aisp" and fields["Section"] == "devel", fields)
    demand(fields["Architecture"] == call("dpkg", "--print-architecture").strip(), fields["Architecture"])
    depends = fields.get("Depends", "")
    demand("libc6" in depends, "depends on", depends or "nothing")
    demand(not re.search(r"cuda|nvidia|libnv", depends), "depends on", depends)


def install(package, root):
    database = root / "var/lib/dpkg"
    for name in ("info", "updates"):
        (database / name).mkdir(parents=True)
    (database / "status").touch()
    done = subprocess.run(["dpkg", f"--root={root}", "--force-not-root", "--force-depends", "-i", package],
                          capture_output=True, text=True)
    if done.returncode != 0:  # a root of its own is not everybody's
        call("dpkg-deb", "-x", package, root)
    return root / "usr"


def hiding(folders):
    """Words in front of a command that make the folders look empty, or none where that is not allowed."""
    there = sorted({os.path.realpath(folder) for folder in folders if os.path.isdir(folder)})
    script = "".join(f"mount -t tmpfs none '{folder}' && " for folder in there) + 'exec "$@"'
    for namespace in (["--mount"], ["--mount", "--map-root-user"]):
        words = ["unshare", *namespace, "--", "sh", "-c", script, "sh"]
        try:
            if subprocess.run([*words, "true"], capture_output=True).returncode == 0:
                return words
        except FileNotFoundError:
            break
    return None


class Machine:
    """Where the package is installed, and as much of a machine without a toolkit as this one can be."""

    def __init__(self, prefix, home, toolkit):
        self.aisp = prefix / "bin/aisp"
        self.hidden = hiding([toolkit, *USUAL])
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "AISP_HOME": str(home)}
        print("the toolkit is", "hidden" if self.hidden else "off PATH only: this process may not mount")

    def run(self, *words, exit=0, **environment):  # None: any exit code
        done = subprocess.run([*(self.hidden or []), self.aisp, *map(str, words)], capture_output=True, text=True,
                              env={**self.environment, **environment}, cwd=self.environment["HOME"])
        demand(exit in (done.returncode, None), "aisp", *words, f": exit code {done.returncode}, not {exit}\n"
               f"{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def refuses(self, line, *words, **environment):
        said = self.run(*words, exit=4, **environment)
        demand(said.startswith("aisp: ") and said.count("\n") == 1 and line in said,
               "aisp", *words, f"does not say '{line}' in one line:\n{said}")


def check_program(machine, program, pair, rule):
    demand(re.match(r"aisp \d+\.\d+\.\d+ ", machine.run("--version")), "no version")
    demand(machine.run("layout", "4:2").startswith("4:2\n"), "no layout")
    found = machine.run("check", "--", program, pair, "bug", exit=3)
    demand(rule in found, f"the planted {rule} was not named:\n{found}")
    machine.run("check", "--", program, pair, "fixed")
    demand(f"{pair} fixed: right" in machine.run("sim", "--device", "h200,sms=8", "--", program, pair, "fixed"), "wrong numbers")
    doctor = machine.run("doctor")
    demand("/lib/aisp/sim/libcudart.so.13" in doctor, doctor)
    demand(not machine.hidden or "no libcudart.so.13 of a CUDA toolkit" in doctor, doctor)


def check_chapters(machine):
    """Of a build that has them."""
    if not machine.hidden or '"ch09:memory_bound"' not in machine.run("bench", "list-targets", "--json", exit=None):
        return
    words = ("bench", "run", "--quick", "--validate", "--targets", "ch09:memory_bound", "--out", "runs")
    machine.refuses("no GPU to run on: no libcudart.so.13 of a CUDA toolkit was found", *words, "--device", "gpu")
    demand("(simulated), 108 SMs" in machine.run(*words, "--device", "sim:a100"), "no simulated A100")
    demand("(simulated), 132 SMs" in machine.run(*words), "no simulated H200")


def check_missing_simulator(machine, prefix, program, pair):
    folder = prefix / "lib/aisp/sim"
    folder.rename(folder.with_name("gone"))
    place = f"the simulator's library is not at {prefix}/lib/sim/libcudart.so.13 or {folder}/libcudart.so.13"
    for command in (["check", "--"], ["sim", "--"]):
        machine.refuses(place, *command, program, pair, "fixed")
    if machine.hidden:  # a module has to be linked with some runtime
        machine.refuses(place, "bench", "list-targets", "--load", program)
    machine.refuses("the simulator's library is not at /nowhere/x", "sim", "--", "true", AISP_SIM_LIBRARY="/nowhere/x")
    demand(machine.run("layout", "4:2").startswith("4:2\n"), "no layout without the simulator")
    demand("missing  simulator" in machine.run("doctor", exit=4), "the doctor does not miss the simulator")
    folder.with_name("gone").rename(folder)


def main():
    cpack, build, toolkit, program, pair, rule = sys.argv[1:]
    for tool in ("dpkg", "dpkg-deb", "dpkg-shlibdeps", "file"):
        if shutil.which(tool) is None:
            print(f"no {tool} on this machine: there are no Debian packages here")
            sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch).resolve()
        for name in ("package", "root", "home"):
            (folder / name).mkdir()
        package = make_package(cpack, build, folder / "package")
        check_contents(package)
        check_control(package)
        prefix = install(package, folder / "root")
        check_pages(prefix / "share/doc/aisp", SOURCE)
        machine = Machine(prefix, folder / "home", toolkit)
        check_program(machine, program, pair, rule)
        check_chapters(machine)
        check_missing_simulator(machine, prefix, program, pair)


main()
