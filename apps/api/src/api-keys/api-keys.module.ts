import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { CommandsModule } from '../commands/commands.module';
import { ApiKeysController } from './api-keys.controller';
import { CreateApiKeyHandler } from './create-api-key.command';
import { OrphanedSecrets } from './orphaned-secrets';

@Module({
  imports: [AuthModule, CommandsModule],
  controllers: [ApiKeysController],
  providers: [CreateApiKeyHandler, OrphanedSecrets],
  exports: [OrphanedSecrets],
})
export class ApiKeysModule {}
