import { join } from 'node:path';
import ts from 'typescript';

/** A JSON Schema: as much of it as plain data needs. */
export type Schema = { readonly [keyword: string]: unknown };

/** The schema of `data` of every event, by type, from the declarations in a folder of events. */
export function eventSchemas(folder: string): ReadonlyMap<string, Schema> {
  const files = ['event-versions.ts', 'observed-events.ts'].map((name) => join(folder, name));
  const program = ts.createProgram(files, { strict: true, noEmit: true, target: ts.ScriptTarget.ES2023, types: [] });
  const checker = program.getTypeChecker();
  const unions = [exported(program, files[0]!, 'DecidedEvent'), exported(program, files[1]!, 'ObservedEvent')];
  return new Map(unions.flatMap((union) => membersOf(union)).map((event) => schemaOfEvent(checker, event)));
}

function exported(program: ts.Program, file: string, name: string): ts.Type {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const symbol = source && checker.getSymbolAtLocation(source);
  const found = symbol && checker.getExportsOfModule(symbol).find((each) => each.name === name);
  if (!found) throw new Error(`${file} exports no ${name}.`);
  return checker.getDeclaredTypeOfSymbol(found);
}

const membersOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);

function schemaOfEvent(checker: ts.TypeChecker, event: ts.Type): [string, Schema] {
  const field = (name: string): ts.Type => checker.getTypeOfSymbol(checker.getPropertyOfType(event, name)!);
  const type = field('type');
  if (!type.isStringLiteral()) throw new Error(`${checker.typeToString(event)} has no type of its own.`);
  return [type.value, schemaOf(checker, field('data'))];
}

function schemaOf(checker: ts.TypeChecker, type: ts.Type): Schema {
  const name = type.aliasSymbol?.name ?? type.getSymbol()?.name;
  if (name === 'Json') return {};
  if (name === 'JsonObject') return { type: 'object' };
  if (type.isUnion()) return schemaOfUnion(checker, type);
  if (type.isStringLiteral() || type.isNumberLiteral()) return { enum: [type.value] };
  const primitive = PRIMITIVES.find(([flag]) => type.flags & flag)?.[1];
  if (primitive) return primitive;
  if (checker.isArrayType(type))
    return { type: 'array', items: schemaOf(checker, checker.getTypeArguments(type as ts.TypeReference)[0]!) };
  return schemaOfObject(checker, type);
}

const PRIMITIVES: readonly (readonly [ts.TypeFlags, Schema])[] = [
  [ts.TypeFlags.String, { type: 'string' }],
  [ts.TypeFlags.Number, { type: 'number' }],
  [ts.TypeFlags.BooleanLike, { type: 'boolean' }],
  [ts.TypeFlags.Null, { type: 'null' }],
];

function schemaOfUnion(checker: ts.TypeChecker, union: ts.UnionType): Schema {
  const types = union.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
  const schemas = types.map((each) => schemaOf(checker, each));
  const values = schemas.flatMap(({ enum: own }) => (own as readonly string[] | undefined) ?? []).sort();
  const others = schemas.filter((schema) => !('enum' in schema)).map((schema) => JSON.stringify(schema));
  const options = [...(values.length > 0 ? [JSON.stringify({ enum: values })] : []), ...new Set(others)].sort();
  const parsed = options.map((option) => JSON.parse(option) as Schema);
  return parsed.length === 1 ? parsed[0]! : { anyOf: parsed };
}

function schemaOfObject(checker: ts.TypeChecker, type: ts.Type): Schema {
  const index = checker.getIndexInfoOfType(type, ts.IndexKind.String);
  if (index) return { type: 'object', additionalProperties: schemaOf(checker, index.type) };
  const properties = checker.getPropertiesOfType(type).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const isOptional = ({ flags }: ts.Symbol) => (flags & ts.SymbolFlags.Optional) !== 0;
  return {
    type: 'object',
    properties: Object.fromEntries(
      properties.map((each) => [each.name, schemaOf(checker, checker.getTypeOfSymbol(each))]),
    ),
    required: properties.filter((each) => !isOptional(each)).map(({ name }) => name),
    additionalProperties: false,
  };
}
