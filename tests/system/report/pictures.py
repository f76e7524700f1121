"""Small pictures of a report page for docs/: light, dark, on a phone and on paper. Usage: pictures.py PAGE.html FOLDER"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import browser

KINDS = (("light", "screen", "light", 1100, 0.62), ("dark", "screen", "dark", 1100, 0.62),
         ("narrow", "screen", "light", 390, 0.8), ("print", "print", "light", 900, 0.62))


def main():
    page = browser.Browser(browser.find())
    try:
        for name, media, scheme, width, scale in KINDS:
            page.media(media, scheme)
            page.size(width, 900, mobile=width < 500)
            page.open(pathlib.Path(sys.argv[1]).resolve().as_uri())
            page.evaluate("dispatchEvent(new Event('aisp-draw-all'))")
            # From the ladders on: what stands above is a table.
            top = page.evaluate("document.getElementById('ladders').getBoundingClientRect().top + scrollY")
            page.picture(f"{sys.argv[2]}/report_{name}.png", {"x": 0, "y": top, "width": width, "height": 1500, "scale": scale})
    finally:
        page.close()


main()
