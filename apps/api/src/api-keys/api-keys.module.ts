import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { CommandsModule } from '../commands/commands.module';
import { ApiKeysController } from './api-keys.controller';
import { ChangeApiKeyHandler } from './change-api-key.command';
import { CreateApiKeyHandler } from './create-api-key.command';
import { ManagedKeys } from './managed-keys';
import { OrphanedSecrets } from './orphaned-secrets';
import { RotateApiKeyHandler } from './rotate-api-key.command';

@Module({
  imports: [AuthModule, CommandsModule],
  controllers: [ApiKeysController],
  providers: [CreateApiKeyHandler, ChangeApiKeyHandler, RotateApiKeyHandler, ManagedKeys, OrphanedSecrets],
  exports: [OrphanedSecrets],
})
export class ApiKeysModule {}
