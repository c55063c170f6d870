/** Texts and logits of the server's model. */
import { textsOf } from "../model/texts.js";
import type { Models, TextTask } from "../model/types.js";
import type { Connection } from "./connection.js";
import { writeText } from "./text.js";

const PATHS = { models: "v1/models", tokens: "v1/tokens", logits: "v1/logits" } as const;

interface ServedModel {
  readonly id: string;
  readonly context_length: number;
}

export const modelOf = async (server: Connection): Promise<ServedModel> =>
  (await server.get<{ readonly data: readonly [ServedModel] }>(PATHS.models)).data[0];

export function serverModels(server: Connection): Models {
  let texts: Promise<readonly string[]> | undefined;
  const textsOnce = (): Promise<readonly string[]> => {
    texts ??= server.get<{ readonly data: readonly string[] }>(PATHS.tokens).then(({ data }) => data);
    // the next request asks again
    texts.catch(() => (texts = undefined));
    return texts;
  };
  return {
    nextTitle: "the text, at the chosen token",
    probabilities: "model's probability",
    takesGuides: false,
    missing: "The server sends no token ids: states and draws are those of the first token.",
    isOwn: server.isOwn,
    isReady: () => server.isReady,
    async open() {
      const { id } = await modelOf(server);
      return { name: id, write: (task: TextTask) => writeText(server, task) };
    },
    /** The server sends no token ids, so the chain sees the logits, and nothing of the text before. */
    async at({ prompt, tokens }, signal) {
      const all = await textsOnce();
      const accept = "application/octet-stream";
      const text = prompt + tokens.map((token) => token.text).join("");
      const response = await server.post(PATHS.logits, { prompt: text }, { signal, accept });
      const logits = floatsOf(await response.arrayBuffer());
      return { place: { logits, history: [], picked: [] }, ...textsOf(all) };
    },
  };
}

/** 32-bit floats, the least significant octet first. */
function floatsOf(octets: ArrayBuffer): Float32Array {
  const view = new DataView(octets);
  return Float32Array.from({ length: octets.byteLength / 4 }, (_, i) => view.getFloat32(4 * i, true));
}
