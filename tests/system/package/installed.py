"""What the tests of the installed package share: it is put into a fresh folder and used from there, as somebody else's
project does."""

import pathlib
import re
import subprocess
import sys


def run(*words, codes=(0,), folder=None, environment=None):
    """Standard output; ends the test when the exit code is none of `codes`."""
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=folder, env=environment)
    if result.returncode not in codes:
        sys.exit(f"{' '.join(map(str, words))}: exit code {result.returncode}, wanted {codes}\n"
                 f"{result.stdout}{result.stderr}")
    return result.stdout


def install(cmake, build, scratch):
    prefix = scratch / "prefix"
    run(cmake, "--install", build, "--prefix", prefix)
    return prefix


def build_project(cmake, nvcc, prefix, source, build):
    """Configured against the installed package and no other."""
    run(cmake, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CUDA_COMPILER={nvcc}",
        "-DCMAKE_BUILD_TYPE=Release")
    cache = (build / "CMakeCache.txt").read_text()
    found = re.search(r"^aisp_DIR:PATH=(.*)$", cache, re.MULTILINE).group(1)
    if pathlib.Path(found) != prefix / "lib/cmake/aisp":
        sys.exit(f"{source.name} found the package of {found}")
    run(cmake, "--build", build)


LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def installed_documents(source):
    """What of docs/ and examples/ is installed, as paths below share/doc/aisp."""
    docs = [path.relative_to(source / "docs") for path in (source / "docs").rglob("*") if path.is_file()]
    examples = [path.relative_to(source) for path in (source / "examples").rglob("*") if path.is_file()]
    return {str(path) for path in docs + examples if not any(part.startswith("build") for part in path.parts)}


def links_of(page):
    """Targets of the links that lead to no other machine, without anchors."""
    targets = [link.split("#")[0] for link in LINK.findall(FENCE.sub("", page.read_text()))]
    return [target for target in targets if target and not re.match(r"[a-z]+:", target)]


def check_pages(folder, source):
    """Every document is there, every link of a page leads to a file that is there, and no link to such a file was lost."""
    missing = sorted(name for name in installed_documents(source) if not (folder / name).is_file())
    if missing:
        sys.exit(f"{folder} lacks {missing}")
    for page in sorted((source / "docs").rglob("*.md")):
        name = page.relative_to(source / "docs")
        installed = folder / name
        for target in links_of(installed):
            if not (installed.parent / target).exists():
                sys.exit(f"{name} links to {target}, which is not installed")
        kept = [target for target in links_of(page) if any(
            (page.parent / target).resolve().is_relative_to(source / part) for part in ("docs", "examples"))]
        if len(links_of(installed)) != len(kept):
            sys.exit(f"{name} should keep the links {kept}; it has {links_of(installed)}")
