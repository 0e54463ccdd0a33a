import { useQuery } from '@tanstack/react-query';
import { type QueryScope, figuresQuery } from '../../../api/figures';
import { useHasRevenue } from '../../../api/goals';
import { Button } from '../../../components/button';
import { Checkbox } from '../../../components/choices';
import { Popover } from '../../../components/overlays';
import { SearchInput } from '../../../components/text-fields';
import { conditionOfRows, RowMenu } from '../conditions/row-menu';
import { formatFigure, isText, readableText } from '../format';
import type { useView } from '../view/use-view';
import { comparisonOf } from '../view/view-scope';
import { type ListSearch, PAGE_ROWS } from '../view/view-search';
import { AnswerMenu, Answered } from './answer';
import type { AnyRow } from './cell';
import { seenByGoal, type ListColumn, type ListDeclaration } from './declare-list';
import { listParameter } from './goal-lens';
import { ListTable, NoRows, type Sort } from './list-table';

interface ColumnChoiceProps {
  /** All but the first, which names the rows. */
  readonly columns: readonly ListColumn[];
  readonly hidden: ReadonlySet<string>;
  readonly onChange: (hidden: readonly string[]) => void;
}

/** Shows which columns of a list are shown. */
const ColumnChoice = ({ columns, hidden, onChange }: ColumnChoiceProps) => (
  <Popover shown={<>Columns ▾</>} label="Columns">
    {() => (
      <div className="form">
        {columns.map(({ field, header }) => (
          <Checkbox
            key={field}
            label={header}
            checked={!hidden.has(field)}
            onChange={() =>
              onChange(columns.map((column) => column.field).filter((each) => hidden.has(each) !== (each === field)))
            }
          />
        ))}
      </div>
    )}
  </Popover>
);

interface FullListProps {
  readonly list: ListDeclaration;
  readonly view: ReturnType<typeof useView>;
  readonly search: ListSearch;
}

/** A list from its first row to its last one, in the order that the address says. */
export function FullList({ list: declared, view, search }: FullListProps) {
  const { page = 1, hide = [] } = search;
  const { list, isByGoal, sort, scope, parameter, query, searched, rows, total } = useListRows(declared, view, search);
  const hidden = query.data?.meta.hidden[list.type] ?? 0;
  const [naming] = list.columns;
  const condition = conditionOfRows(list.type);
  const isOver = (query.data?.total ?? 0) > SEARCHED.limit;
  return (
    <section className="query-panel full" aria-label={list.title} tabIndex={-1}>
      <ListTools list={list} view={view} search={search} isByGoal={isByGoal} />
      <Answered query={query} label={list.title} lines={12}>
        {({ meta }) =>
          rows.length === 0 ? (
            <NoListRows page={page} hidden={hidden} searched={searched} notes={meta.notes} />
          ) : (
            <ListTable
              list={list}
              columns={list.columns.filter((column) => column === naming || !hide.includes(column.field))}
              rows={rows}
              view={view}
              timeZone={meta.timezone}
              sort={sort ?? (list.sorted === undefined ? undefined : { field: list.sorted, order: 'desc' })}
              onSort={({ field, order }) => view.change({ sort: field, order, page: undefined })}
              actions={
                condition &&
                (({ name }) => typeof name === 'string' && <RowMenu {...condition} value={name} view={view} />)
              }
            />
          )
        }
      </Answered>
      {searched !== undefined && isOver && (
        <p className="few-rows">
          Searched in the first {formatFigure('count', SEARCHED.limit)} of{' '}
          {formatFigure('count', query.data?.total ?? 0)} rows.
        </p>
      )}
      {list.minimum && (
        <Few
          minimum={list.minimum}
          hidden={hidden}
          isShown={search.few !== undefined}
          onShow={(few) => view.change({ few, page: undefined })}
        />
      )}
      <footer className="query-panel-foot">
        <Pager page={page} rows={PAGE_ROWS} total={query.data && total} view={view} />
        <AnswerMenu title={list.title} scope={scope} parameter={parameter} />
      </footer>
    </section>
  );
}

/** Searches the list, and chooses its columns. */
function ListTools({
  list,
  view,
  search: { find, hide = [] },
  isByGoal,
}: FullListProps & { readonly isByGoal: boolean }) {
  return (
    <header className="list-tools">
      {list.isCompared && (
        <SearchInput
          label="Search in the list"
          placeholder="Search"
          value={find ?? ''}
          onSearch={(text) => view.change({ find: text || undefined, page: undefined })}
        />
      )}
      {view.search.goal !== undefined && !isByGoal && <span className="soft small">Not by goal</span>}
      <ColumnChoice
        columns={list.columns.slice(1)}
        hidden={new Set(hide)}
        onChange={(fields) => view.change({ hide: fields.length > 0 ? fields : undefined })}
      />
    </header>
  );
}

/** The rows of the page that the address names, and what is asked for them. */
function useListRows(declared: ListDeclaration, view: FullListProps['view'], search: ListSearch) {
  const { page = 1, find, few } = search;
  const seen = listParameter(declared.type, view.search.goal);
  const hasRevenue = useHasRevenue(view, view.search.goal);
  const list = seen.isSeen ? seenByGoal(declared, hasRevenue) : declared;
  const sort = sortOf(list, search);
  const scope: QueryScope = {
    ...view.scope,
    ...(list.isCompared ? comparisonOf(view.search) : {}),
    ...(sort ? { sortBy: sort.field, sortOrder: sort.order } : {}),
  };
  const minSamples = list.minimum && (few ? 1 : list.minimum.least);
  const parameter = { ...seen.parameter, ...(minSamples ? { minSamples } : {}) };
  const searched = list.isCompared ? find : undefined;
  const rowsAsked = searched === undefined ? { limit: PAGE_ROWS, page } : SEARCHED;
  const query = useQuery(figuresQuery({ ...scope, ...rowsAsked }, parameter));
  const asked = { list, isByGoal: seen.isSeen, sort, scope, parameter, query, searched };
  const answered = query.data?.rows ?? [];
  if (searched === undefined) return { ...asked, rows: answered, total: query.data?.total ?? 0 };
  const found = rowsWith(searched, list, answered);
  return { ...asked, rows: pageOf(found, page), total: found.length };
}

interface NoListRowsProps {
  readonly page: number;
  /** The number of rows that are left out. */
  readonly hidden: number;
  /** The text that was searched for. */
  readonly searched: string | undefined;
  readonly notes: readonly string[];
}

/** Says why a page of a list has no rows; rows that are left out have a sentence of their own. */
function NoListRows({ page, hidden, searched, notes }: NoListRowsProps) {
  if (searched !== undefined && page === 1) return <p className="no-rows">Nothing in this list holds “{searched}”.</p>;
  return (hidden === 0 || page > 1) && <NoRows isEnd={page > 1} notes={notes} />;
}

/** The most rows of an answer: a list is searched in the page, as its rows hold texts that no filter is about. */
export const SEARCHED = { limit: 10_000, page: 1 } as const;

/** Returns the rows whose texts hold a text, as they are read, in upper or lower case. */
function rowsWith(text: string, { columns }: ListDeclaration, rows: readonly AnyRow[]): readonly AnyRow[] {
  const sought = text.toLowerCase();
  const isFound = (row: AnyRow) =>
    columns.some(({ kind, field }) => {
      const value = row[field];
      return (
        isText(kind) &&
        typeof value === 'string' &&
        `${value} ${readableText(kind, value)}`.toLowerCase().includes(sought)
      );
    });
  return rows.filter(isFound);
}

const pageOf = (rows: readonly AnyRow[], page: number) => rows.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS);

interface FewProps {
  readonly minimum: NonNullable<ListDeclaration['minimum']>;
  /** The number of rows that are left out. */
  readonly hidden: number;
  readonly isShown: boolean;
  readonly onShow: (few: 'shown' | undefined) => void;
}

/** The number of pages a list leaves out, and the way to see them. */
function Few({ minimum: { least, of }, hidden, isShown, onShow }: FewProps) {
  if (hidden === 0 && !isShown) return null;
  const few = `with fewer than ${least} ${of}`;
  const pages = hidden === 1 ? `1 page ${few} is` : `${formatFigure('count', hidden)} pages ${few} are`;
  return (
    <p className="few-rows">
      {isShown ? `Figures of pages ${few} say little.` : `${pages} not shown.`}{' '}
      <Button variant="quiet" onClick={() => onShow(isShown ? undefined : 'shown')}>
        {isShown ? 'Hide them' : 'Show them'}
      </Button>
    </p>
  );
}

/** Returns what the address says, where the list can be sorted so. */
function sortOf({ sorts, isCompared }: ListDeclaration, { sort, order = 'desc' }: ListSearch): Sort | undefined {
  const isKnown = sort !== undefined && (sorts.includes(sort) || (isCompared && sort === 'change_percent'));
  return isKnown ? { field: sort, order } : undefined;
}

interface PagerProps {
  readonly page: number;
  /** The number of rows of a page. */
  readonly rows: number;
  /** The number of rows of all pages, once it is known. */
  readonly total: number | undefined;
  readonly view: { readonly change: (changes: { readonly page: number | undefined }) => void };
}

/** The api answers no rows after these. */
const MAX_ROWS = 100_000;

/** Shows which rows of a list are shown, and the way to the others; the address has the page. */
export function Pager({ page, rows, total, view }: PagerProps) {
  if (total === undefined) return <span />;
  const pages = Math.max(Math.ceil(total / rows), 1);
  const first = Math.min((page - 1) * rows + 1, total);
  const last = Math.min(page * rows, total);
  const count = (value: number) => formatFigure('count', value);
  const open = (to: number) => view.change({ page: to > 1 ? to : undefined });
  if (page === 1 && total <= rows)
    return <span className="soft">{total === 0 ? 'No rows' : `${count(total)} ${total === 1 ? 'row' : 'rows'}`}</span>;
  return (
    <nav className="pager" aria-label="Pages of the list">
      <Button disabled={page <= 1} onClick={() => open(1)}>
        First
      </Button>
      <Button disabled={page <= 1} onClick={() => open(page - 1)}>
        Previous
      </Button>
      <span>{total === 0 ? 'No rows' : `${count(first)}–${count(last)} of ${count(total)}`}</span>
      <Button disabled={page >= pages} onClick={() => open(page + 1)}>
        Next
      </Button>
      <Button disabled={page >= pages} onClick={() => open(Math.min(pages, Math.floor(MAX_ROWS / rows)))}>
        Last
      </Button>
    </nav>
  );
}
