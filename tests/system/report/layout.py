"""Scripts that find, on a page that is open, text that is broken or cut off."""

# Words that a line ends within: all letters of a word are on one line.
BROKEN = """(() => {
  const broken = [], walk = document.createTreeWalker(document.querySelector('#page'), NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walk.nextNode()) {
    const node = walk.currentNode;
    if (!node.parentElement.getClientRects().length || node.parentElement.closest('svg, option')) continue;
    for (const word of node.data.matchAll(/[A-Za-z0-9.]{2,}/g)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(r => Math.round(r.top))).size > 1) broken.push(word[0]);
    }
  }
  return broken;
})()"""
# Names of rungs that are not longer than a column may be.
SPLIT_NAMES = """[...document.querySelectorAll('td[data-name=rung]')].filter(td => td.getClientRects().length && td.textContent.length <= 30).filter(td => {
  const range = document.createRange();
  range.selectNodeContents(td);
  return new Set([...range.getClientRects()].filter(r => r.width).map(r => Math.round(r.top))).size > 1;
}).map(td => td.textContent)"""
# What reaches out of the window and is in no box that scrolls; charts that do not fit into their figure; shortened names.
CUT_OFF = """(() => {
  const width = innerWidth, out = [];
  for (const element of document.querySelectorAll('#page *')) {
    if (element.closest('.scroll') && !element.matches('.scroll')) continue;
    const box = element.getBoundingClientRect();
    if (!box.width || element.closest('[aria-label=tip]')) continue;
    if (box.right > width + 0.5 || box.left < -0.5) out.push(element.tagName + ' ' + (element.getAttribute('class') ?? '') + ' ' + element.textContent.slice(0, 40) + ' ' + Math.round(box.left) + '-' + Math.round(box.right));
  }
  for (const box of document.querySelectorAll('figure, .command, .card'))
    if (box.scrollWidth > box.clientWidth + 1) out.push('scrolls: ' + box.textContent.slice(0, 60));
  for (const text of document.querySelectorAll('svg text'))
    if (text.textContent.includes('…')) out.push('shortened: ' + text.textContent);
  return out;
})()"""
