import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { figuresQuery, type QueryScope } from '../../../api/figures';
import { Answered, AnswerMenu } from './answer';
import type { ListView } from './cell';
import type { ListColumn, ListDeclaration } from './declare-list';
import { ListTable, NoRows } from './list-table';

interface ListPanelProps {
  readonly list: ListDeclaration;
  /** The parameter that is asked for, if it is not the list itself. */
  readonly parameter?: Parameters<typeof figuresQuery>[1];
  /** The columns that there is room for; all of them by default. */
  readonly columns?: readonly ListColumn[];
  /** The number of rows it has at most. */
  readonly rows: number;
  readonly view: ListView & { readonly scope: QueryScope };
  readonly head?: ReactNode;
  /** The way to the others, by how many there are. */
  readonly more?: (total: number) => ReactNode;
  /** False where no account is asked for. */
  readonly isExported?: boolean;
}

/** The first rows of a list, beside others of its kind. */
export function ListPanel({
  list,
  columns,
  rows: most,
  view,
  head,
  more,
  isExported = true,
  ...asked
}: ListPanelProps) {
  const { type, title } = list;
  const { parameter = { name: type } } = asked;
  const query = useQuery(figuresQuery(view.scope, { ...parameter, limit: most }));
  return (
    <section className="query-panel" aria-label={title} tabIndex={-1}>
      {head ?? (
        <header className="query-panel-head">
          <h2>{title}</h2>
        </header>
      )}
      <div className="query-panel-body">
        <Answered query={query} label={title} lines={most}>
          {({ rows, meta }) =>
            rows.length === 0 ? (
              <NoRows notes={meta.notes} />
            ) : (
              <ListTable list={list} columns={columns} rows={rows} view={view} timeZone={meta.timezone} />
            )
          }
        </Answered>
      </div>
      {isExported && (
        <footer className="query-panel-foot">
          {more ? more(query.data?.total ?? 0) : <span />}
          <AnswerMenu title={title} scope={view.scope} parameter={parameter} />
        </footer>
      )}
    </section>
  );
}
