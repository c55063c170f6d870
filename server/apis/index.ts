/** The APIs that write texts, by their paths. */
import { chat, completions } from "./openai/api.js";
import { responses } from "./responses/api.js";
import type { TextApi } from "./api.js";

export const TEXT_APIS: readonly TextApi[] = [chat, completions, responses];
