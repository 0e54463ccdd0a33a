import { setTimeout } from 'node:timers/promises';
import { orUnavailable } from '@ledgerline/platform/database/database-errors';
import type { Queryable } from '@ledgerline/platform/database/pool';
import type { ChainHead, EventStore } from '@ledgerline/platform/event-store/event-store';
import {
  beginStatements,
  forgetSealedHead,
  organizationsSealedBefore,
} from '@ledgerline/platform/event-store/head-signer';
import {
  type SealingState,
  readSealingProgress,
  SealingProgress,
} from '@ledgerline/platform/event-store/sealing-progress';
import { StatementChain } from '@ledgerline/platform/event-store/statement-chain';
import { SealingFault, SealingFaults } from '@ledgerline/platform/event-store/verify-chain';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { ChainSealer, type SealProof } from './chain-sealer';
import type { Connection } from './connection';
import { OwnOrganizations } from './own-organizations';
import { shownEvents } from './position-digest';
import { SealChecks } from './seal-checks';
import { Sealer, type Sealing } from './sealer';
import type { Seals } from './seals';

/** Categories are filled within milliseconds. */
const SHOWN_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 300;
const MAX_SHOWN = 50;

/** The work of a process on the seals in its event store: it makes them, or watches them. */
export class StoreSealing {
  private readonly sealer: Sealer;
  /** Resolves once statement 0 of an empty log is signed. */
  private begun: Promise<void> | undefined;

  constructor(
    private readonly opened: Opened,
    private readonly sealing: Sealing,
  ) {
    const { store, seals, connection } = opened;
    const { key, database, onFault, paceMs, watch, created, ownOnly = false } = sealing;
    const proof = database && proofOf(store, seals, { ...sealing, database });
    const chains = new ChainSealer(seals, key, proof, ownOnly ? new OwnOrganizations(connection) : undefined);
    const faults = watch ?? new SealingFaults(database, onFault);
    const progress = database && new SealingProgress(database);
    this.sealer = new Sealer({ log: store, chains, faults, proof, progress, created, paceMs });
    if (watch) this.sealer.watch();
    else this.sealer.start();
  }

  /** Before the first event is appended. @throws LogUnavailable where statement 0 of an empty log cannot be signed */
  begin(): Promise<void> {
    this.begun ??= this.assertBegun().catch((error: unknown) => {
      this.begun = undefined;
      throw error;
    });
    return this.begun;
  }

  /** Undefined where none is kept. @throws LogUnavailable */
  async progress(): Promise<SealingState | undefined> {
    const { database } = this.sealing;
    return database && readSealingProgress(database);
  }

  suspect(organization: string): void {
    this.sealer.suspect(organization);
  }

  stop(): Promise<void> {
    return this.sealer.stop();
  }

  private async assertBegun(): Promise<void> {
    const { key, database } = this.sealing;
    if (!database) return;
    if (await orUnavailable('The table of signed statements', () => beginStatements(database, key, this.opened.store)))
      return;
    throw new LogUnavailable('The event store takes no event before statement 0 is signed with AUDIT_SIGNING_KEY.');
  }
}

export type SealingAnew = Sealing & { readonly database: Queryable };

function proofOf(
  store: EventStore,
  seals: Seals,
  { key, statementFile: file, logger, database }: SealingAnew,
): SealProof {
  const statements = new StatementChain({ database, key, file, logger, log: store });
  const checks = new SealChecks(seals, key, statements, store);
  const sealedBefore = () => organizationsSealedBefore(database);
  return { statements, checks, sealedBefore, forgetSealed: (organization) => forgetSealedHead(database, organization) };
}

interface Opened {
  readonly store: EventStore;
  readonly seals: Seals;
  readonly connection: Connection;
}

/**
 * Seals the history of an organization again, as it is shown now, whatever was sealed before. `record` is called once
 * that can be done, and answers the id of a command whose event is sealed too. @throws SealingFault
 */
export async function sealAnew(
  { store, seals, connection }: Opened,
  organization: string,
  sealing: SealingAnew,
  record: () => Promise<string>,
): Promise<ChainHead> {
  const proof = proofOf(store, seals, sealing);
  await proof.statements.readOn();
  const [warning] = await store.warnings(); // what is shown would end before the newest events
  if (warning !== undefined) throw new SealingFault(`${warning} Nothing can be sealed anew meanwhile.`);
  await seals.uncover(organization);
  if (!(await seals.hasHistory(organization)))
    throw new SealingFault(
      `No event of ${organization} can be read in the stream $ce-${organization}: what hides them there (a limit in its metadata, or that it is not filled) has to go first.`,
    );
  await untilShown(store, organization, await record());
  return new ChainSealer(seals, sealing.key, proof).sealAnew(organization, shownEvents(connection, organization));
}

/** @throws SealingFault where it takes too long */
async function untilShown(store: EventStore, organization: string, command: string): Promise<void> {
  const until = performance.now() + SHOWN_WITHIN_MS;
  for (;;) {
    const page = await store.readBack({ organization, limit: MAX_SHOWN });
    if (page.some(({ metadata }) => metadata.command === command)) return;
    if (performance.now() > until)
      throw new SealingFault(`The entry was recorded, but $ce-${organization} does not show it: nothing was sealed.`);
    await setTimeout(LOOK_AGAIN_MS);
  }
}
