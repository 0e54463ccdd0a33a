import type { Type as Class } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';
import { type FieldError, MAX_LISTED, type Problem } from '@ledgerline/contracts/errors/error-codes';
import { closest } from '@ledgerline/domain/query/suggestion';
import { argumentsOf, constraintsOf, type DeclaredField, dtoFields } from './nested';

/** The wrong fields of a request: the first of them, and how many there are. */
export class WrongFields {
  readonly listed: FieldError[] = [];
  count = 0;
  private readonly unread = new Set<string>();

  /** Adds a fault; one that is not listed is not put into words either. */
  add(describe: () => FieldError): void {
    if (this.count++ < MAX_LISTED) this.listed.push(describe());
  }

  addUnknown(path: string, name: string, known: Iterable<string>): void {
    this.add(() => {
      const suggestion = closest(name, [...known]);
      return { field: join(path, name), message: NOT_KNOWN, ...(suggestion === undefined ? {} : { suggestion }) };
    });
  }

  /** Adds the fault of a field whose value is not looked at, as it holds too much. */
  addLimit(path: string, { name, rules }: DeclaredField, limit: ValidationMetadata, holder: object): void {
    this.unread.add(path);
    this.add(() => {
      const value: unknown = Reflect.get(holder, name);
      const fault = faultOf(limit.name ?? '', value, rules);
      const message = fault === undefined ? ownMessage(limit, value, holder) : `${name} ${fault}`;
      return { field: path, message: wrongFieldSentence(message, name) };
    });
  }

  /** Adds the faults of one request of several. */
  addProblem({ details = [], count }: Pick<Problem, 'details' | 'count'>, path: string): void {
    const separator = (field: string) => (field === '' || field.startsWith('[') ? '' : '.');
    for (const one of details) this.add(() => ({ ...one, field: path + separator(one.field) + one.field }));
    this.count += count - details.length;
  }

  /** Adds what a validator found: each wrong field with the way to it, `parameters[1].limit` or `scopes[1]`. */
  addFound(error: ValidationError, path = ''): void {
    const field = join(path, error.property);
    if (this.unread.has(field)) return;
    const items = wrongItems(error);
    const ofItems = new Set(items.flatMap(({ broken }) => Object.keys(broken)));
    const ofField = Object.entries(error.constraints ?? {}).filter(([rule]) => !ofItems.has(rule));
    for (const [rule, message] of firstBroken(Object.fromEntries(ofField)))
      this.add(() => ({ field, message: wrongFieldSentence(messageOf(error, rule, message), error.property) }));
    for (const { index, value, broken } of items)
      for (const [rule, message] of firstBroken(broken))
        this.add(() => ({
          field: `${field}[${index}]`,
          message: wrongFieldSentence(faultOf(rule, value, rulesOfField(error, true)) ?? withoutEach(message)),
        }));
    for (const child of childrenOf(error, items)) this.addFound(child, field);
  }
}

/** A value that breaks one of these rules breaks its other rules too, which then are not reported. */
const FIRST = ['isString', 'isInt', 'isBoolean', 'isArray', 'isObject', 'isSlug', 'isInstant', 'isEmail'];

function messageOf(error: ValidationError, rule: string, message: string): string {
  const fault = faultOf(rule, valueOf(error), rulesOfField(error, false));
  return fault === undefined ? message : `${error.property} ${fault}`;
}

/** The errors within a value, unless the value itself, or this item of it, is of another type. */
function childrenOf({ constraints = {}, children = [] }: ValidationError, items: readonly WrongItem[]) {
  if (constraints['isArray'] !== undefined || constraints['isObject'] !== undefined) return [];
  return children.filter(({ property }) => !items.some(({ index }) => String(index) === property));
}

type Broken = Readonly<Record<string, string>>;

interface WrongItem {
  readonly index: number;
  readonly value: unknown;
  readonly broken: Broken;
}

/** At most one. */
function firstBroken(broken: Broken): (readonly [rule: string, message: string])[] {
  const rules = Object.entries(broken);
  const first = FIRST.map((name) => rules.find(([rule]) => rule === name)).find((rule) => rule !== undefined);
  return first ? [first] : rules.slice(0, 1);
}

/** The items of a list that break a rule for each of them; the library only reports that some do. */
function wrongItems(error: ValidationError): WrongItem[] {
  const { target, constraints = {} } = error;
  const list = valueOf(error);
  if (!target || !Array.isArray(list)) return [];
  const rules = rulesOfField(error, true);
  const broken = rules.flatMap((rule) =>
    constraintsOf(rule)
      .filter(({ name }) => constraints[name] !== undefined)
      .map(({ name, instance }) => ({ name, instance, args: argumentsOf(rule, target) })),
  );
  return list
    .map((value: unknown, index) => {
      const found = broken.filter(({ instance, args }) => instance.validate(value, { ...args, value }) !== true);
      return { index, value, broken: Object.fromEntries(found.map(({ name }) => [name, constraints[name] ?? ''])) };
    })
    .filter((item) => Object.keys(item.broken).length > 0);
}

/** The rules of a field itself, or of each of its items. */
const rulesOfField = ({ target, property }: ValidationError, each: boolean): readonly ValidationMetadata[] =>
  (target &&
    dtoFields(target.constructor as Class)
      .get(property)
      ?.rules.filter((rule) => !rule.each === !each)) ??
  [];

const valueOf = ({ target, property }: ValidationError): unknown => target && Reflect.get(target, property);

function ownMessage(rule: ValidationMetadata, value: unknown, holder: object): string {
  const args = { ...argumentsOf(rule, holder), value };
  const own = typeof rule.message === 'function' ? rule.message(args) : rule.message;
  const message = own || (constraintsOf(rule)[0]?.instance.defaultMessage?.(args) ?? '');
  return message.replaceAll('$property', rule.propertyName);
}

const withoutEach = (message: string): string => message.replace(/^each value in \S+ /, '');

/** The way to a field, by the way to the object that holds it. */
function join(path: string, property: string): string {
  if (/^\d+$/.test(property)) return `${path}[${property}]`;
  return path === '' ? property : `${path}.${property}`;
}

const NOT_KNOWN = 'Is not a known field.';

/** Begins with a capital letter, unless it begins with the name of the field. */
export const wrongFieldSentence = (message: string, field?: string): string =>
  field !== undefined && message.startsWith(`${field} `)
    ? `${message}.`
    : `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;

/** The words about a value that breaks a rule of the library, after the name of its field. */
const FAULTS: Readonly<Partial<Record<string, (value: unknown, limits: Limits) => string>>> = {
  isString: () => 'must be a text',
  isBoolean: () => 'must be true or false',
  isArray: () => 'must be a list',
  isObject: () => 'must be an object',
  isEmail: () => 'must be an email address such as ada@example.com',
  isInt: (_, limits) => numberWithin('whole number', limits),
  isNumber: (_, limits) => numberWithin('number', limits),
  isLength: (text, { isLength: [min, max] = NONE }) => lengthFault(text, min, max),
  maxLength: (text, { maxLength: [max] = NONE }) => lengthFault(text, 0, max),
  isIn: (_, { isIn: [values] = NONE }) => `must be one of ${(values as readonly unknown[]).join(', ')}`,
  arrayUnique: () => 'must not hold the same twice',
  arrayMinSize: (_, { arrayMinSize: [min] = NONE }) => `must hold at least ${counted(min, 'entry', 'entries')}`,
  arrayMaxSize: (_, { arrayMaxSize: [max] = NONE }) => `must hold at most ${counted(max, 'entry', 'entries')}`,
};

/** The arguments of the rules of a field, by their names. */
type Limits = Readonly<Partial<Record<string, readonly unknown[]>>>;

const NONE: readonly unknown[] = [];

/** The words for a broken rule; undefined where the rule has a message of its own, or is none of the library. */
function faultOf(name: string, value: unknown, rules: readonly ValidationMetadata[]): string | undefined {
  const broken = rules.find((rule) => rule.name === name);
  if (!broken) return undefined;
  if (value === undefined) return 'is missing';
  const isNumber = name === 'min' || name === 'max';
  const says = FAULTS[isNumber ? (rules.some((rule) => rule.name === 'isInt') ? 'isInt' : 'isNumber') : name];
  if (!says || broken.message) return undefined;
  return says(value, Object.fromEntries(rules.map((rule) => [rule.name ?? '', rule.constraints as unknown[]])));
}

function numberWithin(number: string, { min: [min] = NONE, max: [max] = NONE }: Limits): string {
  if (min !== undefined && max !== undefined) return `must be a ${number} from ${shown(min)} to ${shown(max)}`;
  if (min !== undefined) return `must be a ${number} of at least ${shown(min)}`;
  return `must be a ${number}${max === undefined ? '' : ` of at most ${shown(max)}`}`;
}

function lengthFault(text: unknown, min: unknown, max: unknown): string {
  if (typeof text !== 'string') return 'must be a text';
  if (text === '' && min === 1) return 'must not be empty';
  return Array.from(text).length < Number(min)
    ? `must have at least ${counted(min, 'character', 'characters')}`
    : `must have at most ${counted(max, 'character', 'characters')}`;
}

const shown = (number: unknown): string => Number(number).toLocaleString('en');

const counted = (count: unknown, one: string, many: string): string => `${shown(count)} ${count === 1 ? one : many}`;
