/** The page's engine. */
import { byId } from "../dom.js";
import { startEngine, type Engine } from "./engine.js";

export const engine: Engine = startEngine(
  () => new Worker(new URL("../engine/worker.ts", import.meta.url), { type: "module" }),
  (doing) => (byId("busy").textContent = doing === undefined ? "" : `${doing} …`),
);
