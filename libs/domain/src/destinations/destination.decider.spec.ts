import type { DestinationCreated, DestinationDetails } from '@ledgerline/contracts/events/destination.events';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { specify } from '@test/domain/given';
import { type DestinationCommand, destination, plainDestination } from './destination.decider';

describe('a destination', () => {
  it('has a name of its own, and is one of at most 100', () => {
    given(created('dst_1')).when(create('dst_2')).rejects('NAME_TAKEN');
    const all = Array.from({ length: RECORD_KINDS.destinations.atMost }, (_, n) =>
      created(`dst_${n}`, { name: `${n}` }),
    );
    given(...all)
      .when(create('dst_new'))
      .rejects('DESTINATIONS_FULL');
  });

  it('takes another secret, and nothing else with it', () => {
    given(created('dst_1'))
      .when(rotate('new'))
      .then({
        type: 'DestinationRotated',
        data: { ...created('dst_1').data, sealed: 'new', before: { sealed: 'sealed' } },
      });
    given().when(rotate('new')).rejects('DESTINATION_NOT_FOUND');
  });

  it('is changed as it is after a rotation', () => {
    const rotated = {
      type: 'DestinationRotated',
      data: { ...created('dst_1', { sealed: 'new' }).data, before: {} },
    } as const;
    given(created('dst_1'), rotated)
      .when({ type: 'UpdateDestination', data: { destinationId: 'dst_1', changes: { enabled: false } } })
      .then({
        type: 'DestinationUpdated',
        data: { ...rotated.data, enabled: false, before: { enabled: true } },
      });
  });

  it('gets all of the audit log, or what it names', () => {
    given()
      .when(create('dst_1', { kind: 'audit', sends: ['link.created'] }))
      .rejects('DESTINATION_SENDS_INVALID');
    given()
      .when(create('dst_1', { sends: ['link.created'] }))
      .then(created('dst_1', { sends: ['link.created'] }));
  });

  it('mails nobody who has not said yes to this address, nor who says no', () => {
    const mail = { kind: 'mail', sends: ['monitor.down'], consent: 'asked' } as const;
    const asked = created('dst_1', mail);
    const given1 = { ...asked.data, consent: 'given', begin: 7 } as const;
    const confirm = (sealed: string) =>
      ({ type: 'ConfirmDestination', data: { destinationId: 'dst_1', sealed, begin: 7 } }) as const;
    const confirmed = {
      type: 'DestinationConfirmed',
      data: { ...given1, before: { consent: 'asked', begin: 0 } },
    } as const;
    const unsubscribe = { type: 'UnsubscribeDestination', data: { destinationId: 'dst_1' } } as const;
    const ended = {
      type: 'DestinationUnsubscribed',
      data: { ...given1, consent: 'withdrawn', enabled: false, before: { consent: 'given', enabled: true } },
    } as const;
    given(asked).when(confirm('sealed')).then(confirmed);
    given(asked).when(confirm('of another address')).then();
    given(asked, confirmed).when(confirm('sealed')).then();
    given(asked, confirmed).when(unsubscribe).then(ended);
    given(asked, confirmed, ended).when(unsubscribe).then();
    given(asked, confirmed, ended).when(confirm('sealed')).then();
    given(asked, confirmed, ended)
      .when({ type: 'UpdateDestination', data: { destinationId: 'dst_1', changes: { enabled: true } } })
      .rejects('MAIL_UNWANTED');
    given(created('dst_1')).when(unsubscribe).then();
    given()
      .when(create('dst_2', { ...mail, sends: ['member.joined'] }))
      .rejects('MAIL_SENDS_INVALID');
  });
});

const given = specify(destination);

const created = (destinationId: string, more: Partial<DestinationDetails> = {}): DestinationCreated => ({
  type: 'DestinationCreated',
  data: {
    destinationId,
    organizationId: 'org_1',
    kind: 'webhook',
    begin: 0,
    name: 'Pager',
    origin: 'https://a.example',
    headerNames: [],
    sealed: 'sealed',
    ...plainDestination,
    ...more,
  },
});

const create = (id: string, more: Partial<DestinationDetails> = {}): DestinationCommand => ({
  type: 'CreateDestination',
  data: created(id, more).data,
});

const rotate = (sealed: string): DestinationCommand => ({
  type: 'RotateDestination',
  data: { destinationId: 'dst_1', sealed },
});
