import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, type ErrorComponentProps } from '@tanstack/react-router';
import { Host } from '../../addresses/address';
import { codeOf } from '../../api/failure';
import { type SharedView, sharedDashboardQuery, useOpenShare } from '../../api/websites';
import { Input } from '../../components/field';
import { Form, FormActions } from '../../components/form';
import { PageHeader, RouteError } from '../../components/page';
import { CardPage, PublicFrame } from '../../layout/public-frame';
import { Overview, Panel, useOverview } from '../website/dashboard/dashboard-parts';
import { describeFilter, sharedFilterFields } from '../website/view/filter-fields';
import { useSelection } from '../website/view/use-view';
import { ViewBar } from '../website/view/view-bar';
import { LiveVisitors, SaidOnce } from '../website/website-page';
import { publicLists } from './public-lists';

const route = getRouteApi('/share/$token');

/** Shows what a share shows to everybody who has its address, and its password if it has one. */
export function SharedPage() {
  const { token } = route.useParams();
  const { data } = useSuspenseQuery(sharedDashboardQuery(token));
  return data.dashboard ? <SharedDashboard token={token} dashboard={data.dashboard} /> : <Password token={token} />;
}

/** In its place: there is nothing at the address, or nothing that can be loaded. */
export const SharedError = (failed: ErrorComponentProps) =>
  failed.error instanceof Error && codeOf(failed.error) === 'NOT_FOUND' ? (
    <CardPage title="Not shared">
      <p>There are no statistics at this address, or not any more. Ask whoever gave it to you.</p>
    </CardPage>
  ) : (
    <PublicFrame>
      <main className="shared">
        <RouteError {...failed} />
      </main>
    </PublicFrame>
  );

function Password({ token }: { readonly token: string }) {
  const open = useOpenShare(token);
  return (
    <CardPage title="Shared statistics">
      <Form onSubmit={({ password = '' }) => open.mutate(password)} change={open}>
        <Input label="Password" name="password" type="password" autoComplete="off" required />
        <FormActions submit="Show" variant="primary" />
      </Form>
    </CardPage>
  );
}

type Dashboard = NonNullable<SharedView['dashboard']>;

interface SharedDashboardProps {
  readonly token: string;
  readonly dashboard: Dashboard;
}

function SharedDashboard({ token, dashboard }: SharedDashboardProps) {
  const search = route.useSearch();
  const { name, website, panels, filters } = dashboard;
  const { timezone: zone } = website;
  const zoneText = `${zone} (of the website)`;
  const view = useSelection({ target: { share: token }, zone, zoneText, fields: sharedFilterFields(filters) }, search);
  const { totals, course } = useOverview(view, search);
  const meta = totals.data?.meta;
  const page = (
    <div className={search.embed ? 'shared embedded' : 'shared'}>
      <main className="page analytics">
        <PageHeader
          title={website.name}
          description={
            <>
              <Host raw={website.domain} />
              {name !== website.name && ` · ${name}`}
            </>
          }
          actions={<LiveVisitors view={view} />}
        />
        <ViewBar view={view} meta={meta} isLive>
          {filters.length > 0 && (
            <ul className="chips" aria-label="Filters of all figures">
              {filters.map((filter) => (
                <li key={describeFilter(filter)} className="chip fixed">
                  <span>{describeFilter(filter)}</span>
                </li>
              ))}
            </ul>
          )}
        </ViewBar>
        <SaidOnce scope={view.scope}>
          <Overview totals={totals} course={course} view={view} chosen={search} />
          <div className="query-panels">
            {panels.map((panel) => (
              <Panel key={panel} name={panel} types={publicLists(panel)} chosen={search[panel]} view={view} />
            ))}
          </div>
        </SaidOnce>
      </main>
    </div>
  );
  return search.embed ? page : <PublicFrame>{page}</PublicFrame>;
}
