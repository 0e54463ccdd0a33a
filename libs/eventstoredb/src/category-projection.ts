import { AccessDeniedError } from '@eventstore/db-client';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Connection } from './connection';

const NAME = '$by_category';

/** The server's projection that fills the category streams, which organizations' histories are read from. */
export class CategoryProjection {
  constructor(private readonly connection: Connection) {}

  /**
   * Its state in the server's words, such as "Faulted"; undefined while it runs, and to a user who may not ask.
   * @throws LogUnavailable
   */
  async stoppedAs(): Promise<string | undefined> {
    const state = await this.state();
    return state === undefined || state.startsWith('Running') ? undefined : state;
  }

  /** One sentence for operators unless it is known to run. @throws LogUnavailable */
  async warning(): Promise<string | undefined> {
    const state = await this.state();
    if (state === undefined) return NOT_KNOWN;
    if (state.startsWith('Running')) return undefined;
    return `${sentenceOf(state)}; audit logs are read from $all, which takes longer.`;
  }

  /** Undefined to a user who may not ask. @throws LogUnavailable */
  private async state(): Promise<string | undefined> {
    const { connection } = this;
    try {
      return (await connection.withTimeout(connection.client.getProjectionStatus(NAME))).status;
    } catch (error) {
      if (error instanceof AccessDeniedError) return undefined; // reserved to operators
      if (error instanceof LogUnavailable) throw error;
      await connection.readAll({ direction: 'backwards', maxCount: 1 }); // is the server there at all?
      return 'in an unknown state';
    }
  }
}

const NOT_KNOWN = `The user of EVENTSTORE_URL may not ask EventStoreDB whether it runs its projection ${NAME}, from which audit logs are read; make it one of $ops or $admins.`;

export const sentenceOf = (state: string): string => `EventStoreDB does not run its projection ${NAME} (${state})`;
