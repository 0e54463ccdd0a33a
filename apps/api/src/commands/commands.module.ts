import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { CommandRunner } from './command-runner';
import { IdempotencyStore } from './idempotency-store';
import { WrittenInterceptor } from './written';

/** What every command needs. */
@Module({
  imports: [CqrsModule.forRoot()],
  providers: [IdempotencyStore, CommandRunner, { provide: APP_INTERCEPTOR, useClass: WrittenInterceptor }],
  exports: [CqrsModule, IdempotencyStore, CommandRunner],
})
export class CommandsModule {}
