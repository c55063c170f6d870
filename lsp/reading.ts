/** Requests that read a program: what is here, what could be here, and where else it is. */
import { importEdits } from "@ggsl/compiler/check/fixes.js";
import { topLevel } from "@ggsl/compiler/check/names.js";
import { foundFile } from "@ggsl/compiler/check/program.js";
import type { Meaning } from "@ggsl/compiler/check/tree.js";
import type { Analysis } from "./analysis.js";
import { completion } from "./completion.js";
import { contextAt } from "./context.js";
import { inlayHints } from "./hints.js";
import { hover } from "./hover.js";
import { codeLenses } from "./lenses.js";
import { declarationOf, occurrenceAt } from "./names.js";
import { outline } from "./outline.js";
import { locationOf, textEdit, touches } from "./positions.js";
import { usesOf } from "./rename.js";
import { semanticTokens } from "./semantic.js";
import { spanOf, type Session } from "./session.js";
import { signatureHelp, type FindStage } from "./signature.js";

/** At a place: what the name there means, and what may be written there. */
export function answerAtPlaces({ connection, files, state, at }: Session): void {
  const stageIn =
    ({ module }: Analysis): FindStage =>
    (name) => {
      const meaning: Meaning | undefined = topLevel(module, name) ?? state.std(name);
      const declaration = meaning && "binding" in meaning ? meaning.binding.declaration : undefined;
      return declaration && "params" in declaration ? declaration : undefined;
    };

  connection.onHover((params) => {
    const { analysis, offset } = at(params);
    return hover(state.chains, analysis, state.occurrencesIn(analysis), offset);
  });

  connection.onCompletion((params) => {
    const { analysis, offset } = at(params);
    return completion(contextAt(analysis.source, offset), {
      module: analysis.module,
      std: (name) => state.std(name),
      importEdits: (name) => importEdits(analysis.module.file, name).map(textEdit),
      exports(from) {
        const source = foundFile(files.importer(from, analysis.source.name));
        const module = source && state.moduleOf(source);
        return [...(module?.scope ?? [])].flatMap(([name, b]) =>
          b.module === module ? [[name, topLevel(module, name)!] as const] : [],
        );
      },
      findStage: stageIn(analysis),
    });
  });

  connection.onSignatureHelp((params) => {
    const { analysis, offset } = at(params);
    const { call } = contextAt(analysis.source, offset);
    return call ? signatureHelp(call, stageIn(analysis)) : null;
  });
}

/** From a name to its declaration and its uses. */
export function answerWhere({ connection, files, state, uriOf, at, nameAt }: Session): void {
  connection.onDefinition((params) => {
    const { analysis, offset } = at(params);
    const occurrence = occurrenceAt(state.occurrencesIn(analysis), offset);
    if (occurrence && "span" in occurrence.meaning) return locationOf(uriOf, declarationOf(occurrence.meaning));
    const statement = analysis.module.file.declarations.find((d) => d.kind === "import" && touches(d.fromSpan, offset));
    const file = statement?.kind === "import" && foundFile(files.importer(statement.from, analysis.source.name));
    return file ? locationOf(uriOf, { source: file, start: 0, end: 0 }) : null;
  });

  connection.onReferences((params) => {
    const occurrence = nameAt(params);
    if (!occurrence) return null;
    const uses = usesOf(state.modulesWith(occurrence.text), occurrence.meaning);
    return uses
      .filter(({ isDeclaration }) => !isDeclaration || params.context?.includeDeclaration !== false)
      .map(({ span }) => locationOf(uriOf, span));
  });
}

/** Of a whole document. */
export function answerOfDocuments({ connection, state, open }: Session): void {
  connection.onDocumentSymbol(({ textDocument }) => outline(open(textDocument?.uri).module.file));

  connection.languages.inlayHint.on(({ textDocument, range }) => {
    const analysis = open(textDocument?.uri);
    return inlayHints(state.chains, analysis, spanOf(analysis.source, range));
  });

  connection.languages.semanticTokens.on(({ textDocument }) =>
    semanticTokens(state.occurrencesIn(open(textDocument?.uri))),
  );

  connection.onCodeLens(({ textDocument }) => codeLenses(open(textDocument?.uri), textDocument.uri));
}
