/** The APIs that write texts, by their paths. */
import { countTokens, messages } from "./anthropic/api.js";
import { ollamaChat, ollamaGenerate } from "./ollama/api.js";
import { chat, completions } from "./openai/api.js";
import { responses } from "./responses/api.js";
import type { BodyApi, TextApi } from "./api.js";

export const TEXT_APIS: readonly TextApi[] = [chat, completions, responses, messages, ollamaChat, ollamaGenerate];

/** All paths of APIs that take bodies. */
export const BODY_APIS: readonly BodyApi[] = [...TEXT_APIS, countTokens];
