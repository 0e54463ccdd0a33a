import { lazy, Suspense, useRef } from 'react';
import { Button } from '../../../components/button';
import { Popover } from '../../../components/overlays';
import { Skeleton } from '../../../components/states';
import { describeFilter, FILTER_FIELDS, oppositeOf, withAlternative } from './filter-fields';
import type { Selection } from './use-view';
import type { ViewFilter } from './view-search';

/** Loaded when it is first opened. */
const FilterForm = lazy(async () => ({ default: (await import('./filter.menu')).FilterForm }));

type FilteredView = Pick<Selection, 'filters' | 'select' | 'scope'>;

interface FilterBarProps {
  readonly view: FilteredView;
  /** The fields that can be filtered by: names with their labels. */
  readonly fields?: readonly (readonly [name: string, label: string])[];
}

/** Every filter of the page, each with the ways to change it and to take it out, and the way to add one. */
export function FilterBar({ view, fields = FILTER_FIELDS }: FilterBarProps) {
  const { filters, select } = view;
  const keep = (kept: readonly ViewFilter[]) => select({ filters: kept.length > 0 ? kept : undefined });
  return (
    <>
      <Popover shown={<>Filter +</>} label="Add a filter">
        {(close) => (
          <Suspense fallback={<Skeleton lines={4} label="the fields" />}>
            <FilterForm
              fields={fields}
              scope={view.scope}
              submit="Add"
              onSubmit={(filter) => {
                keep([...filters, filter]);
                close();
              }}
            />
          </Suspense>
        )}
      </Popover>
      {filters.length > 0 && (
        <ul className="chips" aria-label="Filters">
          {filters.map((filter, at) => (
            <FilterChip
              key={`${at} ${describeFilter(filter)}`}
              filter={filter}
              fields={fields}
              scope={{ ...view.scope, filters: filters.toSpliced(at, 1) }}
              onChange={(next) => keep(next ? filters.with(at, next) : filters.toSpliced(at, 1))}
            />
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

interface FilterChipProps extends Pick<Required<FilterBarProps>, 'fields'> {
  /** Without the filter, whose alternatives are others. */
  readonly scope: FilteredView['scope'];
  readonly filter: ViewFilter;
  /** Without a filter, it is taken out. */
  readonly onChange: (filter: ViewFilter | undefined) => void;
}

function FilterChip({ filter, fields, scope, onChange }: FilterChipProps) {
  const text = describeFilter(filter);
  const change = (element: Element, next: ViewFilter | undefined) => {
    element.closest<HTMLElement>('.view-bar')?.focus(); // as what was pressed is gone then
    onChange(next);
  };
  const opposite = oppositeOf(filter);
  const chip = useRef<HTMLLIElement>(null);
  return (
    <li ref={chip} className="chip">
      <span>{text}</span>
      <Popover
        shown={
          <>
            or<span className="visually-hidden"> something else than {text}</span>
          </>
        }
        label={`An alternative to ${text}`}
      >
        {() => (
          <Suspense fallback={<Skeleton lines={4} label="the fields" />}>
            <FilterForm
              fields={fields}
              scope={scope}
              submit="Add the alternative"
              onSubmit={(other) => chip.current && change(chip.current, withAlternative(filter, other))}
            />
          </Suspense>
        )}
      </Popover>
      {opposite && (
        <button
          type="button"
          aria-label={`Replace it by: ${describeFilter(opposite)}`}
          title={describeFilter(opposite)}
          onClick={({ currentTarget }) => change(currentTarget, opposite)}
        >
          ≠
        </button>
      )}
      <button
        type="button"
        aria-label={`Remove the filter ${text}`}
        onClick={({ currentTarget }) => change(currentTarget, undefined)}
      >
        ×
      </button>
    </li>
  );
}
