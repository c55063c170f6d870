/** What the pictures of the documentation show. */
import type { Page } from "playwright-core";
import type { Place } from "./places.js";

export interface Scene {
  /** Of the file. */
  readonly name: string;
  readonly place: Place;
  readonly path?: string;
  readonly screen: "wide" | "phone";
  readonly colorScheme: "light" | "dark";
  /** What is done before the picture is taken. */
  readonly prepare: (page: Page) => Promise<void>;
}

const texts = async (page: Page): Promise<void> => {
  await page.locator("#text .side:nth-child(2) .hint", { hasText: "tokens" }).waitFor();
  await page.locator("#stages .where", { hasText: "Token" }).waitFor();
  await page.locator("#graph .legend").waitFor({ state: "attached" });
};

const type = async (page: Page, text: string): Promise<void> => {
  await page.locator("#editor .cm-content").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
};

const compared = async (page: Page): Promise<void> => {
  await page.getByLabel("texts of each chain").fill("4");
  await page.getByLabel("tokens of a text").fill("12");
  await page.getByRole("button", { name: "Compare" }).click();
  await page.locator("#compare .status", { hasText: "Done" }).waitFor();
  await page.waitForFunction("document.querySelector('#result img').complete");
};

const shown = async (page: Page): Promise<void> => {
  await page.locator("h1").waitFor();
};

/** A page on both screens, light and dark. */
const everywhere = (name: string, scene: Pick<Scene, "place" | "path" | "prepare">): Scene[] =>
  (["wide", "phone"] as const).flatMap((screen) =>
    (["light", "dark"] as const).map((colorScheme) => ({
      ...scene,
      name: `${name}${screen === "phone" ? "-phone" : ""}${colorScheme === "dark" ? "-dark" : ""}`,
      screen,
      colorScheme,
    })),
  );

const FAULTY = `import { top_k, dist } from "std"

chain creative(t: f32 >= 0 = 0.9) =
  top_k(40) |> temp(t) |> dist
`;

const playground = { place: "playground", screen: "wide", colorScheme: "light" } as const;

export const SCENES: readonly Scene[] = [
  ...everywhere("playground", { place: "playground", prepare: texts }),
  ...everywhere("compare", { place: "playground", path: "compare.html", prepare: compared }),
  ...everywhere("explain", { place: "explain", prepare: shown }),
  {
    ...playground,
    name: "playground-error",
    prepare: async (page) => {
      await texts(page);
      await type(page, FAULTY);
      await page.locator("#diagnostics .fix").waitFor();
    },
  },
];
