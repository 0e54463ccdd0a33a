import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ConditionDto, GoalDto, LinkDto, RowOf, WebsiteDto } from '@ledgerline/client';
import { figuresQuery } from '../../api/figures';
import { goalsQuery } from '../../api/goals';
import { websitesQuery } from '../../api/websites';
import { Select } from '../../components/field';
import { Skeleton } from '../../components/states';
import { formatFigure, UNKNOWN } from '../website/format';
import { formatRevenue } from '../website/lists/amounts';
import { Answered } from '../website/lists/answer';
import { ListPanel } from '../website/lists/list-panel';
import { listNamed } from '../website/lists/lists';
import { PANEL_ROWS } from '../website/report/reports';
import type { Selection } from '../website/view/use-view';
import { scopeOf } from '../website/view/view-scope';

interface LinkOutcomeProps {
  readonly link: LinkDto;
  /** The range of the page; filters of clicks are not those of visits. */
  readonly view: Selection;
  readonly led: ReturnType<typeof useLedTo>;
}

/** The websites of the organization that a link leads to, and the one that is looked at. */
export function useLedTo(link: LinkDto) {
  const { data } = useQuery(websitesQuery(link.organizationId));
  const [chosen, choose] = useState<string>();
  const websites = data?.filter((each) => leadsTo(link, each));
  return { websites, website: websites?.find(({ id }) => id === chosen) ?? websites?.[0], choose };
}

/** Returns whether a destination of the link is on the domain of a website or below it. */
function leadsTo({ targetUrl, iosUrl, androidUrl }: LinkDto, { domain }: WebsiteDto): boolean {
  const hosts = [targetUrl, iosUrl, androidUrl].flatMap((url) => (url === null ? [] : [new URL(url).hostname]));
  return hosts.some((host) => host === domain || host.endsWith(`.${domain}`));
}

/** Shows what became of the clicks on a website of the organization: visits and conversions. */
export function LinkOutcome({ link, view, led: { websites, website, choose } }: LinkOutcomeProps) {
  return (
    <section className="query-panel overview" aria-label="After the click">
      <header className="query-panel-head">
        <h2>After the click</h2>
        {websites && websites.length > 1 && (
          <Select
            label="Website"
            value={website?.id}
            options={websites.map(({ id, name }) => [id, name])}
            onChange={({ target }) => choose(target.value)}
          />
        )}
      </header>
      {websites?.length === 0 && (
        <p className="no-rows">Its destination is no website of this organization, so that visits are not counted.</p>
      )}
      {website && !link.trackVisits && (
        <p className="no-rows">Its clicks are not joined to visits, as its settings say.</p>
      )}
      {website && link.trackVisits && <Funnel key={website.id} link={link} view={view} website={website} />}
      {!websites && <Skeleton lines={2} label="the websites" />}
    </section>
  );
}

type OutcomeProps = Pick<LinkOutcomeProps, 'link' | 'view'> & { readonly website: WebsiteDto };

const scopeIn = ({ view, website }: OutcomeProps) => {
  const { filters: _, segment: __, ...range } = view.search;
  return { ...scopeOf({ website: website.id }, range), timezone: view.scope.timezone };
};

const visitsOf = ({ id }: LinkDto): ConditionDto => ({
  kind: 'link_click',
  filters: [{ field: 'link_id', op: 'eq', value: id }],
});

const MOST_LINKS = 10_000;

function Funnel(props: OutcomeProps) {
  const { link, website } = props;
  const { data: goals = [] } = useQuery(goalsQuery({ organizationId: link.organizationId, websiteId: website.id }));
  const [chosen, setChosen] = useState<string>();
  const goal = goals.find(({ id }) => id === chosen) ?? goals[0];
  const visits = { name: 'Visits', condition: visitsOf(link) };
  const scope = scopeIn(props);
  const visited = useQuery(figuresQuery(scope, { name: 'goals', goals: [visits] }));
  const conversions = useQuery({
    ...figuresQuery(scope, { name: 'link_conversions', goal: goal?.id ?? '', limit: MOST_LINKS }),
    enabled: goal !== undefined,
  });
  const row = conversions.data?.rows.find(({ link_id: id }) => id === link.id);
  return (
    <>
      <Answered query={visited} label="the visits" lines={2}>
        {({ rows: [reached] }) => <Outcome reached={reached} row={row} goal={goal} />}
      </Answered>
      <footer className="query-panel-foot">
        {goals.length > 0 ? (
          <Select
            label="Goal"
            value={goal?.id}
            options={goals.map(({ id, name }) => [id, name])}
            onChange={({ target }) => setChosen(target.value)}
          />
        ) : (
          <Link
            to="/organizations/$organizationId/websites/$websiteId/goals/$goalId"
            params={{ organizationId: link.organizationId, websiteId: website.id, goalId: 'new' }}
          >
            Make a goal to see conversions
          </Link>
        )}
        <span className="soft">The last click before a conversion counts.</span>
      </footer>
    </>
  );
}

interface FunnelOutcome {
  readonly reached: RowOf<'goals'> | undefined;
  readonly row: RowOf<'link_conversions'> | undefined;
  readonly goal: GoalDto | undefined;
}

function Outcome({ reached, row, goal }: FunnelOutcome) {
  const figures: readonly (readonly [string, string])[] = [
    ['Visits', formatFigure('count', reached?.conversions)],
    ['Visitors', formatFigure('count', reached?.visitors)],
    ['Conversions', goal ? formatFigure('number', row?.conversions ?? 0) : UNKNOWN],
    ...(goal?.value ? [['Revenue', (row && formatRevenue(row.revenue)) || UNKNOWN] as const] : []),
  ];
  return (
    <dl className="figures">
      {figures.map(([name, value]) => (
        <div key={name} className="figure">
          <dt>{name}</dt>
          <dd>
            <span className="figure-value">{value}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The pages that its visitors viewed; nothing where it has none. */
export function LinkVisited({ link, view, led: { website } }: LinkOutcomeProps) {
  return website && link.trackVisits ? <Visited link={link} view={view} website={website} /> : null;
}

function Visited(props: OutcomeProps) {
  const { view, link } = props;
  const scope = { ...scopeIn(props), segment: { did: [{ condition: visitsOf(link), within: 'session' as const }] } };
  return (
    <ListPanel
      list={listNamed('top_pages')}
      rows={PANEL_ROWS}
      view={{ ...view, scope }}
      head={
        <header className="query-panel-head">
          <h2>Where its visitors went</h2>
        </header>
      }
    />
  );
}
