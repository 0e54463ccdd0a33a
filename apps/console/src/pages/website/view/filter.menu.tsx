import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { attributeNamed } from '@ledgerline/contracts/attributes';
import { holdsTyped, nearestValue } from '@ledgerline/domain/query/suggestion';
import type { QueryScope } from '../../../api/figures';
import { suggestionsQuery } from '../../../api/suggestions';
import { Button } from '../../../components/button';
import { Input, Select } from '../../../components/field';
import { Form } from '../../../components/form';
import { formatFigure, readableText } from '../format';
import { kindOfField } from './filter-fields';
import { FILTER_OPERATORS, type ViewFieldFilter } from './view-search';

interface FilterFormProps {
  /** The fields that can be filtered by: names with their labels. */
  readonly fields: readonly (readonly [name: string, label: string])[];
  /** The scope whose values are suggested. */
  readonly scope: QueryScope;
  /** The text of the button. */
  readonly submit: string;
  readonly onSubmit: (filter: ViewFieldFilter) => void;
}

/** A field, a condition and a value, of which those are suggested that there are. */
export function FilterForm({ fields, scope, submit, onSubmit }: FilterFormProps) {
  const [field, setField] = useState<string>(fields[0]?.[0] ?? 'path');
  const [value, setValue] = useState('');
  return (
    <Form
      onSubmit={({ op = '' }) => {
        const operator = FILTER_OPERATORS.find(([each]) => each === op)?.[0];
        if (operator) onSubmit({ field, op: operator, value });
      }}
    >
      <Select
        label="Field"
        name="field"
        options={fields}
        value={field}
        onChange={({ target }) => setField(target.value)}
      />
      <Select label="Condition" name="op" options={FILTER_OPERATORS} />
      <Input
        label="Value"
        name="value"
        autoComplete="off"
        value={value}
        onChange={({ target }) => setValue(target.value)}
      />
      <Suggestions key={field} scope={scope} field={field} text={value} onChoose={setValue} />
      <Button type="submit" variant="primary">
        {submit}
      </Button>
    </Form>
  );
}

interface SuggestionsProps extends Pick<FilterFormProps, 'scope'> {
  readonly field: string;
  /** The text that is typed. */
  readonly text: string;
  readonly onChoose: (value: string) => void;
}

const SHOWN = 6;

/** The most frequent values in the range that hold what is typed, or the one that was probably meant. */
function Suggestions({ scope, field, text, onChoose }: SuggestionsProps) {
  const { list, shownIn, linkList } = attributeNamed(field) ?? {};
  const type = scope.link === undefined ? (list?.type ?? shownIn) : linkList;
  const { data: values } = useQuery({ ...suggestionsQuery(scope, type ?? ''), enabled: type !== undefined });
  const read = (value: string) => readableText(kindOfField(field), value);
  if (type === undefined) return <p className="hint">As the website has it.</p>;
  if (!values) return <p className="hint">…</p>;
  const found = values.filter(({ value, code }) => [value, code].some((each) => holdsTyped(each, text)));
  if (found.length > 0)
    return (
      <ul className="suggestions" aria-label="Values in the range">
        {found.slice(0, SHOWN).map(({ value, count }) => (
          <li key={value}>
            <button type="button" onClick={() => onChoose(value)}>
              <bdi>{read(value)}</bdi>
              <span className="soft">{formatFigure('count', count)}</span>
            </button>
          </li>
        ))}
      </ul>
    );
  const known = values.map(({ value, code }) => ({ value, spellings: [value, code] }));
  const nearest = nearestValue(text, known);
  return (
    <p className="hint" role="status">
      {values.length === 0 ? 'There are no values in the range.' : 'Nothing in the range has this value.'}
      {nearest !== undefined && (
        <>
          {' '}
          Did you mean{' '}
          <button type="button" className="as-link" onClick={() => onChoose(nearest)}>
            {read(nearest)}
          </button>
          ?
        </>
      )}
    </p>
  );
}
