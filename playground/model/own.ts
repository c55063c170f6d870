/** The model in the page. Its code is read after the first pictures are shown, since a text needs the model itself, which is larger. */
import type { Models } from "./types.js";

let onProgress: (part: number) => void = () => undefined;
let begin: () => void = () => undefined;
const begun = new Promise<void>((resolve) => (begin = resolve));

async function page(): Promise<typeof import("./page.js")> {
  await begun;
  const loaded = await import("./page.js");
  loaded.watchProgress(onProgress);
  return loaded;
}

export const ownModels: Models = {
  nextTitle: "the text, at the chosen token",
  probabilities: "probability",
  takesGuides: true,
  isOwn: true,
  isReady: () => true,
  watch(listener) {
    onProgress = listener;
  },
  begin: () => begin(),
  open: async () => (await page()).openWriter(),
  at: async (text) => (await page()).seenAt(text),
  openFile: async (file) => (await page()).openOther(file),
};
