/** The samplers that follow the surprise of their own picks. */
import { testSamplers } from "./suite.js";

testSamplers("mirostat", ["mirostat", "mirostat_v2"]);
