import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { AlertDecisionDto, AlertDto } from '@ledgerline/client';
import { alertDecisionsQuery, alertDestinationsQuery, alertsQuery } from '../../api/alerts';
import { messageOf } from '../../api/failure';
import { useCreateRecord, useUpdateRecord } from '../../api/record-changes';
import { websitesQuery } from '../../api/websites';
import { Button } from '../../components/button';
import { DeleteButton } from '../../components/delete-button';
import { Tooltip } from '../../components/overlays';
import { NotFound, PageHeader } from '../../components/page';
import { Badge, Section } from '../../components/page-parts';
import { EmptyState, Notice } from '../../components/states';
import { type TableColumn, Table } from '../../components/table';
import { notify } from '../../components/toasts';
import { Answered } from '../website/lists/answer';
import { alertDraftOf, newDraft } from './alert-draft';
import { AlertForm } from './alert-form';
import { formatAlertFigure, formatMoment, OUTCOMES, PAUSES } from './alert-words';
import { AlertBadge, AlertSubject } from './alerts.page';

const route = getRouteApi('/signed-in/organizations/$organizationId/alerts/$alertId');

/** One alert, or the form of a new one. */
export function AlertPage() {
  const { organizationId, alertId } = route.useParams();
  const { data: alerts } = useSuspenseQuery(alertsQuery(organizationId));
  if (alertId === 'new') return <NewAlert organizationId={organizationId} />;
  const alert = alerts.find(({ id }) => id === alertId);
  return alert ? <OneAlert alert={alert} /> : <NotFound />;
}

function NewAlert({ organizationId }: { readonly organizationId: string }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: websites } = useSuspenseQuery(websitesQuery(organizationId));
  const websiteId = search.link === undefined ? (search.website ?? websites[0]?.id) : undefined;
  const target = { websiteId: websiteId ?? null, linkId: search.link ?? null };
  const { data: destinations } = useSuspenseQuery(
    alertDestinationsQuery({ organizationId, ...target, goalId: search.goal ?? null }),
  );
  const create = useCreateRecord('/v1/alerts');
  if (target.websiteId === null && target.linkId === null)
    return (
      <div className="page">
        <PageHeader title="New alert" />
        <EmptyState title="No websites yet">
          <p>An alert is about the figures of a website or link.</p>
        </EmptyState>
      </div>
    );
  return (
    <div className="page">
      <PageHeader title="New alert" description={<AlertSubject organizationId={organizationId} {...target} />} />
      <AlertForm
        key={JSON.stringify(search)}
        organizationId={organizationId}
        first={newDraft(search, websiteId, onlyOne(destinations))}
        isNew
        change={create}
        submit="Create the alert"
        onSubmit={(settings, { websiteId, linkId }) =>
          create.mutate(
            { organizationId, websiteId, linkId, ...settings },
            {
              onSuccess: ({ id }) => {
                notify('The alert is created');
                void navigate({ params: { organizationId, alertId: id }, search: {} });
              },
            },
          )
        }
        cancel={
          <Link className="button" to="/organizations/$organizationId/alerts" params={{ organizationId }}>
            Cancel
          </Link>
        }
      />
    </div>
  );
}

/** There is nothing to choose then. */
const onlyOne = (records: readonly { readonly id: string }[]): readonly string[] =>
  records.length === 1 ? records.map(({ id }) => id) : [];

interface AlertProps {
  readonly alert: AlertDto;
}

function OneAlert({ alert }: AlertProps) {
  const change = useUpdateRecord('/v1/alerts', alert.id);
  return (
    <div className="page">
      <PageHeader
        title={alert.name}
        description={
          <>
            <AlertBadge {...alert} /> <AlertSubject {...alert} />
          </>
        }
        actions={<AlertActions alert={alert} />}
      />
      {alert.pausedFor && <Notice tone="warning">{PAUSES[alert.pausedFor]}</Notice>}
      <Decisions alert={alert} />
      <AlertForm
        key={alert.revision}
        organizationId={alert.organizationId}
        first={alertDraftOf(alert)}
        change={change}
        submit="Save the alert"
        onSubmit={(settings) => change.mutate(settings, { onSuccess: () => notify('The alert is saved') })}
      />
    </div>
  );
}

/** Pausing, which can be undone, and deletion. */
function AlertActions({ alert: { id, name, enabled, organizationId } }: AlertProps) {
  const change = useUpdateRecord('/v1/alerts', id);
  const navigate = route.useNavigate();
  const pause = () =>
    change.mutate(
      { enabled: !enabled },
      {
        onSuccess: () => notify(enabled ? 'The alert is paused' : 'The alert is resumed'),
        onError: (error) => notify(messageOf(error)),
      },
    );
  return (
    <>
      <Button isBusy={change.isPending} onClick={pause}>
        {enabled ? 'Pause' : 'Resume'}
      </Button>
      <DeleteButton
        path="/v1/alerts"
        record={{ id, name }}
        onDeleted={() => {
          notify('The alert is deleted');
          void navigate({ to: '/organizations/$organizationId/alerts', params: { organizationId } });
        }}
      >
        <p>It decides no more; what it told stays in the audit log.</p>
      </DeleteButton>
    </>
  );
}

/** Shows what it told, with the figures as they were known then. */
function Decisions({ alert }: AlertProps) {
  const query = useQuery(alertDecisionsQuery(alert.id));
  const zone = useZone(alert);
  return (
    <Section
      title="History"
      description={`Windows end by the clock of ${zone}. ${changedText(query.data?.changedLater ?? 0)}`}
    >
      <Answered query={query} label="what it told" lines={4}>
        {({ data: decisions }) =>
          decisions.length === 0 ? (
            <p className="soft">Nothing yet.</p>
          ) : (
            <Table
              caption="What it told"
              columns={columnsOf(alert, zone)}
              rows={decisions}
              keyOf={({ to, outcome }) => `${to} ${outcome}`}
            />
          )
        }
      </Answered>
    </Section>
  );
}

const changedText = (windows: number): string =>
  windows === 0
    ? ''
    : `Late hits have changed the figures of ${windows === 1 ? '1 window' : `${windows} windows`} since.`;

/** The time zone of the website; that of a link is UTC. */
function useZone({ organizationId, websiteId }: AlertDto): string {
  const { data: websites = [] } = useQuery(websitesQuery(organizationId));
  return websites.find(({ id }) => id === websiteId)?.timezone ?? 'UTC';
}

const columnsOf = ({ figure }: AlertDto, zone: string): readonly TableColumn<AlertDecisionDto>[] => [
  { header: 'Window until', cell: ({ to }) => formatMoment(to, zone) },
  {
    header: 'What',
    cell: ({ outcome }) => {
      const [tone, word] = OUTCOMES[outcome];
      return <Badge tone={tone}>{word}</Badge>;
    },
  },
  { header: 'Figure', isNumber: true, cell: (each) => formatAlertFigure(figure, each.figure) },
  { header: 'Usual', isNumber: true, cell: ({ usual }) => formatAlertFigure(figure, usual) },
  {
    header: 'Today',
    isNumber: true,
    heading: <Tooltip text="Late hits may have changed the figure since.">Today</Tooltip>,
    cell: ({ figureNow }) => formatAlertFigure(figure, figureNow),
  },
  { header: 'As of', cell: ({ asOf }) => formatMoment(asOf, zone) },
];
