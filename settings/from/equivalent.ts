/** What a setting of another tool is in GGSL, for who sends it where it is not known. */
import { TAIL_SAMPLERS } from "@ggsl/compiler/llama/samplers.js";
import { FIELDS, type FieldsName } from "./formats/fields.js";
import { JSON_FORMATS } from "./formats/index.js";
import { nodeOf, type ObjectNode } from "./nodes.js";
import { ImportError } from "./notes.js";
import type { Stage } from "./plan.js";
import { pipelineText } from "./write.js";

interface Equivalent {
  /** The name for `ggsl import --from`. */
  readonly tool: FieldsName;
  /** The stages that the setting adds; absent if they need declarations. */
  readonly pipeline?: string;
  /** Whether the last of them picks a token. */
  readonly picks?: boolean;
}

/** What a setting adds to the chain of the first tool that makes stages of it; undefined if none does. */
export function equivalentOf(name: string, value: unknown): Equivalent | undefined {
  for (const tool of Object.keys(FIELDS) as FieldsName[]) {
    if (!FIELDS[tool].sampling.has(name)) continue;
    const added = addedBy(tool, name, value);
    if (added.length === 0) continue;
    if (added.some(({ declaration }) => declaration !== undefined)) return { tool };
    return { tool, pipeline: pipelineText(added), picks: TAIL_SAMPLERS[added.at(-1)!.name]?.picks ?? false };
  }
  return undefined;
}

/** Stages that are not there without the setting. */
function addedBy(tool: FieldsName, name: string, value: unknown): Stage[] {
  const { read } = JSON_FORMATS.find((format) => format.name === tool)!;
  // one that is greedy by default has the other stages only if it draws
  const others = tool === "huggingface" ? { do_sample: true } : {};
  const stagesOf = (settings: object): readonly Stage[] => {
    try {
      return read(nodeOf(settings, "the request") as ObjectNode, {}).stages;
    } catch (error) {
      if (error instanceof ImportError) return [];
      throw error;
    }
  };
  const before = new Set(stagesOf(others).map(keyOf));
  return stagesOf({ ...others, [name]: value }).filter((stage) => !before.has(keyOf(stage)));
}

const keyOf = (stage: Stage): string => JSON.stringify(stage);
