import { useQuery } from '@tanstack/react-query';
import { useId, useState, type KeyboardEvent } from 'react';
import { holdsTyped } from '@ledgerline/domain/query/suggestion';
import { figuresQuery, type QueryScope } from '../../../api/figures';
import { FormField, type Labelled } from '../../../components/field';
import { formatFigure, readableText, type TextKind } from '../format';
import type { ValueList } from './condition-kinds';

/** A value that there is, and how often. */
interface Suggestion {
  readonly value: string;
  /** The name that people give it. */
  readonly shown?: string;
  /** Undefined where that is not counted. */
  readonly count?: number;
}

interface ValueInputProps extends Labelled {
  readonly name: string;
  readonly value: string;
  readonly placeholder?: string | undefined;
  readonly onChange: (value: string) => void;
  /** The scope whose values are suggested. */
  readonly scope: QueryScope;
  readonly values: ValueList | readonly string[] | undefined;
  /** The kind of text as which they are shown. */
  readonly kind?: TextKind;
  /** The property whose values they are. */
  readonly property?: string;
  readonly isOptional?: boolean;
}

const SHOWN = 8;

/** A text, with the most frequent values of the range that hold what is typed: a combobox that takes any text. */
export function ValueInput({ value, onChange, scope, values, kind = 'text', property, ...props }: ValueInputProps) {
  const { placeholder, isOptional = false, ...labelled } = props;
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState<number>();
  const known = useSuggestions(scope, values, property);
  const isFound = (each: Suggestion) => [each.value, each.shown ?? ''].some((text) => holdsTyped(text, value));
  const found = known.filter(isFound).slice(0, SHOWN);
  const isShown = isOpen && found.length > 0 && !(found.length === 1 && found[0]?.value === value);
  const close = () => {
    setOpen(false);
    setAt(undefined);
  };
  const choose = (chosen: string) => {
    onChange(chosen);
    close();
  };
  const press = (event: KeyboardEvent) => {
    const chosen = at === undefined ? undefined : found[at];
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && isShown && chosen) choose(chosen.value);
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      setOpen(true);
      if (found.length > 0) setAt(neighbour(event.key === 'ArrowDown' ? 1 : -1, at, found.length));
    } else return;
    event.preventDefault();
  };
  return (
    <FormField {...labelled}>
      {(control) => (
        <div className="value-input">
          <input
            {...control}
            className="control"
            name={labelled.name}
            value={value}
            placeholder={placeholder}
            required={!isOptional}
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={isShown}
            aria-controls={isShown ? `${id}-list` : undefined}
            aria-activedescendant={isShown && at !== undefined ? `${id}-${at}` : undefined}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => {
              onChange(target.value);
              setOpen(true);
              setAt(undefined);
            }}
            onFocus={() => setOpen(true)}
            onBlur={close}
            onKeyDown={press}
          />
          {isShown && <ValueOptions id={id} found={found} at={at} values={values} kind={kind} onChoose={choose} />}
        </div>
      )}
    </FormField>
  );
}

/** Returns the index a step after another one, around the ends; without one, that of an end. */
const neighbour = (step: 1 | -1, at: number | undefined, length: number): number =>
  ((at ?? (step > 0 ? -1 : 0)) + step + length) % length;

interface ValueOptionsProps extends Pick<ValueInputProps, 'values'> {
  /** The id of the input; those of the list and its options begin with it. */
  readonly id: string;
  readonly found: readonly Suggestion[];
  /** The index of the highlighted one. */
  readonly at: number | undefined;
  readonly kind: TextKind;
  readonly onChoose: (value: string) => void;
}

const ValueOptions = ({ id, found, at, values, kind, onChoose }: ValueOptionsProps) => (
  <ul id={`${id}-list`} className="menu value-list" role="listbox" aria-label="Values in the range">
    {found.map(({ value, shown, count }, index) => (
      <li
        key={value}
        id={`${id}-${index}`}
        className="menu-item"
        role="option"
        data-highlighted={index === at || undefined}
        aria-selected={index === at}
        onPointerDown={(event) => event.preventDefault()} // the input keeps the focus
        onClick={() => onChoose(value)}
      >
        <bdi>{shown ?? readableText(kind, value)}</bdi>
        {count !== undefined && (
          <span className="soft">
            {formatFigure('count', count)} {unitOf(values, count)}
          </span>
        )}
      </li>
    ))}
  </ul>
);

const isList = (values: ValueInputProps['values']): values is ValueList => values !== undefined && 'type' in values;

/** Units are plurals. */
const unitOf = (values: ValueInputProps['values'], count: number): string =>
  isList(values) ? (count === 1 ? values.unit.slice(0, -1) : values.unit) : '';

const MOST_ROWS = 1_000;

function useSuggestions(
  scope: QueryScope,
  values: ValueInputProps['values'],
  property: string | undefined,
): readonly Suggestion[] {
  const list = isList(values) ? { name: values.type, ...values.options } : { name: 'top_pages' as const };
  const asked = figuresQuery(scope, { ...list, limit: MOST_ROWS });
  const { data } = useQuery({ ...asked, enabled: isList(values), placeholderData: undefined });
  if (!isList(values)) return (values ?? []).map((value) => ({ value }));
  return suggestionsIn(data?.rows ?? [], values, property);
}

type Row = Readonly<Record<string, unknown>>;

/** Equal values of several rows are one. */
function suggestionsIn(rows: readonly Row[], list: ValueList, property?: string): readonly Suggestion[] {
  const counts = new Map<string, number>();
  const names = new Map<string, string>();
  for (const row of rows) {
    const name = list.shown === undefined ? undefined : row[list.shown];
    const value = row[list.value];
    if (typeof value !== 'string' || value === '' || (list.of && row[list.of] !== property)) continue;
    if (list.atLeastOne !== undefined && row[list.atLeastOne] === 0) continue;
    if (typeof name === 'string') names.set(value, name);
    counts.set(value, (counts.get(value) ?? 0) + (list.count === undefined ? 1 : Number(row[list.count])));
  }
  return [...counts]
    .map(([value, count]) => ({ value, count, ...(names.has(value) && { shown: names.get(value) ?? '' }) }))
    .sort((one, other) => other.count - one.count);
}
