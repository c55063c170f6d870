/** The picture of an example: what its chain makes of a distribution. */
import { stagesReply } from "./stages.js";
import type { ChainRequest, PreviewReply } from "./messages.js";

export async function previewReply(request: ChainRequest): Promise<PreviewReply> {
  const { stages } = await stagesReply(request);
  return { before: stages[0]!.probs, after: stages.at(-1)!.probs };
}
