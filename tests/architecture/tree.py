"""What the architecture tests share: the files of the tree, and how a test proves that it can fail."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CPP = {".cpp", ".hpp", ".cu", ".cuh"}
NOT_OURS = {".git", ".cache", "runs", "shared"}


def files(root):
    """Every file that is or could be tracked, as paths relative to root."""
    listing = subprocess.run(
        ["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"],
        capture_output=True, text=True)
    if listing.returncode == 0 and (root / ".git").exists():
        names = [pathlib.Path(name) for name in listing.stdout.split("\0") if name]
    else:
        names = [path.relative_to(root) for path in root.rglob("*")]
        names = [name for name in names
                 if not NOT_OURS & set(name.parts) and not (root / name.parts[0] / "CMakeCache.txt").exists()]
    return sorted(name for name in names if (root / name).is_file())


def plant(root, contents):
    """Writes {path: text} under root."""
    for name, text in contents.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def expect(found, wanted, what):
    """A planted tree must give exactly these complaints."""
    if found != wanted:
        sys.exit(f"self-test, {what}:\n  wanted {wanted}\n  found  {found}")


def main(check, self_test, options=lambda parser: None):
    """check(root, arguments) returns the complaints; self_test(plant_in_a_fresh_folder) exits on failure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--self-test", action="store_true", help="feed the check planted violations")
    options(parser)
    arguments = parser.parse_args()
    if arguments.self_test:
        def check_planted(contents):
            with tempfile.TemporaryDirectory() as folder:
                plant(pathlib.Path(folder), contents)
                return check(pathlib.Path(folder), arguments)
        self_test(check_planted)
        return
    complaints = check(ROOT, arguments)
    for complaint in complaints:
        print(complaint)
    sys.exit(1 if complaints else 0)
