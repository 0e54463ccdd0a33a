import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { GoalDto, RowOf, WebsiteDto } from '@ledgerline/client';
import { figuresQuery } from '../../../api/figures';
import { Select } from '../../../components/field';
import { type TableColumn, Table } from '../../../components/table';
import { formatFigure } from '../format';
import { formatRevenue } from '../lists/amounts';
import { AnswerMenu, Answered } from '../lists/answer';
import { NoRows } from '../lists/list-table';
import type { useView } from '../view/use-view';

interface GoalLinksProps {
  readonly goal: GoalDto;
  readonly view: ReturnType<typeof useView>;
}

type LinkRow = RowOf<'link_conversions'>;

/** The choices of which clicks get how much of a conversion. */
const MODELS = [
  ['last', 'The last click'],
  ['first', 'The first click'],
  ['linear', 'All clicks alike'],
  ['position', 'The first and the last most'],
] as const;
type Model = (typeof MODELS)[number][0];

/** The times, before a conversion, of its clicks: what ids of visitors can know. */
const WINDOWS: Readonly<Record<WebsiteDto['visitorIdentity'], readonly (readonly [string, string])[]>> = {
  daily: [['1d', 'in a day before it']],
  monthly: [
    ['30d', 'in 30 days before it'],
    ['7d', 'in 7 days before it'],
    ['1d', 'in a day before it'],
  ],
  stable: [
    ['30d', 'in 30 days before it'],
    ['90d', 'in 90 days before it'],
    ['7d', 'in 7 days before it'],
    ['1d', 'in a day before it'],
  ],
};

/** Shows which short links led to the conversions. */
export function GoalLinks({ goal, view }: GoalLinksProps) {
  const windows = WINDOWS[view.website.visitorIdentity];
  const [model, setModel] = useState<Model>('last');
  const [window, setWindow] = useState(windows[0]?.[0]);
  const parameter = { name: 'link_conversions', goal: goal.id, model, ...(window && { window }) } as const;
  const query = useQuery(figuresQuery(view.scope, parameter));
  return (
    <section className="query-panel overview" aria-label="Short links">
      <header className="query-panel-head">
        <h2>Led here by short links</h2>
        <div className="toolbar">
          <Select
            label="Attribution"
            options={MODELS}
            value={model}
            onChange={({ target }) => setModel(MODELS.find(([name]) => name === target.value)?.[0] ?? 'last')}
          />
          <Select label="Clicks" options={windows} value={window} onChange={({ target }) => setWindow(target.value)} />
        </div>
      </header>
      <Answered query={query} label="the short links" lines={4}>
        {({ rows, meta }) =>
          rows.length === 0 ? (
            <NoRows notes={meta.notes} />
          ) : (
            <Table
              caption="Conversions by short link"
              columns={[
                { header: 'Link', cell: (row) => <LinkName row={row} organizationId={view.organizationId} /> },
                ...FIGURES,
                ...(goal.value ? [REVENUE] : []),
              ]}
              rows={rows}
              keyOf={({ link_id: id }) => id ?? ''}
            />
          )
        }
      </Answered>
      <footer className="query-panel-foot">
        <span className="soft">Of visits to this website alone, whose addresses named the click.</span>
        <AnswerMenu title="Short links" scope={view.scope} parameter={parameter} />
      </footer>
    </section>
  );
}

function LinkName({ row, organizationId }: { readonly row: LinkRow; readonly organizationId: string }) {
  const { link_id: linkId, name } = row;
  if (linkId === null) return <span className="soft clip">No short link</span>;
  if (name === null) return <bdi className="clip">{linkId}</bdi>; // it is deleted
  return (
    <Link className="clip" to="/organizations/$organizationId/links/$linkId" params={{ organizationId, linkId }}>
      <bdi>{name}</bdi>
    </Link>
  );
}

const FIGURES: readonly TableColumn<LinkRow>[] = [
  { header: 'Clicks', isNumber: true, cell: ({ clicks }) => formatFigure('count', clicks) },
  { header: 'Visitors', isNumber: true, cell: ({ visitors }) => formatFigure('count', visitors) },
  { header: 'Conversions', isNumber: true, cell: ({ conversions }) => formatFigure('number', conversions) },
  { header: 'Share', isNumber: true, cell: ({ percentage }) => formatFigure('percent', percentage) },
];

const REVENUE: TableColumn<LinkRow> = {
  header: 'Revenue',
  isNumber: true,
  cell: ({ revenue }) => formatRevenue(revenue),
};
