import { compileStages, graphOf, printGraph } from "@ggsl/compiler";

console.log(printGraph(graphOf(compileStages("top_k(3)"))));
