import { useState } from 'react';
import { Button } from '../../../components/button';
import { Form } from '../../../components/form';
import { Input } from '../../../components/input';
import { Popover } from '../../../components/popover';
import { Select } from '../../../components/select';
import { describeFilter, FILTER_FIELDS } from './filter-fields';
import type { useView } from './use-view';
import { OPERATORS } from './view-search';

/** Every filter of the page, each with the way to take it out, and the way to add one. */
export function FilterBar({ view }: { readonly view: ReturnType<typeof useView> }) {
  const { filters, select } = view;
  const keep = (kept: typeof filters) => select({ filters: kept.length > 0 ? kept : undefined });
  return (
    <>
      <AddFilter onAdd={(filter) => keep([...filters, filter])} />
      {filters.length > 0 && (
        <ul className="chips" aria-label="Filters">
          {filters.map((filter, at) => (
            <li key={`${at} ${describeFilter(filter)}`} className="chip">
              <span>{describeFilter(filter)}</span>
              <button
                type="button"
                aria-label={`Remove the filter ${describeFilter(filter)}`}
                onClick={() => keep(filters.toSpliced(at, 1))}
              >
                ×
              </button>
            </li>
          ))}
          {filters.length > 1 && (
            <li>
              <Button variant="quiet" onClick={() => keep([])}>
                Remove all
              </Button>
            </li>
          )}
        </ul>
      )}
    </>
  );
}

type Filter = ReturnType<typeof useView>['filters'][number];

function AddFilter({ onAdd }: { readonly onAdd: (filter: Filter) => void }) {
  const [added, setAdded] = useState(0); // another key closes it
  const submit = ({ field = '', op = '', value = '' }: Readonly<Record<string, string>>) => {
    const operator = OPERATORS.find(([each]) => each === op)?.[0];
    if (!operator) return;
    onAdd({ field, op: operator, value });
    setAdded(added + 1);
  };
  return (
    <Popover key={added} shown={<>Filter +</>} label="Add a filter">
      <Form onSubmit={submit}>
        <Select label="Field" name="field" options={FILTER_FIELDS} />
        <Select label="Condition" name="op" options={OPERATORS} />
        <Input label="Value" name="value" hint="As the lists show it, such as Germany, Direct or /pricing" />
        <Button type="submit" variant="primary">
          Add
        </Button>
      </Form>
    </Popover>
  );
}
