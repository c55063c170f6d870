/** Each C++ source includes what it uses, itself or by its own includes: a check of `npm run lint`. */
import { describe, expect, test } from "@jest/globals";
import { nativeSources } from "../../tools/includes/check.js";
import { missingIncludes } from "../../tools/includes/includes.js";

const HEADERS = {
  "native/graph/log.h": `
    #pragma once
    namespace ggsl {
    // While alive, keeps what is logged.
    class Capture {
    public:
        std::string suffix() const;
    };
    void capture_logs();
    inline constexpr float lowest = -1.0f;
    template <typename T> T * row_of(const ggml_tensor * tensor, int64_t row);
    } // namespace ggsl`,
  "native/graph/graph.h": `
    #include "log.h"
    namespace ggsl {
    struct Graph : Base { int32_t size() const { return 0; } };
    using Graphs = std::vector<Graph>;
    }`,
  "native/llama/model.h": `
    namespace ggsl {
    class Graph;
    class Model { const Graph & graph() const; std::string capture; };
    }`,
  "native/graph/cpu.h": `
    namespace ggsl::cpu { void add(ggml_tensor * dst, int thread); enum class Kind { first, last }; }`,
  "native/c/error.h": `
    #define CHECK(condition) \\
        if (!(condition)) { capture_logs(); }
    extern "C" { typedef bool (*ggsl_callback)(int); const char * ggsl_error(void); }`,
};

/** What one source lacks, beside these headers. */
const lacks = (text: string, file = "native/llama/a.cc"): string[] =>
  missingIncludes(new Map([...Object.entries(HEADERS), [file, text]]), ["native", "native/c"]).map(
    ({ file: at, line, name, headers }) => `${at}:${line} ${name}: ${headers.join(", ")}`,
  );
const inside = (code: string, ...includes: string[]): string =>
  `${includes.map((name) => `#include "${name}"\n`).join("")}namespace ggsl { void work() { ${code} } }`;

describe("a source without the header of what it uses", () => {
  test.each<[string, string, string]>([
    ["a type", "const Capture log;", "Capture: native/graph/log.h"],
    ["a type as an argument of a template", "std::vector<Capture> logs;", "Capture: native/graph/log.h"],
    ["a type before ::", "return Graph::of();", "Graph: native/graph/graph.h"],
    ["an alias", "Graphs all;", "Graphs: native/graph/graph.h"],
    ["a function", "capture_logs();", "capture_logs: native/graph/log.h"],
    ["a function that is a template", "return row_of<float>(x, 1);", "row_of: native/graph/log.h"],
    ["a constant", "return x + lowest;", "lowest: native/graph/log.h"],
    ["a name with its namespace", "custom(cpu::add);", "add: native/graph/cpu.h"],
    ["a macro", "CHECK(true);", "CHECK: native/c/error.h"],
    ["a function of C", "return ggsl_error();", "ggsl_error: native/c/error.h"],
  ])("%s", (_, code, fault) => {
    expect(lacks(inside(code))).toEqual([`native/llama/a.cc:1 ${fault}`]);
    const header = /: native\/(.*)$/.exec(fault)![1]!;
    expect(lacks(inside(code, header))).toEqual([]);
  });

  test("is named once, with its line", () => {
    expect(lacks("namespace ggsl {\n\nvoid work() {\n  Capture a;\n  Capture b;\n}\n}")).toEqual([
      "native/llama/a.cc:4 Capture: native/graph/log.h",
    ]);
  });
  test("may be a header", () => {
    expect(lacks("namespace ggsl { Capture made(); }", "native/llama/b.h")).toEqual([
      "native/llama/b.h:1 Capture: native/graph/log.h",
    ]);
  });
  test("is not helped by a type that was only announced, but a header is", () => {
    expect(lacks(inside("Graph graph;", "model.h"))).toEqual(["native/llama/a.cc:2 Graph: native/graph/graph.h"]);
    expect(lacks('#include "model.h"\nnamespace ggsl { void run(Graph & graph); }', "native/llama/b.h")).toEqual([]);
  });
});

describe("what needs no header", () => {
  test.each<[string, string]>([
    ["comments and texts", '/* Capture */ print("Capture lowest"); // Graph\n const char c = \'"\';'],
    ["members", "log.capture_logs(); log->lowest = other.Graph;"],
    ["names of other namespaces", "std::add(1); add(2); Kind kind;"],
    ["a type that a header gives another name", "bool is_right = true;"],
    ["locals", "const auto capture_logs = [] {}; capture_logs(); float lowest = 1; return lowest;"],
    ["what the source declares", "} struct Capture { int x; }; void again() { Capture log;"],
  ])("%s", (_, code) => {
    expect(lacks(inside(code))).toEqual([]);
  });
  test("what its includes include, beside them or in the folders for all", () => {
    expect(lacks(inside("Capture log; CHECK(true);", "graph/graph.h", "error.h"))).toEqual([]);
  });
});

describe("the sources of this checkout", () => {
  const sources = nativeSources();
  const missing = (texts: ReadonlyMap<string, string>) =>
    missingIncludes(texts, ["native", "native/c", "native/include"]);

  test("include what they use", () => {
    expect(sources.size).toBeGreaterThan(250);
    expect(missing(sources)).toEqual([]);
  });
  test("are found if they do not", () => {
    const file = "native/llama/grammar.cc";
    // both lead to the header
    const text = sources.get(file)!.replace(/^#include "(?:graph\/backend|model)\.h"\n/gm, "");
    const found = missing(new Map([...sources, [file, text]]));
    expect(found).toContainEqual({
      file,
      line: text.split("\n").findIndex((line) => line.includes("LogCapture")) + 1,
      name: "LogCapture",
      headers: ["native/graph/backend.h"],
    });
  });
});
