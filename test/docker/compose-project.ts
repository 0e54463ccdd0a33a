import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse, type CollectionTag, type YAMLSeq } from 'yaml';
import { root } from '../docs/documents';

type Value = string | number | boolean | null | Value[] | Override | { [key: string]: Value };
type Fields = Record<string, Value>;

/** A service as the command line of Compose resolves it, with the fields that are read here. */
export interface Service {
  readonly image: string;
  readonly build?: { readonly target: string };
  readonly environment: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly mem_limit?: string;
  readonly stop_grace_period?: string;
}

/** Replaces a list instead of appending to it. */
class Override {
  constructor(readonly items: Value[]) {}
}

const override: CollectionTag = {
  tag: '!override',
  collection: 'seq',
  resolve: (list) => new Override((list as YAMLSeq).toJSON() as Value[]),
};

export const composeText = (file: string): string => readFileSync(join(root, 'docker', file), 'utf8');

/** A file as it is, but for its merge keys and tags. */
export const composeFile = (file: string): object => plain(read(composeText(file))) as object;

/** The services of docker/compose.yml, changed by further files, as `docker compose -f … -f …` resolves them. */
export function composeServices(files: readonly string[], env: Readonly<NodeJS.ProcessEnv>): Record<string, Service> {
  const resolved = new Map(files.map((file) => [file, read(interpolate(composeText(file), env))]));
  const services = (file: string) => resolved.get(file)!['services'] as Record<string, Fields>;
  const withBase = ({ extends: base, ...fields }: Fields): Fields => {
    if (base === undefined) return fields;
    const { file, service } = base as { file: string; service: string };
    return merge(withBase(services(basename(file))[service]!), fields);
  };
  const project = files.reduce<Record<string, Fields>>((merged, file) => {
    const own = Object.entries(services(file)).map(([name, fields]) => [name, withBase(fields)] as const);
    return merge(merged, Object.fromEntries(own)) as Record<string, Fields>;
  }, {});
  return plain(project) as Record<string, Service>; // checked against the schema of Compose by a spec
}

const read = (text: string): Fields => parse(text, { merge: true, customTags: [override] }) as Fields;

function merge(base: Fields, changes: Fields): Fields {
  const changed = Object.entries(changes).map(([key, value]) => [key, mergeValue(base[key], value)] as const);
  return { ...base, ...Object.fromEntries(changed) };
}

function mergeValue(base: Value | undefined, value: Value): Value {
  if (Array.isArray(base) && Array.isArray(value)) return [...base, ...value];
  return isFields(base) && isFields(value) ? merge(base, value) : value;
}

const isFields = (value: Value | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Override);

function plain(value: Value): unknown {
  if (value instanceof Override) return value.items.map(plain);
  if (Array.isArray(value)) return value.map(plain);
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

/** `${NAME:-default}`, the default perhaps with variables too, and `${NAME:?message}`. @throws the message */
export function interpolate(text: string, env: Readonly<NodeJS.ProcessEnv>): string {
  return text.replace(/\$\{(\w+):([-?])((?:[^{}]|\$\{[^{}]*\})*)\}/g, (_, name: string, kind: string, rest: string) => {
    const value = env[name];
    if (value) return value;
    if (kind === '?') throw new Error(`${name} ${rest}`);
    return interpolate(rest, env);
  });
}
