import { compilePipeline, loadModel } from "ggsl";

const chain = compilePipeline("top_k(40) |> dist(1)");
const { token, backend } = await chain.evaluate([0.1, 2, 3]);
const model = await loadModel(process.env.MODEL, { backend: "cpu" });
const written = [];
for await (const piece of model.generate("In the", { chain, maxTokens: 8 })) written.push(piece.text);
console.log(JSON.stringify({ token, backend, text: written.join("") }));
