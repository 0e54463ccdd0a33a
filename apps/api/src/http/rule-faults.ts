import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';

/** What people are told of a value that breaks a rule of the library, after the name of its field. */
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

/** What is given to the rules of a field, by their names. */
type Limits = Readonly<Partial<Record<string, readonly unknown[]>>>;

const NONE: readonly unknown[] = [];

/** The words for a broken rule; undefined where the rule has a message of its own, or is none of the library. */
export function faultOf(name: string, value: unknown, rules: readonly ValidationMetadata[]): string | undefined {
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
