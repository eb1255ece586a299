// What the package exports, with its documentation, read from its type declarations.
import type * as Typescript from 'typescript';

export interface Documented {
  name: string;
  /** As it is declared, without comments. */
  signature: string;
  /** Markdown. */
  doc: string;
  tags: { name: string; text: string }[];
}

export interface Exported extends Documented {
  /** A constant counts as a function. */
  kind: 'function' | 'class' | 'type';
  members: Documented[];
}

/**
 * The exports of a declaration file, in its order. Those of `generated/` are left out: the tables
 * they are generated from say more.
 */
export async function exportsOf(file: string): Promise<Exported[]> {
  // When it is needed: the compiler takes a while to load.
  const { default: ts } = (await import('typescript')) as unknown as {
    default: typeof Typescript;
  };
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  });
  const checker = program.getTypeChecker();
  const entry = checker.getSymbolAtLocation(program.getSourceFile(file)!)!;

  const text = (parts: Typescript.SymbolDisplayPart[] | undefined) =>
    ts.displayPartsToString(parts).replace(/\{@link\s+(\S+?)\s*\}/g, '`$1`');

  const hasBody = (
    node: Typescript.Node,
  ): node is Typescript.ClassDeclaration | Typescript.InterfaceDeclaration =>
    ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node);

  /** Its declaration in its own words, without what stands between the braces of a body. */
  function signature(node: Typescript.Node): string {
    const source = node
      .getText()
      .replace(/\/\*\*.*?\*\//gs, '')
      .replace(/^(export |declare |readonly )+/, '');
    const brace = hasBody(node) || ts.isVariableDeclaration(node) ? source.indexOf('{') : -1;
    return (brace >= 0 ? source.slice(0, brace) : source)
      .replace(/\s+/g, ' ')
      .replace(/[;:] ?$/, '')
      .trim();
  }

  const documented = (symbol: Typescript.Symbol, node: Typescript.Node): Documented => ({
    name: symbol.name,
    signature: signature(node),
    doc: text(symbol.getDocumentationComment(checker)),
    tags: symbol.getJsDocTags(checker).map((tag) => ({ name: tag.name, text: text(tag.text) })),
  });

  /** The members that a user sees, without what is inherited. */
  function membersOf(node: Typescript.Declaration): Documented[] {
    // A constant that is an object has the members of its type.
    const type = ts.isVariableDeclaration(node) ? node.type : node;
    if (!type || !(ts.isTypeLiteralNode(type) || hasBody(type))) return [];
    const members: readonly Typescript.NamedDeclaration[] = type.members;
    return members.flatMap((member) => {
      if (!member.name || ts.isPrivateIdentifier(member.name)) return [];
      const symbol = checker.getSymbolAtLocation(member.name);
      return symbol ? [{ ...documented(symbol, member), name: member.name.getText() }] : [];
    });
  }

  const kindOf = (node: Typescript.Declaration) =>
    ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node)
      ? 'function'
      : ts.isClassDeclaration(node)
        ? 'class'
        : 'type';

  return checker.getExportsOfModule(entry).flatMap((exported) => {
    const isAlias = exported.flags & ts.SymbolFlags.Alias;
    const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
    const node = symbol.declarations?.[0];
    if (!node || node.getSourceFile().fileName.includes('/generated/')) return [];
    return [{ ...documented(symbol, node), kind: kindOf(node), members: membersOf(node) }];
  });
}
