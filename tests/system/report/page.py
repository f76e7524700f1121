"""The report page in a browser: opens from disk, every chart has the marks its data has, filters work, nothing is asked of
anybody, names stay text, thousands of rows do not hold it up. Usage: page.py AISP"""

import collections
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import browser
import made_up
from layout import BROKEN, CUT_OFF, SPLIT_NAMES

SKIPPED = 77
DRAW = "dispatchEvent(new Event('aisp-draw-all'))"
# Counts widths that are asked for once a chart has been drawn: each lays the whole page out anew.
COUNT_LAYOUTS = """(() => {
  let drawn = false;
  window.layouts = 0;
  const width = Object.getOwnPropertyDescriptor(Element.prototype, "clientWidth"), set = Element.prototype.setAttribute;
  Object.defineProperty(Element.prototype, "clientWidth", {...width, get() { window.layouts += drawn; return width.get.call(this); }});
  Element.prototype.setAttribute = function (name, value) { drawn ||= name === "data-drawn"; return set.call(this, name, value); };
})()"""


def expect(found, wanted, what):
    if found != wanted:
        sys.exit(f"{what}: wanted {wanted!r}, found {found!r}")


def aisp(program, folder, *words):
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True)
    expect((done.returncode, done.stderr), (0, ""), "aisp " + " ".join(words))
    return done.stdout.strip().splitlines()


def document(path):
    """What the program wrote into the page, read without a browser."""
    text = pathlib.Path(path).read_text()
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL).group(1)
    expect("<" in data, False, "an unescaped < in the data")
    return json.loads(data)


def marks(page, chart, mark):
    """How many marks of a class each drawn chart of a kind has, in the order of the page."""
    return page.evaluate(f"[...document.querySelectorAll('figure[data-chart={chart}]')].map(f => f.querySelectorAll('.mark-{mark} > *').length)")


def open_page(page, path):
    page.open(pathlib.Path(path).resolve().as_uri())


def quiet(page, path, what):
    expect(page.complaints(), [], what + ": complaints of the browser")
    expect(page.requests(), [pathlib.Path(path).resolve().as_uri()], what + ": requests")


def timed(rows):
    return [row for row in rows if row.get("samples")]


def first_entries(data):
    """The entry that each target's chart shows at first."""
    shown = {}
    for place, entry in enumerate(data["entries"]):
        rows = timed(row for row in data["rows"] if row["entry"] == place)
        if rows:
            shown.setdefault((entry["target"], data["runs"][entry["run"]]["device"]), rows)
    return list(shown.values())


def check_everything(page, path):
    data = document(path)
    open_page(page, path)
    page.evaluate(DRAW)
    ladders = first_entries(data)
    expect(marks(page, "ladder", "rung"), [len(rows) for rows in ladders], "bars of the ladders")
    expect(marks(page, "ladder", "interval"), [len(rows) for rows in ladders], "intervals of the ladders")
    expect(marks(page, "distribution", "sample"), [sum(len(row["samples"]) for row in rows) for rows in ladders], "samples")
    points = {}
    for row in timed(data["rows"]):
        entry = data["entries"][row["entry"]]
        device = data["runs"][entry["run"]]["device"]
        if not data["devices"][device]["simulated"]:
            points[(entry["chapter"], device)] = points.get((entry["chapter"], device), 0) + 1
    expect(marks(page, "roofline", "point"), list(points.values()), "points of the rooflines")
    expect(set(marks(page, "roofline", "roof")), {3}, "roofs of the rooflines")
    expect(marks(page, "sweep", "point"), [len(sweep["rows"]) for sweep in data["sweeps"]], "points of the sweep")
    changes = [sum(1 for row in sweep["rows"] if row["before"]) for sweep in data["sweeps"]]
    expect(marks(page, "sweep", "bound"), changes, "where another bound begins")
    panels = [panel for sweep in data["sweeps"] for panel in collections.Counter(row["rung"] + row["panel"] for row in sweep["rows"] if "y" in row).values()]
    expect(bool(panels), True, "panels of the sweep over two axes")
    expect(sorted(marks(page, "heat", "cell")), sorted(panels), "cells of the heat maps")
    expect(marks(page, "heat", "best"), [1] * len(panels), "the fastest cell of each heat map")
    expect(changes, [4], "bounds that change")
    expect(page.evaluate("document.querySelector('.timeline').closest('figure').querySelector('figcaption').textContent").startswith("ch10:matmul bf16 1024x1024x1024 pipelined"), True,
           "the timeline with the most overlap comes first")
    expect(page.evaluate("document.querySelectorAll('.timeline .mark-span > rect').length"), 3, "intervals of the timeline")
    expect(page.evaluate("document.querySelectorAll('.timeline .gap').length"), 1, "gaps of the timeline")
    expect(marks(page, "stalls", "stall"), [3], "stalls")
    expect(marks(page, "pipes", "pipe"), [2], "pipes")
    expect(marks(page, "hierarchy", "point"), [3], "levels of the hierarchical roofline")
    history = [line for line in data["history"] if line["entry"].startswith("ch10:matmul/bf16 1024") and line["hardware"] == "h200"]
    expect(marks(page, "history", "run"), [sum(len(line["points"]) for line in history)], "points of the history")
    expect(marks(page, "history", "regression"), [len(made_up.LADDER)], "regressions: all rungs of the slow run")
    expect(page.evaluate("document.querySelectorAll('[data-finding]').length"), 1, "findings")
    expect(page.evaluate("[...document.querySelectorAll('[data-finding] .place code')].map(c => c.textContent).filter(t => t.includes('race.cu'))"),
           ["kernels/race.cu:17", "kernels/race.cu:23"], "both places of the finding")
    quiet(page, path, "everything")


def check_simulated(page, data):
    """Marked, in no chart with a measured one, and in no chart of times."""
    simulated = [place for place, entry in enumerate(data["entries"]) if data["devices"][data["runs"][entry["run"]]["device"]]["simulated"]]
    expect(len(simulated) > 0, True, "simulated entries")
    figures = page.evaluate("[...document.querySelectorAll('figure[data-chart]')].map(f => [f.dataset.chart, f.hasAttribute('data-simulated'), f.querySelector('.chip.simulated') !== null])")
    expect(collections.Counter(kind for kind, marked, _ in figures if marked), {"counts": 2}, "charts marked as simulated")
    expect(all(marked == chip for _, marked, chip in figures), True, "the mark can be read")
    expect([kind for kind, marked, _ in figures if kind == "counts" and not marked], [], "charts of counts that were not simulated")
    expect(page.evaluate("document.querySelectorAll('.banner').length"), 1, "the banner")


# Text of everything on the page that is shown, with what its tables leave for other pages of theirs.
SHOWN = "document.querySelector('#page').innerText"
TIME = re.compile(r"\d ?(ns|us|ms|s)\b")


def check_only_simulated(page, path):
    """No time that was estimated from counts, no samples, no speed-up; the count that shows the idea, or that none does."""
    data = document(path)
    open_page(page, path)
    page.evaluate(DRAW)
    sections = page.evaluate("[...document.querySelectorAll('main > section')].map(s => s.id)")
    expect(sections, ["overview", "ladders", "timelines", "environment"], "sections")
    expect([key for row in data["rows"] for key in ("samples", "median", "speedup", "verdict") if key in row], [], "times in the page's data")
    shown = page.evaluate(SHOWN) + page.evaluate("[...document.querySelectorAll('svg')].map(s => s.textContent).join('\\n')")
    expect(TIME.findall(shown), [], "times on a page of simulated runs")
    expect(re.findall(r"\d\.\d+x", shown), [], "speed-ups on a page of simulated runs")
    expect(marks(page, "counts", "rung"), [4, 2], "bars of counts")
    texts = page.evaluate("[...document.querySelectorAll('figure[data-chart=counts] svg text')].map(t => t.textContent)")
    expect([text for text in ("1.049 MB", "262.1 kB", "131.1 kB") if text not in texts], [], "counts beside the bars")
    ideas = column(page, "simulated", "the idea")
    expect(ideas, ["L2 bytes 1.049 MB", "L2 bytes 1.049 MB -> 262.1 kB", "L2 bytes 1.049 MB -> 262.1 kB", "L2 bytes 1.049 MB -> 131.1 kB",
                   "launches 8", "no count shows it (launches 8 -> 8)", "no count shows it", "no count shows it"], "ideas")
    nowhere = page.evaluate("[...document.querySelectorAll('[data-nowhere]')].map(p => p.textContent)")
    expect([("no count shows it: the latency of dependent instructions" in text) for text in nowhere], [True], "why no count shows an idea")
    expect("cp_async_ring" in page.evaluate("document.querySelector('.timeline').closest('figure').querySelector('figcaption').textContent"), True,
           "the timeline with the most overlap comes first")
    check_tables(page)
    quiet(page, path, "simulated runs")


def check_counts_table(page, path):
    """The count of the idea is the first one, and the names of rungs stay whole where there is room."""
    page.size(1200, 900)
    open_page(page, path)
    table = "document.querySelector('[data-target=\"ch09:micro_tiling_matmul\"] [data-table=counts]')"
    expect(page.evaluate(f"[...{table}.querySelectorAll('th')].map(th => th.textContent)")[:5], ["rung", "the idea", "check", "L2 bytes", "launches"], "columns of the counts")
    hidden = f"{table}.querySelectorAll('th')[3].getBoundingClientRect().right > {table}.querySelector('.scroll').getBoundingClientRect().right"
    expect(page.evaluate(hidden), False, "the count of the idea is behind a scroll at 1200 px")
    expect(page.evaluate("[...document.querySelectorAll('[data-table=counts] .scroll')].map(b => b.scrollWidth > b.clientWidth)"), [False] * 3, "nine counts scroll at 1200 px")
    expect(page.evaluate(SPLIT_NAMES), [], "names of rungs in several lines at 1200 px")


def check_sweep_without_count(page, path):
    """No section without a figure; the ladder says that no count shows it."""
    data = document(path)
    expect([bool(sweep.get("nowhere")) for sweep in data["sweeps"]], [True], "sweeps in the data")
    open_page(page, path)
    expect(page.evaluate("[...document.querySelectorAll('main > section')].map(s => s.id)"), ["overview", "ladders", "environment"], "sections")
    expect(page.evaluate("[...document.querySelectorAll('nav a')].map(a => a.textContent).includes('Sweeps')"), False, "a link to no section")
    expect("no count shows it" in page.evaluate(SHOWN), True, "why there is no figure")


def check_two_simulated(page, path):
    open_page(page, path)
    page.evaluate(DRAW)
    expect(page.evaluate("document.querySelectorAll('figure[data-chart=comparison]').length"), 0, "charts of estimated times")
    expect(column(page, "comparison", "change"), ["+50.0 %"] * 5, "changed counts")
    expect(set(column(page, "comparison", "verdict")), {"worse"}, "verdicts")
    expect(TIME.findall(page.evaluate(SHOWN)), [], "times in the comparison of simulated runs")


def column(page, table, name):
    """The cells of a table's column."""
    return page.evaluate(f"""(() => {{ const table = document.querySelector('[data-table={table}] table');
      const place = [...table.querySelectorAll('th')].findIndex(th => th.textContent.replace(/ [↑↓]$/, '') === {json.dumps(name)});
      return place < 0 ? null : [...table.querySelectorAll('tbody tr')].map(tr => tr.children[place].textContent.replaceAll('\\u00a0', ' ').replaceAll('\\u2060', '')); }})()""")


def check_tables(page):
    """No column is empty, and the overview has a check."""
    empty = page.evaluate("""[...document.querySelectorAll('[data-table] table')].flatMap(table => [...table.querySelectorAll('th')].map((th, place) => [th.textContent, place])
      .filter(([, place]) => [...table.querySelectorAll('tbody tr')].every(tr => tr.children[place].textContent === '')).map(([name]) => name))""")
    expect(empty, [], "empty columns")
    tables = [name for name in ("overview", "simulated") if page.evaluate(f"document.querySelector('[data-table={name}]') !== null")]
    expect(bool(tables) and all("1.7e-03" in (column(page, name, "check") or []) for name in tables), True, "the check columns")


def check_units(page, path, program, folder):
    """The same numbers in the same units as in the terminal."""
    open_page(page, path)
    history = aisp(program, folder, "history", "--out", "runs")
    names = re.split(r"  +", history[0])
    said = [dict(zip(names, re.split(r"  +", line))) for line in history[1:]]
    wanted = sorted((row["rung"], row["median"], row["speed-up"]) for row in said if row["run"] == "full" and row["entry"] == "ch10:matmul/bf16 1024x1024x1024")
    cells = zip(*(column(page, "overview", name) for name in ("target", "size", "rung", "median", "speed-up")))
    shown = sorted((rung.replace(" (peer)", ""), median, speedup) for target, size, rung, median, speedup in cells if (target, size) == ("ch10:matmul", "bf16 1024x1024x1024"))
    expect(shown, wanted, "cells of the overview and of the terminal")
    expect(len(wanted), len(made_up.LADDER), "rows of the terminal")


COMMAND = "document.querySelector('#ladders [data-target=\"ch10:matmul\"] .command code').textContent"


def check_command(page, path, program, folder):
    """The command under a ladder is that of the size and the variant that are shown, and runs these."""
    open_page(page, path)
    expect(page.evaluate(COMMAND), "aisp bench run --targets ch10:matmul --variant bf16 --sizes 1024x1024x1024", "the command")
    page.evaluate("(() => { const s = document.querySelector('#ladders [data-target=\"ch10:matmul\"] select'); s.value = '1'; s.dispatchEvent(new Event('change')); })()")
    expect(page.evaluate(COMMAND), "aisp bench run --targets ch10:matmul --variant fp8 --sizes 1024x1024x1024", "the command of the other variant")
    words = page.evaluate("document.querySelector('#ladders [data-target=\"ch14:one_sided_exchange\"] .command code').textContent").split()
    expect(words[:7], ["aisp", "bench", "run", "--targets", "ch14:one_sided_exchange", "--variant", "halo"], "the command of the simulated run")
    aisp(program, folder, *words[1:], "--validate", "--rungs", "staged", "--out", "again")
    run = next(pathlib.Path(folder, "again").glob("2*/run.jsonl")).read_text().splitlines()
    expect([entry["entry"] for entry in json.loads(run[0])["plan"]], ["ch14:one_sided_exchange/halo 3x33x4x2"], "what the command runs")


def check_hostile(page):
    expect(page.evaluate("document.querySelectorAll('#page script, #page img').length"), 0, "elements made of names")
    expect(page.evaluate(f"[...document.querySelectorAll('h3')].some(h => h.textContent === {json.dumps(made_up.HOSTILE)})"), True, "the name as text")
    expect(page.evaluate("document.querySelectorAll('[onerror]').length"), 0, "handlers made of names")


def check_filters(page):
    def rows():
        return page.evaluate("document.querySelector('[data-table=overview]').dataset.rows")

    def filter_by(text):
        page.evaluate(f"(() => {{ const i = document.querySelector('input[type=search]'); i.value = {json.dumps(text)}; i.dispatchEvent(new Event('input')); }})()")
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    filter_by("ch09:memory")
    expect(rows(), "2", "rows of one target")
    page.evaluate(DRAW)
    expect(marks(page, "roofline", "point"), [2], "points of one target")
    filter_by("nothing like this")
    expect(rows(), "0", "rows of nothing")
    filter_by("")
    page.evaluate("(() => { const s = [...document.querySelectorAll('.filters select')].find(s => [...s.options].some(o => o.value === 'fp8')); s.value = 'fp8'; s.dispatchEvent(new Event('change')); })()")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    expect(rows(), "2", "rows of one type")


def check_keyboard(page):
    page.evaluate("document.querySelector('.timeline').focus()")
    before = page.evaluate("document.querySelector('.timeline').closest('figure').querySelector('[role=status]').textContent")
    page.press("+", "+")
    after = page.evaluate("document.querySelector('.timeline').closest('figure').querySelector('[role=status]').textContent")
    expect(before != after, True, "a key zooms the timeline")
    page.evaluate("document.querySelector('[data-table=overview] th button').focus()")
    page.press("Enter", "\r")
    expect(page.evaluate("document.querySelector('[data-table=overview] th').getAttribute('aria-sort')"), "ascending", "a key sorts the table")
    expect(page.evaluate("[...document.querySelectorAll('button, a, select, input')].filter(e => !e.textContent && !e.getAttribute('aria-label') && !e.closest('label')).length"), 0, "controls without a name")


def check_layout(page, path):
    for width in (400, 1200):
        page.size(width, 844, mobile=width == 400)
        open_page(page, path)
        page.evaluate(DRAW)
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        page.evaluate(DRAW)
        expect(page.evaluate(f"document.scrollingElement.scrollWidth <= {width}"), True, f"no scrolling sideways at {width} px")
        expect(page.evaluate(CUT_OFF), [], f"what is cut off at {width} px")
        expect(page.evaluate(BROKEN), [], f"words that are broken at {width} px")
        reach = page.evaluate("[...document.querySelectorAll('.scroll')].filter(b => b.scrollWidth > b.clientWidth).map(b => getComputedStyle(b).overflowX)")
        expect(set(reach) <= {"auto"}, True, f"wide tables scroll in their own box at {width} px")
    page.size(1200, 900)


def check_comparison(page, path):
    data = document(path)
    open_page(page, path)
    page.evaluate(DRAW)
    expect(len(data["compare"]["rows"]), len(made_up.LADDER), "rungs in both runs")
    expect(marks(page, "comparison", "ratio"), [len(made_up.LADDER)], "ratios")
    expect({row["verdict"] for row in data["compare"]["rows"]}, {"slower"}, "verdicts")
    quiet(page, path, "the comparison")


def check_large(page, path):
    """5,000 rows: what the script itself takes, on a machine that may be busy with other tests."""
    open_page(page, path)
    expect(page.evaluate("document.querySelector('[data-table=overview]').dataset.rows"), "5000", "rows")
    script = page.evaluate("performance.timing.domComplete - performance.timing.responseEnd")
    began = time.monotonic()
    page.evaluate("document.querySelector('[data-table=overview] th button').click()")
    sort = time.monotonic() - began
    print(f"5000 rows: {os.path.getsize(path)} bytes, {script} ms until complete, {1000 * sort:.0f} ms to sort")
    expect(script < 20_000 and sort < 5, True, f"5000 rows without lag ({script} ms, {sort:.2f} s)")
    page.evaluate(COUNT_LAYOUTS)
    page.evaluate(DRAW)
    drawn = page.evaluate("document.querySelectorAll('figure[data-drawn]').length")
    expect((drawn > 100, page.evaluate("window.layouts")), (True, 0), f"layouts of the page while {drawn} charts are drawn")
    quiet(page, path, "5000 rows")


def check_server(program, folder):
    """The page on loopback, and nothing else."""
    server = subprocess.Popen([program, "report", "runs/full", "--out", "served.html", "--serve"], cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        server.stdout.readline()
        port = int(re.search(r"http://127\.0\.0\.1:(\d+)/", server.stdout.readline()).group(1))

        def ask(path, method="GET", host=None):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            connection.request(method, path, headers={"Host": host} if host else {})
            answer = connection.getresponse()
            return answer.status, answer.read()

        expect(ask("/"), (200, (pathlib.Path(folder) / "served.html").read_bytes()), "the page")
        for path in ("/served.html", "/runs", "/../etc/passwd", "//etc/passwd", "/%2e%2e/"):
            expect(ask(path)[0], 404, path)
        expect(ask("/", "POST")[0], 405, "POST")
        expect(ask("/", host="example.org")[0], 421, "another name for this machine")
        listening = subprocess.run(["cat", f"/proc/{server.pid}/net/tcp"], capture_output=True, text=True).stdout
        expect([line.split()[1].split(":")[0] for line in listening.splitlines() if f":{port:04X} 00000000:0000 0A" in line], ["0100007F"], "it listens on loopback alone")
        server.send_signal(signal.SIGINT)
        expect(server.wait(20), 0, "its end")
    finally:
        server.kill()


def main():
    program = os.path.abspath(sys.argv[1])
    chromium = browser.find()
    if chromium is None:
        print("skipped: no chromium; setup installs it, AISP_CHROMIUM names another one")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        runs = os.path.join(folder, "runs")
        made_up.everything(runs)
        made_up.simulated_run(os.path.join(folder, "later"), "later", more=1.5)
        for name, day, scale in (("p1", 1, 1.0), ("p2", 2, 1.2), ("p3", 3, 1.0)):
            made_up.past(os.path.join(folder, "elsewhere"), name, day, scale, "commit" + name)
        made_up.sweep_without_count(runs)
        made_up.large(os.path.join(folder, "big"))
        made_up.findings(os.path.join(folder, "findings.json"))
        aisp(program, folder, "history", "import", "elsewhere/p1", "elsewhere/p2", "elsewhere/p3", "runs/full")
        everything = ["runs/full", "runs/simulated", "runs/sweep", "findings.json"]
        expect(aisp(program, folder, "report", *everything, "--out", "all.html"), ["all.html"], "the path")
        aisp(program, folder, "report", "runs/p1", "runs/p2", "--out", "two.html")
        aisp(program, folder, "report", "runs/simulated", "--runs", "nothing", "--out", "simulated.html")
        aisp(program, folder, "report", "runs/simulated", "later/later", "--runs", "nothing", "--out", "counted.html")
        aisp(program, folder, "report", "runs/uncounted", "--runs", "nothing", "--out", "uncounted.html")
        aisp(program, folder, "report", "big/large", "--out", "large.html")
        check_server(program, folder)
        page = browser.Browser(chromium)
        try:
            page.size(1200, 900)
            at = lambda name: os.path.join(folder, name)
            check_everything(page, at("all.html"))
            check_tables(page)
            check_simulated(page, document(at("all.html")))
            check_hostile(page)
            check_keyboard(page)
            check_filters(page)
            check_units(page, at("all.html"), program, folder)
            check_command(page, at("all.html"), program, folder)
            check_layout(page, at("all.html"))
            check_layout(page, at("simulated.html"))
            check_layout(page, at("counted.html"))
            check_only_simulated(page, at("simulated.html"))
            check_two_simulated(page, at("counted.html"))
            check_counts_table(page, at("simulated.html"))
            check_sweep_without_count(page, at("uncounted.html"))
            check_layout(page, at("uncounted.html"))
            check_comparison(page, at("two.html"))
            check_large(page, at("large.html"))
        finally:
            page.close()
    print("ok")


main()
