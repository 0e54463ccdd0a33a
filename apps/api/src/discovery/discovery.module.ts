import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { DiscoveryController } from './discovery.controller';
import { OpenApi } from './open-api';

/** What programs read to find their way. */
@Module({
  imports: [AuthModule],
  controllers: [DiscoveryController],
  providers: [OpenApi],
  exports: [OpenApi],
})
export class DiscoveryModule {}
