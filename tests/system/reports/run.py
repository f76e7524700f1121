"""What `aisp sim` and `aisp check` say about small programs, word by word where users act on the words.

    run.py AISP FOLDER [unittest arguments]

FOLDER holds the programs report_<name>, each made of <name>.cu beside this file.
"""

import importlib
import pathlib
import sys
import unittest

if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    here = pathlib.Path(__file__).resolve().parent
    sys.path.insert(0, str(here))
    import program

    program.AISP, program.FOLDER = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    suite = unittest.TestSuite()
    names = sys.argv[3:] or sorted(file.stem for file in here.glob("*_test.py"))
    for name in names:
        module, _, one = name.partition(".")
        loaded = importlib.import_module(module)
        suite.addTests(unittest.defaultTestLoader.loadTestsFromName(one, loaded) if one
                       else unittest.defaultTestLoader.loadTestsFromModule(loaded))
    sys.exit(not unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful())
