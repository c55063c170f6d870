/** How much a model is to think, in the words of OpenAI's API. */
export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;
export type Effort = (typeof EFFORTS)[number];
