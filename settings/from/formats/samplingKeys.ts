/** What the keys of a model's file begin with that advise settings of samplers. It imports nothing: the runtime reads the rest where a file has one. */
export const SAMPLING_KEYS = "general.sampling.";
