import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { CountsModule } from './counts.module';
import { FailedAuthentications } from './failed-authentications';
import { RequestCounts } from './request-counts';

/** How many requests everybody may make. The limits themselves are each request's own: see `allowanceFor`. */
@Module({
  imports: [
    CountsModule,
    ThrottlerModule.forRootAsync({
      imports: [CountsModule],
      inject: [RequestCounts],
      useFactory: (storage: RequestCounts) => ({ throttlers: [{ limit: 0, ttl: 0 }], storage }),
    }),
  ],
  providers: [FailedAuthentications],
  exports: [FailedAuthentications, ThrottlerModule],
})
export class LimitsModule {}
