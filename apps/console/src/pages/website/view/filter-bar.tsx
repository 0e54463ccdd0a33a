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
                onClick={({ currentTarget }) => {
                  currentTarget.closest<HTMLElement>('.view-bar')?.focus(); // as the button is gone then
                  keep(filters.toSpliced(at, 1));
                }}
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
  const submit = ({ field = '', op = '', value = '' }: Readonly<Record<string, string>>) => {
    const operator = OPERATORS.find(([each]) => each === op)?.[0];
    if (operator) onAdd({ field, op: operator, value });
  };
  return (
    <Popover shown={<>Filter +</>} label="Add a filter">
      {(close) => (
        <Form
          onSubmit={(texts) => {
            submit(texts);
            close();
          }}
        >
          <Select label="Field" name="field" options={FILTER_FIELDS} />
          <Select label="Condition" name="op" options={OPERATORS} />
          <Input label="Value" name="value" hint="As the lists show it, such as Germany, Direct or /pricing" />
          <Button type="submit" variant="primary">
            Add
          </Button>
        </Form>
      )}
    </Popover>
  );
}
