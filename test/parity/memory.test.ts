/** The samplers that adapt to their own picks. */
import { GROUPS } from "./groups.js";
import { testSamplers } from "./suite.js";

testSamplers("samplers that follow their picks", GROUPS.memory);
