"""The committed page is the one that its sources give: lab/report/page/web/build.mjs writes their digest into it."""

import hashlib
import pathlib
import re
import sys

web = pathlib.Path(sys.argv[1]) / "lab/report/page/web"
names = ["build.mjs", "package.json", "package-lock.json", *("source/" + file.name for file in sorted((web / "source").iterdir()))]
wanted = hashlib.sha256("\n".join(name + "\n" + (web / name).read_text() for name in names).encode()).hexdigest()
page = (web.parent / "page.html").read_text()
found = re.search(r'name="aisp-page" content="([0-9a-f]+)"', page).group(1)
if found != wanted:
    sys.exit("lab/report/page/page.html is older than its sources: run 'npm ci && npm run build' in lab/report/page/web")
if len(page) > 1_500_000:
    sys.exit(f"the page has {len(page)} bytes without data, the most is 1500000")
if re.search(r'(src|href)="https?://', page):
    sys.exit("the page asks for something outside of it")
