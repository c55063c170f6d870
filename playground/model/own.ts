/** The model in the page. Its code is read after the page is shown, since a text needs the model itself, which is larger. */
import type { Models } from "./types.js";

let onProgress: (part: number) => void = () => undefined;

async function page(): Promise<typeof import("./page.js")> {
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
  open: async () => (await page()).openWriter(),
  at: async (text) => (await page()).seenAt(text),
  openFile: async (file) => (await page()).openOther(file),
};
