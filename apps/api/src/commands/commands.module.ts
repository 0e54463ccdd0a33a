import { Module } from '@nestjs/common';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { RegistryFence } from '@ledgerline/platform/registry/registry-lease';
import { CqrsModule } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { EVENT_STORE, POOL } from '../tokens';
import { CommandRunner, EventFactory } from './command-runner';
import { IdempotencyStore } from './idempotency-store';

/** What every command needs. */
@Module({
  imports: [CqrsModule.forRoot()],
  providers: [
    IdempotencyStore,
    CommandRunner,
    EventFactory,
    {
      provide: RegistryFence,
      inject: [POOL, EVENT_STORE],
      useFactory: (pool: Pool, store: EventStore) => new RegistryFence(pool, store),
    },
  ],
  exports: [CqrsModule, IdempotencyStore, CommandRunner],
})
export class CommandsModule {}
