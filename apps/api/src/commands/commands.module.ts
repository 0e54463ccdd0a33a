import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { Attempts } from './attempts';
import { Decisions } from './decisions';
import { LogPositionInterceptor } from './log-position.interceptor';

/** What every command needs. */
@Module({
  imports: [CqrsModule.forRoot()],
  providers: [Attempts, Decisions, { provide: APP_INTERCEPTOR, useClass: LogPositionInterceptor }],
  exports: [CqrsModule, Attempts, Decisions],
})
export class CommandsModule {}
