import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { DestinationDto } from '@ledgerline/client';
import {
  destinationsQuery,
  useRetryDeliveries,
  useRotateDestination,
  useTestDestination,
} from '../../api/destinations';
import { messageOf } from '../../api/failure';
import { useUpdateRecord } from '../../api/record-changes';
import { Button } from '../../components/button';
import { ConfirmedButton } from '../../components/confirm-dialog';
import { DeleteButton } from '../../components/delete-button';
import { PageHeader } from '../../components/page';
import { DescriptionList, Section, Time } from '../../components/page-parts';
import { Notice } from '../../components/states';
import { notify } from '../../components/toasts';
import { Deliveries } from './deliveries';
import { DestinationForm } from './destination-form';
import { DestinationSecret } from './destination-secret';
import { answerText, DESTINATION_FORMAT_LABELS, isSigned, stateOf } from './destination-words';
import { DestinationBadge } from './destinations.page';

const route = getRouteApi('/signed-in/organizations/$organizationId/destinations/$destinationId');

export function DestinationPage() {
  const { organizationId, destinationId } = route.useParams();
  const { data: destinations } = useSuspenseQuery(destinationsQuery(organizationId));
  const destination = destinations.find(({ id }) => id === destinationId);
  if (!destination) return null; // it is being deleted
  return (
    <div className="page">
      <PageHeader
        title={destination.name}
        description={`${DESTINATION_FORMAT_LABELS[destination.format].name} at ${destination.url}`}
        actions={<DestinationActions destination={destination} />}
      />
      <Now destination={destination} />
      <Deliveries key={destinationId} destination={destination} />
      <Changes key={destination.revision} destination={destination} />
    </div>
  );
}

interface OneProps {
  readonly destination: DestinationDto;
}

/** How sending goes, and what a test came to. */
function Now({ destination }: OneProps) {
  const { id, state, lastAnswer, lagSeconds } = destination;
  const test = useTestDestination(id);
  const retry = useRetryDeliveries(id);
  const { means } = stateOf(destination);
  const tryNow = () => retry.mutate({ deliveryIds: [] }, { onError: (error) => notify(messageOf(error)) });
  return (
    <Section
      title="Now"
      description={means || undefined}
      actions={
        <>
          {state !== 'ok' && (
            <Button isBusy={retry.isPending} onClick={tryNow}>
              {state === 'off' ? 'Turn on' : 'Try now'}
            </Button>
          )}
          <Button variant="primary" isBusy={test.isPending} onClick={() => test.mutate()}>
            Send a test
          </Button>
        </>
      }
    >
      <DescriptionList
        facts={[
          ['Status', <DestinationBadge key="status" {...destination} />],
          ['Last answer', lastAnswer && answerText(lastAnswer)],
          ['At', lastAnswer && <Time key="at" at={lastAnswer.at} />],
          ['The oldest message waits for', lagSeconds > 0 ? waitText(lagSeconds) : null],
        ]}
      />
      {test.data && (
        <Notice tone={isTaken(test.data.status) ? 'info' : 'danger'}>
          {isTaken(test.data.status) ? 'The test arrived.' : 'The test was not taken.'} {answerText(test.data)}
        </Notice>
      )}
      {test.error && <Notice tone="danger">{messageOf(test.error)}</Notice>}
    </Section>
  );
}

const isTaken = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

function waitText(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes < 2) return `${seconds} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** Pausing, a new secret, and deletion. */
function DestinationActions({ destination }: OneProps) {
  const { id, name, enabled, format, organizationId } = destination;
  const change = useUpdateRecord('/v1/destinations', id);
  const rotate = useRotateDestination(id);
  const navigate = useNavigate();
  const pause = () =>
    change.mutate(
      { enabled: !enabled },
      {
        onSuccess: () => notify(enabled ? `${name} is paused` : `${name} gets what it has missed`),
        onError: (error) => notify(messageOf(error)),
      },
    );
  if (rotate.data) return <DestinationSecret created={rotate.data} onClose={() => rotate.reset()} />;
  return (
    <>
      <Button isBusy={change.isPending} onClick={pause}>
        {enabled ? 'Pause' : 'Resume'}
      </Button>
      {isSigned(format) && (
        <ConfirmedButton
          text="Rotate the secret"
          title={`Rotate the secret of ${name}?`}
          action="Rotate the secret"
          change={rotate}
          onConfirm={() => rotate.mutate()}
        >
          <p>Messages are signed with the new secret, and for 24 hours also with the present one.</p>
        </ConfirmedButton>
      )}
      <DeleteButton
        path="/v1/destinations"
        record={destination}
        onDeleted={() =>
          void navigate({ to: '/organizations/$organizationId/destinations', params: { organizationId } })
        }
      >
        <p>Nothing is sent to it any more, and what waits for it is lost.</p>
      </DeleteButton>
    </>
  );
}

function Changes({ destination }: OneProps) {
  const change = useUpdateRecord('/v1/destinations', destination.id, destination.revision);
  return (
    <DestinationForm
      organizationId={destination.organizationId}
      destination={destination}
      change={change}
      submit="Save the destination"
      onSubmit={(settings) => change.mutate(settings, { onSuccess: () => notify('The destination is saved') })}
    />
  );
}
