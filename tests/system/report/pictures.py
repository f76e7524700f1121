"""Small pictures of a report page for docs/: light, dark, on a phone and on paper.

    pictures.py PAGE.html FOLDER                  report_light.png, report_dark.png, ... from the ladders on
    pictures.py PAGE.html FILE.png SECTION HEIGHT one picture, light, from that section on"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import browser

LIGHT = ("screen", "light", 1100, 0.62)
KINDS = {"light": LIGHT, "dark": ("screen", "dark", 1100, 0.62), "narrow": ("screen", "light", 390, 0.8),
         "print": ("print", "light", 900, 0.62)}


def take(page, path, to, kind, section="ladders", height=1500):
    media, scheme, width, scale = kind
    page.media(media, scheme)
    page.size(width, 900, mobile=width < 500)
    page.open(pathlib.Path(path).resolve().as_uri())
    page.evaluate("dispatchEvent(new Event('aisp-draw-all'))")
    # What stands above the ladders is a table.
    top = page.evaluate(f"document.getElementById('{section}').getBoundingClientRect().top + scrollY")
    page.picture(to, {"x": 0, "y": top, "width": width, "height": height, "scale": scale})


def main():
    page = browser.Browser(browser.find())
    try:
        if len(sys.argv) > 3:
            take(page, *sys.argv[1:3], LIGHT, sys.argv[3], int(sys.argv[4]))
        else:
            for name, kind in KINDS.items():
                take(page, sys.argv[1], f"{sys.argv[2]}/report_{name}.png", kind)
    finally:
        page.close()


main()
