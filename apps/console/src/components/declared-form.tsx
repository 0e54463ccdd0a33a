import { Fragment } from 'react';
import type {
  CreateMonitorDto,
  CreateStatusPageDto,
  CreateTagDto,
  NewLinkDto,
  RegisterWebsiteDto,
} from '@ledgerline/client';
import { BODY_FIELDS } from '../api/body-fields';
import { Checkbox } from './choices';
import { Input, Select } from './field';
import { numberFromInput, type Texts } from './form';
import { instantOf, LocalTimeInput, Textarea } from './text-fields';

interface Bodies {
  readonly RegisterWebsiteDto: RegisterWebsiteDto;
  readonly NewLinkDto: NewLinkDto;
  readonly CreateMonitorDto: CreateMonitorDto;
  readonly CreateStatusPageDto: CreateStatusPageDto;
  readonly CreateTagDto: CreateTagDto;
}

/** A field as the api declares it. */
interface DeclaredField {
  readonly type?: string;
  readonly isRequired: boolean;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}

/** The presentation of a field: what the api does not know of it. */
interface Presented {
  readonly label: string;
  readonly hint?: string;
  /** The text that is shown for each word, if not the word. */
  readonly words?: Readonly<Record<string, string>>;
  /** The rows of a text of several lines. */
  readonly rows?: number;
  /** The value of a new one, if the api has no default. */
  readonly usual?: string;
}

type Row<Name extends string> = { readonly [Each in Name]?: Presented };

/** The fields of a body that a form asks for, row by row. */
interface DeclaredForm<Body extends keyof Bodies, Name extends keyof Bodies[Body] & string> {
  readonly body: Body;
  readonly rows: readonly Row<Name>[];
}

export const declareForm = <Body extends keyof Bodies, Name extends keyof Bodies[Body] & string>(
  body: Body,
  ...rows: readonly Row<Name>[]
): DeclaredForm<Body, Name> => ({ body, rows });

const fieldsOf = (body: keyof Bodies): Readonly<Record<string, DeclaredField>> => BODY_FIELDS[body];

interface FormFieldsProps {
  readonly form: { readonly body: keyof Bodies; readonly rows: readonly Row<string>[] };
  /** As it is; undefined for a new one. */
  readonly record: object | undefined;
}

/** The controls of a form. */
export const FormFields = ({ form: { body, rows }, record }: FormFieldsProps) =>
  rows.map((row) => {
    const held: Readonly<Record<string, unknown>> = { ...record };
    const controls = Object.entries(row).map(([name, presented]) => {
      const field = fieldsOf(body)[name];
      return (
        field && presented && <Control key={name} name={name} field={field} presented={presented} value={held[name]} />
      );
    });
    const key = Object.keys(row).join();
    if (controls.length === 1) return <Fragment key={key}>{controls}</Fragment>;
    return (
      <div key={key} className="form-row">
        {controls}
      </div>
    );
  });

interface ControlProps {
  readonly name: string;
  readonly field: DeclaredField;
  readonly presented: Presented;
  readonly value: unknown;
}

function Control({ name, field, presented, value }: ControlProps) {
  const { rows, words = {}, usual, ...labelled } = presented;
  const held = value ?? field.default;
  if (field.type === 'boolean') return <Checkbox {...labelled} name={name} defaultChecked={held === true} />;
  if (field.format === 'date-time')
    return <LocalTimeInput {...labelled} name={name} at={typeof held === 'string' ? held : null} />;
  const text = textOf(held ?? usual);
  if (field.enum) {
    const options = field.enum.map((word) => [word, words[word] ?? word] as const);
    return <Select {...labelled} name={name} options={options} defaultValue={text} />;
  }
  if (field.type === 'array' || rows !== undefined)
    return <Textarea {...labelled} name={name} defaultValue={text} {...(rows === undefined ? {} : { rows })} />;
  if (field.type === 'integer') {
    const range = `${field.minimum ?? ''} to ${field.maximum ?? ''}`;
    return <Input hint={range} {...labelled} name={name} inputMode="numeric" defaultValue={text} />;
  }
  const type = field.format === 'uri' ? 'url' : 'text';
  return <Input {...labelled} name={name} type={type} required={field.isRequired} defaultValue={text} />;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Returns what a form says, for the api, which refuses what is wrong. */
export function valuesIn<Body extends keyof Bodies, Name extends keyof Bodies[Body] & string>(
  { body, rows }: DeclaredForm<Body, Name>,
  texts: Texts,
): Pick<Bodies[Body], Name> {
  const names = rows.flatMap((row) => Object.keys(row));
  const values = names.map((name) => [name, valueOf(fieldsOf(body)[name] ?? UNDECLARED, texts[name])]);
  return Object.fromEntries(values) as Pick<Bodies[Body], Name>; // by the types of the api
}

const UNDECLARED: DeclaredField = { isRequired: false };

function valueOf({ type, format, isRequired }: DeclaredField, text: string | undefined): unknown {
  if (type === 'boolean') return text !== undefined;
  if (type === 'integer') return numberFromInput(text);
  if (type === 'array') return (text ?? '').split(/[\s,]+/).filter(Boolean);
  if (format === 'date-time') return instantOf(text);
  return isRequired ? (text ?? '') : text || null;
}
