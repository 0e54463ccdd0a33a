import { Inject, Injectable } from '@nestjs/common';
import type { ErasedInvitation, ErasedPerson } from '@ledgerline/contracts/events/audit-log.events';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { Registry } from '@ledgerline/domain/registry/registry';
import {
  type EventStore,
  type RecordedEvent,
  decidedIn,
  readWholeStream,
} from '@ledgerline/platform/event-store/event-store';
import { PersonalDataCipher, SubjectKeys } from '@ledgerline/platform/personal-data/personal-data-cipher';
import { notFound } from '../../http/problems';
import { EVENT_STORE } from '../../tokens';

const USER = /^usr_\w+$/;
const INVITATION = /^inv_\w+$/;

/** The keys with which the personal data of people in the events of an organization can be read. */
@Injectable()
export class PersonalKeys {
  constructor(
    private readonly keys: SubjectKeys,
    private readonly cipher: PersonalDataCipher,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly registry: Registry,
  ) {}

  /**
   * The ids of all keys that a person or an invitation ever had; a person's include those of invitations to them.
   * @throws Problem NOT_FOUND for what the organization does not know
   */
  async of(organizationId: string, subject: ErasedPerson | ErasedInvitation): Promise<readonly string[]> {
    const isPerson = 'userId' in subject;
    const id = isPerson ? subject.userId : subject.invitationId;
    const unknown = notFound(isPerson ? 'Person' : 'Invitation');
    if (!(isPerson ? USER : INVITATION).test(id)) throw unknown;
    const subjects = isPerson ? [id, ...(await this.invitationsOf(organizationId, id))] : [id];
    const keyIds = (await Promise.all(subjects.map((each) => this.keys.idsOf(organizationId, each)))).flat();
    if (keyIds.length === 0 && !this.isKnown(organizationId, id)) throw unknown;
    return keyIds;
  }

  /** The address in the events of an invitation; undefined without its key. */
  async addressOf(organizationId: string, invitationId: string): Promise<string | undefined> {
    const { history, emailIn } = await this.opened(organizationId);
    return history.map((event) => emailIn(event, invitationId)).find((email) => email !== '');
  }

  destroy(organizationId: string, keyIds: readonly string[]): Promise<void> {
    return this.keys.destroy(organizationId, keyIds);
  }

  /** Before personal data was in events, nothing had a key. */
  private isKnown(organizationId: string, id: string): boolean {
    return (
      this.registry.member(organizationId, id) !== undefined ||
      this.registry.invitation(id)?.organizationId === organizationId
    );
  }

  /**
   * Finds the invitations that the person accepted, and those to an address that the person or one of these invitations
   * had.
   */
  private async invitationsOf(organizationId: string, userId: string): Promise<readonly string[]> {
    const { history, emailIn } = await this.opened(organizationId);
    const decided = decidedIn(history);
    const invitations = decided.flatMap((event) => {
      if (event.type !== 'MemberInvited') return [];
      const { invitationId: id } = event.data;
      return [{ id, email: emailIn(event, id) }];
    });
    const accepted = decided.flatMap(({ type, data }) =>
      type === 'MemberAdded' && data.userId === userId ? [data.invitationId] : [],
    );
    const isAccepted = ({ id }: { id: string }) => accepted.includes(id);
    const addresses = new Set([
      ...history.map((event) => emailIn(event, userId)),
      ...invitations.filter(isAccepted).map(({ email }) => email),
    ]);
    addresses.delete('');
    return invitations.filter((each) => isAccepted(each) || addresses.has(each.email)).map(({ id }) => id);
  }

  private async opened(organizationId: string) {
    const history = await readWholeStream(this.store, RECORD_KINDS.organizations.stream({ id: organizationId }));
    const opened = await this.cipher.open(history);
    const emailIn = ({ id }: RecordedEvent, subject: string) =>
      opened.get(id)?.get(subject)?.email?.toLowerCase() ?? '';
    return { history, emailIn };
  }
}
