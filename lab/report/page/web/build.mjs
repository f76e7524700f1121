// Bundles source/ and the chart library into ../page.html: one file without a request in it.
// `digest` names what it was made of, so that a test can tell when the page is older than its sources.
import {createHash} from "node:crypto";
import {readFileSync, readdirSync, writeFileSync} from "node:fs";
import {build} from "esbuild";

const here = new URL("./", import.meta.url);
const read = (name) => readFileSync(new URL(name, here), "utf8");
const hash = (text, encoding) => createHash("sha256").update(text).digest(encoding);

const bundled = await build({
  entryPoints: [new URL("source/main.js", here).pathname],
  bundle: true, minify: true, format: "iife", target: "es2020", write: false, metafile: true,
  legalComments: "none", charset: "ascii",
});
// "</script" in a string of the library would end the element.
const script = bundled.outputFiles[0].text.trim().replaceAll("</script", "<\\/script");

// The licence of everything that went in.
const packages = new Set();
for (const name of Object.keys(bundled.metafile.inputs)) {
  const found = name.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/);
  if (found) packages.add(found[1]);
}
const licences = [...packages].sort().map((name) => {
  const folder = `node_modules/${name}/`;
  const {version, license} = JSON.parse(read(folder + "package.json"));
  const file = readdirSync(new URL(folder, here)).find((entry) => /^licen[cs]e/i.test(entry));
  return `${name} ${version} (${license})\n\n${file ? read(folder + file).trim() : "no licence file; see package.json"}\n`;
});
writeFileSync(new URL("../licences.txt", here),
  "The report page contains these packages from npm.\n\n" + licences.join("\n" + "-".repeat(80) + "\n"));

const sources = ["build.mjs", "package.json", "package-lock.json",
  ...readdirSync(new URL("source/", here)).sort().map((name) => "source/" + name)];
const digest = hash(sources.map((name) => name + "\n" + read(name)).join("\n"), "hex");

const style = read("source/style.css").trim();
const page = read("source/page.html")
  .replace("{{digest}}", () => digest)
  .replace("{{script-hash}}", () => hash(script, "base64"))
  .replace("{{style}}", () => style)
  .replace("{{script}}", () => script);
writeFileSync(new URL("../page.html", here), page);
console.log(`page.html: ${page.length} bytes, ${packages.size} packages, ${digest.slice(0, 12)}`);
