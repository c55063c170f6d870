/** The body of a request that is passed on: its bytes as they came, so that all digits of its numbers reach the process of the model. */
import { memberTexts } from "./memberTexts.js";

const NAMES: ReadonlySet<string> = new Set(["model", "name"]);

export class PassedBody {
  readonly #texts: ReadonlyMap<string, string>;

  constructor(readonly bytes: Buffer) {
    this.#texts = memberTexts(bytes, NAMES);
  }

  /** The model that it names; `name` is an older name of the field, of Ollama's `/api/show`. */
  modelOn(path: string): string | undefined {
    return this.#texts.get("model") ?? (path === "/api/show" ? this.#texts.get("name") : undefined);
  }

  /** For the log, of a request that is refused here. */
  toJSON(): unknown {
    try {
      return JSON.parse(this.bytes.toString()) as unknown;
    } catch {
      return undefined;
    }
  }
}
