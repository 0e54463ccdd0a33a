import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useId } from 'react';
import { figuresQuery } from '../../../api/figures';
import { suggestionsQuery } from '../../../api/suggestions';
import { Button } from '../../../components/button';
import { Input, Select } from '../../../components/field';
import { Form } from '../../../components/form';
import { formatFigure } from '../format';
import { AnswerMenu, Answered } from '../lists/answer';
import { NoRows } from '../lists/list-table';
import type { useView } from '../view/use-view';
import { FlowDrawing } from './flow-drawing';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/$report');

const DIRECTIONS = [
  ['from', 'Paths from'],
  ['to', 'Paths to'],
] as const;

const KINDS = [
  ['page', 'Pages'],
  ['event', 'Events'],
] as const;

const STEPS = [
  ['3', '3 steps'],
  ['1', '1 step'],
  ['2', '2 steps'],
  ['4', '4 steps'],
  ['5', '5 steps'],
] as const;

interface Chosen {
  readonly direction: (typeof DIRECTIONS)[number][0];
  /** The kind of where they begin, and of what they lead through. */
  readonly kind: Kind;
  readonly by: Kind;
  readonly steps: (typeof STEPS)[number][0];
}

type Kind = (typeof KINDS)[number][0];

/** The value that is named, or the first one. */
const oneIn = <Value extends string>(
  values: readonly [first: readonly [Value, string], ...others: (readonly [Value, string])[]],
  name: string | undefined,
): Value => (values.find(([value]) => value === name) ?? values[0])[0];

/** The lists that have the names of where journeys begin. */
const NAMES = { page: 'top_pages', event: 'custom_events' } as const;

const BRANCHES = 5;
/** The greatest number of nodes in a tree of five branches and five steps. */
const MOST_NODES = 5_000;

/**
 * Shows which pages or events follow each other in sessions, drawn as a tree: by default after the page that is viewed
 * most.
 */
export function Flow({ view }: { readonly view: ReturnType<typeof useView> }) {
  const { start, ...search } = route.useSearch();
  const direction = oneIn(DIRECTIONS, search.direction);
  const kind = oneIn(KINDS, search.kind);
  const by = oneIn(KINDS, search.by);
  const steps = oneIn(STEPS, search.steps);
  const names = useQuery(suggestionsQuery(view.scope, NAMES[kind]));
  const shown = start ?? filteredPage(view, kind) ?? names.data?.[0]?.value;
  const parameter = {
    name: 'journeys' as const,
    by,
    steps: Number(steps),
    branches: BRANCHES,
    limit: MOST_NODES,
    [direction]: {
      kind,
      filters: [{ field: kind === 'page' ? 'path' : 'name', op: 'eq' as const, value: shown ?? '' }],
    },
  };
  const query = useQuery({ ...figuresQuery(view.scope, parameter), enabled: shown !== undefined });
  return (
    <section className="query-panel full journeys" aria-label="Journeys">
      <header className="query-panel-head">
        <h2>Journeys</h2>
      </header>
      <FlowChoice
        key={`${kind} ${shown}`}
        direction={direction}
        kind={kind}
        by={by}
        steps={steps}
        start={shown}
        view={view}
      />
      {names.data?.length === 0 ? (
        <NoRows notes={[]} />
      ) : (
        <Answered query={query} label="the journeys" lines={12}>
          {({ rows, meta }) =>
            rows.length === 0 ? (
              <NoRows notes={meta.notes} />
            ) : (
              <FlowDrawing
                key={`${direction} ${kind} ${by} ${steps} ${shown}`}
                nodes={rows}
                start={shown ?? ''}
                direction={direction}
                onOpen={(name) => view.change({ start: name, kind: by })}
              />
            )
          }
        </Answered>
      )}
      <footer className="query-panel-foot">
        <span className="soft">Of each session from its first such {kind === 'page' ? 'page view' : 'event'} on.</span>
        <AnswerMenu title="Journeys" scope={view.scope} parameter={parameter} />
      </footer>
    </section>
  );
}

/** The page that the list is filtered by, if it is one. */
function filteredPage({ filters }: ReturnType<typeof useView>, kind: Kind): string | undefined {
  const filter = filters.find((each) => 'field' in each && each.field === 'path' && each.op === 'eq');
  return kind === 'page' && filter && 'field' in filter && typeof filter.value === 'string' ? filter.value : undefined;
}

interface FlowChoiceProps extends Chosen {
  readonly start: string | undefined;
  readonly view: ReturnType<typeof useView>;
}

function FlowChoice({ direction, kind, by, steps, start = '', view }: FlowChoiceProps) {
  const id = useId();
  const { data = [] } = useQuery(suggestionsQuery(view.scope, NAMES[kind]));
  return (
    <Form onSubmit={({ start: next = '' }) => view.change({ start: next })}>
      <div className="form-row">
        <Select
          label="Show"
          options={DIRECTIONS}
          value={direction}
          onChange={({ target }) => view.change({ direction: target.value })}
        />
        <Select
          label="Type"
          options={KINDS}
          value={kind}
          onChange={({ target }) => view.change({ kind: target.value, start: undefined })}
        />
        <Input
          label={kind === 'page' ? 'Page' : 'Event'}
          name="start"
          defaultValue={start}
          list={id}
          autoComplete="off"
          required
        />
        <Select label="Steps" options={KINDS} value={by} onChange={({ target }) => view.change({ by: target.value })} />
        <Select
          label="Depth"
          options={STEPS}
          value={steps}
          onChange={({ target }) => view.change({ steps: target.value })}
        />
        <Button type="submit">Apply</Button>
      </div>
      <datalist id={id}>
        {data.map(({ value, count }) => (
          <option key={value} value={value}>
            {formatFigure('count', count)}
          </option>
        ))}
      </datalist>
    </Form>
  );
}
