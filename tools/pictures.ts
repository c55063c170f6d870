/**
 * `npm run pictures`: the pictures of pages in docs/pictures, in Chromium at 1280 and 390 pixels, light and dark. People look at them
 * before they are committed. With names, only these: `npm run pictures -- playground compare-phone`. With `--times`, no pictures: the
 * time until the playground shows its first, and its text.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { readArguments } from "./lib/arguments.js";
import { timesOf } from "./lib/pageTimes.js";
import { newPlaces } from "./lib/places.js";
import { SCENES, type Scene } from "./lib/scenes.js";
import { root, ToolError } from "./lib/process.js";

const CHROMIUM = "/usr/bin/chromium";
const FOLDER = join(root, "docs", "pictures");
/** A picture has at most so many octets: the first of these scales and qualities with which it does. */
const MOST = 64_000;
const FORMS = [
  [1, 0.85],
  [1, 0.65],
  [0.8, 0.8],
  [0.8, 0.65],
  [0.8, 0.5],
  [0.7, 0.5],
] as const;
/** Milliseconds until what a picture shows must be there, on a machine that does much else. */
const PATIENCE = 240_000;
/** Where the time to the first picture is measured. */
const TIMED = ["static", "playground"] as const;
const SCREENS = {
  wide: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5, isMobile: true, hasTouch: true },
} as const;

export async function main(args: readonly string[]): Promise<void> {
  const { positionals, values } = readArguments("npm run pictures -- [NAME...] | --times", {
    args,
    options: { times: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const chosen = SCENES.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  if (chosen.length === 0)
    throw new ToolError(`pictures: expected names of ${SCENES.map(({ name }) => name).join(", ")}`);
  if (!existsSync(CHROMIUM)) throw new ToolError("pictures: needs Chromium: apt-get install chromium");
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  const places = newPlaces();
  try {
    if (values.times) {
      for (const place of TIMED) console.log(await timesOf(browser, place, await places.addressOf(place)));
      return;
    }
    for (const scene of chosen) await take(browser, scene, await places.addressOf(scene.place));
  } finally {
    await browser.close();
    await places.close();
  }
}

async function take(
  browser: Browser,
  { name, path = "", screen, colorScheme, prepare }: Scene,
  base: string,
): Promise<void> {
  const context = await browser.newContext({ ...SCREENS[screen], colorScheme });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    await page.goto(`${base}${path}`);
    await prepare(page);
    const octets = await compressed(await context.newPage(), await page.screenshot());
    writeFileSync(join(FOLDER, `${name}.webp`), octets);
    console.log(`wrote docs/pictures/${name}.webp: ${Math.round(octets.length / 1000)} kB`);
  } finally {
    await context.close();
  }
}

/** As WebP, by the browser. */
async function compressed(page: Page, png: Buffer): Promise<Buffer> {
  const source = `data:image/png;base64,${png.toString("base64")}`;
  for (const [scale, quality] of FORMS) {
    const url = await page.evaluate<string>(`(async () => {
      const image = new Image();
      image.src = ${JSON.stringify(source)};
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.width, image.height].map((size) => Math.round(${scale} * size));
      const context = canvas.getContext("2d");
      context.imageSmoothingQuality = "high";
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      return canvas.toDataURL("image/webp", ${quality});
    })()`);
    const octets = Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
    if (octets.length <= MOST) return octets;
  }
  throw new ToolError(`pictures: a picture has more than ${MOST} octets at the smallest scale`);
}
