/** The functions of the packages that take options, read from the declarations of their entry points. */
import ts from "typescript";
import { readFileSync } from "node:fs";

/** Where programs import from, and the name of that entry point. */
const ENTRIES = {
  ggsl: "runtime/index.ts",
  "ggsl/compare": "runtime/compare.ts",
  "ggsl/onnx": "runtime/onnx.ts",
  "ggsl/transformers": "runtime/transformers.ts",
  "ggsl/vite": "runtime/vite.ts",
  "@ggsl/compiler": "compiler/index.ts",
  "@ggsl/format": "format/print.ts",
  "@ggsl/settings": "settings/index.ts",
  "@ggsl/codegen": "codegen/index.ts",
  "@ggsl/server": "server/index.ts",
} as const;

/** Whether a parameter is an object of options: by its name, or because it is taken apart and may be left out. */
const isOptions = (parameter: ts.ParameterDeclaration): boolean =>
  ts.isIdentifier(parameter.name)
    ? /^(options|request|given)$/.test(parameter.name.text)
    : parameter.initializer !== undefined;

/** The names of all functions and methods with options, such as `ggsl Model.generate`. */
export function functionsWithOptions(): string[] {
  const { config } = ts.readConfigFile("tsconfig.json", (path) => readFileSync(path, "utf8")) as { config: object };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ".");
  const program = ts.createProgram(Object.values(ENTRIES), options);
  const checker = program.getTypeChecker();
  const found = Object.entries(ENTRIES).flatMap(([entry, file]) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)!;
    return checker.getExportsOfModule(module).flatMap((exported) => {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const name = exported.name === "default" ? entry : `${entry} ${exported.name}`;
      return (symbol.declarations ?? []).flatMap((declaration) => namesIn(declaration, name));
    });
  });
  return [...new Set(found)].sort();
}

/** A function that is declared here, or the functions of a class or an interface. */
function namesIn(declaration: ts.Declaration, name: string): string[] {
  if (ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration))
    return [...declaration.members].flatMap((member) => {
      if (ts.isConstructorDeclaration(member)) return hasOptions(member) ? [`new ${name}`] : [];
      const isPrivate = ts.canHaveModifiers(member) && ts.getModifiers(member)?.some(({ kind }) => PRIVATE.has(kind));
      if (isPrivate || !(ts.isMethodDeclaration(member) || ts.isMethodSignature(member))) return [];
      return hasOptions(member) ? [`${name}.${member.name.getText()}`] : [];
    });
  const called = ts.isVariableDeclaration(declaration) ? declaration.initializer : declaration;
  return called && ts.isFunctionLike(called) && hasOptions(called) ? [name] : [];
}

const PRIVATE: ReadonlySet<ts.SyntaxKind> = new Set([ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.ProtectedKeyword]);

const hasOptions = ({ parameters }: ts.SignatureDeclaration): boolean =>
  parameters.some((parameter) => ts.isParameter(parameter) && isOptions(parameter));
