import { useQuery } from '@tanstack/react-query';
import type { RowOf } from '@ledgerline/client';
import { websiteQuery } from '../../../api/website-query';
import { Answered } from '../lists/answered';
import { ListTable } from '../lists/list-table';
import { listNamed } from '../lists/lists';
import type { useView } from '../view/use-view';

const STEPS = 200;
const SHOWN = 10;

/** Of one selected page: where sessions came from to it, and where they went on. */
export function PageSteps({ view }: { readonly view: ReturnType<typeof useView> }) {
  const page = view.filters.find(({ field, op }) => field === 'path' && op === 'eq')?.value;
  return typeof page === 'string' ? <Steps page={page} view={view} /> : null;
}

function Steps({ page, view }: { readonly page: string; readonly view: ReturnType<typeof useView> }) {
  const query = useQuery(websiteQuery(view.scope, { name: 'session_flow', limit: STEPS }));
  return (
    <Answered query={query} label="the steps" lines={SHOWN}>
      {({ rows, meta }) => (
        <div className="steps">
          <Side
            title={`Before ${page}`}
            field="from_path"
            rows={rows.filter((row) => row.to_path === page)}
            view={view}
            timeZone={meta.timezone}
          />
          <Side
            title={`After ${page}`}
            field="to_path"
            rows={rows.filter((row) => row.from_path === page)}
            view={view}
            timeZone={meta.timezone}
          />
        </div>
      )}
    </Answered>
  );
}

interface SideProps {
  readonly title: string;
  readonly field: 'from_path' | 'to_path';
  readonly rows: readonly RowOf<'session_flow'>[];
  readonly view: ReturnType<typeof useView>;
  readonly timeZone: string;
}

function Side({ title, field, rows, view, timeZone }: SideProps) {
  const list = { ...listNamed('session_flow'), title };
  const columns = list.columns.filter(
    (column) => !['from_path', 'to_path'].includes(column.field) || column.field === field,
  );
  return (
    <section className="query-panel" aria-label={title}>
      <header className="query-panel-head">
        <h2>{title}</h2>
      </header>
      {rows.length === 0 ? (
        <p className="no-rows">Sessions {field === 'from_path' ? 'begin' : 'end'} here.</p>
      ) : (
        <ListTable list={list} columns={columns} rows={rows.slice(0, SHOWN)} view={view} timeZone={timeZone} />
      )}
    </section>
  );
}
