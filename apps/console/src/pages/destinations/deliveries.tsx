import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { DeliveryDto, DestinationDto, RetryDto } from '@ledgerline/client';
import { DELIVERIES_SHOWN, deliveriesQuery, useRetryDeliveries } from '../../api/destinations';
import { messageOf } from '../../api/failure';
import { Button } from '../../components/button';
import { CursorPages } from '../../components/cursor-pages';
import { Input } from '../../components/field';
import { Form, FormActions, numberFromInput } from '../../components/form';
import { Badge, CodeBlock, DescriptionList, Section, Time } from '../../components/page-parts';
import { Tabs } from '../../components/tabs';
import { notify } from '../../components/toasts';
import { Answered } from '../website/lists/answer';
import { answerText, deliveryState, typeText } from './destination-words';

const route = getRouteApi('/signed-in/organizations/$organizationId/destinations/$destinationId');

const TABS = [
  ['all', 'All'],
  ['waiting', 'Waiting'],
  ['set_aside', 'Set aside'],
  ['sent', 'Sent'],
] as const;

/** The messages of a destination, newest first: as they are sent, with what came back. */
export function Deliveries({ destination: { id, kind } }: { readonly destination: DestinationDto }) {
  const { state, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const [shown] = TABS.find(([name]) => name === state) ?? TABS[0];
  const filter = {
    state: shown === 'all' ? undefined : shown,
    before: cursor === undefined ? undefined : Number(cursor),
  };
  const query = useQuery({ ...deliveriesQuery(id, filter), placeholderData: keepPreviousData });
  const retry = useRetryDeliveries(id);
  const sendAgain = (which: RetryDto) =>
    retry.mutate(which, {
      onSuccess: ({ retried }) => notify(retried === 1 ? 'Sent again: 1 message' : `Sent again: ${retried} messages`),
      onError: (error) => notify(messageOf(error)),
    });
  return (
    <Section
      title="Deliveries"
      description="Kept for 30 days. What is sent again comes after what is new, under its former id."
      actions={
        kind === 'webhook' && (
          <Button isBusy={retry.isPending} onClick={() => sendAgain({ all: true })}>
            Send all set aside again
          </Button>
        )
      }
    >
      <Tabs
        label="Which messages"
        tabs={TABS}
        value={shown}
        onChange={(name) => void navigate({ search: { ...(name !== 'all' && { state: name }) }, replace: true })}
      >
        <Answered query={query} label="the messages" lines={4}>
          {(deliveries) => (
            <div className="stack">
              {deliveries.length === 0 && <p className="soft">No messages.</p>}
              {deliveries.length > 0 && (
                <ol className="trail">
                  {deliveries.map((delivery) => (
                    <Delivery
                      key={delivery.id}
                      delivery={delivery}
                      isBusy={retry.isPending}
                      onRetry={() => sendAgain({ deliveryIds: [delivery.id] })}
                    />
                  ))}
                </ol>
              )}
              <CursorPages cursor={cursor} nextCursor={nextOf(deliveries)} />
            </div>
          )}
        </Answered>
      </Tabs>
      {kind === 'webhook' && <RangeForm id={id} />}
    </Section>
  );
}

const nextOf = (deliveries: readonly DeliveryDto[]): string | null => {
  const last = deliveries.at(-1);
  return last && deliveries.length === DELIVERIES_SHOWN ? String(last.number) : null;
};

interface DeliveryProps {
  readonly delivery: DeliveryDto;
  readonly isBusy: boolean;
  readonly onRetry: () => void;
}

/** One message in a line; opened, as it is sent. */
function Delivery({ delivery, isBusy, onRetry }: DeliveryProps) {
  const [isOpen, setOpen] = useState(false);
  const { id, number, type, position, at, state, tries, status, answer, body } = delivery;
  const { tone, word } = deliveryState(delivery);
  const answered = tries > 0 && answerText({ status, text: answer });
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <Time at={at} />
          <span className="trail-what">
            <strong>{typeText(type)}</strong> <code>{type}</code>
          </span>
          <span className="trail-fields soft">{answered}</span>
          <Badge tone={tone}>{word}</Badge>
        </summary>
        {isOpen && (
          <div className="trail-opened">
            <DescriptionList
              facts={[
                ['Tries', tries],
                ['Last answer', answered],
                ['Number', number],
                ['Position in the audit log', position],
                ['webhook-id', <code key="id">{id}</code>],
              ]}
            />
            {body === null ? (
              <p className="soft">
                {state === 'erased' ? 'It held what was erased.' : 'It was taken, and is not kept.'}
              </p>
            ) : (
              <Body text={body} />
            )}
            {state !== 'waiting' && body !== null && (
              <p>
                <Button isBusy={isBusy} onClick={onRetry}>
                  Send again
                </Button>
              </p>
            )}
          </div>
        )}
      </details>
    </li>
  );
}

/** A message of an audit stream may have 1 MB. */
const MAX_SHOWN = 20_000;

const Body = ({ text }: { readonly text: string }) => (
  <>
    <CodeBlock text={text.slice(0, MAX_SHOWN)} label="the message" />
    {text.length > MAX_SHOWN && (
      <p className="soft">
        The first {MAX_SHOWN} of {text.length} characters.
      </p>
    )}
  </>
);

/** All messages of a range of numbers, once more. */
function RangeForm({ id }: { readonly id: string }) {
  const retry = useRetryDeliveries(id);
  return (
    <details className="more">
      <summary>Send a range again</summary>
      <Form
        change={retry}
        onSubmit={({ from, to }) =>
          retry.mutate(
            { from: numberFromInput(from), to: numberFromInput(to) },
            { onSuccess: ({ retried }) => notify(`Sent again: ${retried} messages`) },
          )
        }
      >
        <div className="form-row">
          <Input label="From number" name="from" inputMode="numeric" required />
          <Input label="To number" name="to" inputMode="numeric" required />
        </div>
        <FormActions submit="Send the range again" />
      </Form>
    </details>
  );
}
