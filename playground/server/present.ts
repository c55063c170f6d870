/** The server that the page is from. */
import { Connection } from "./connection.js";

/** `ggsl serve` marks the page that it serves, and `npm run playground` one that has a server for itself. */
const mark = document.querySelector<HTMLMetaElement>('meta[name="ggsl-server"]')?.content;

/** Undefined for a page that another server serves. */
export const server: Connection | undefined =
  mark === "open" || mark === "key" || mark === "own" ? new Connection(mark === "key", mark === "own") : undefined;
