import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { CommandsModule } from '../commands/commands.module';
import { ApiKeysController } from './api-keys.controller';
import { ChangeApiKeyHandler, CreateApiKeyHandler, RotateApiKeyHandler } from './api-key.commands';
import { ManagedKeys, OrphanedSecrets } from './managed-keys';

@Module({
  imports: [AuthModule, CommandsModule],
  controllers: [ApiKeysController],
  providers: [CreateApiKeyHandler, ChangeApiKeyHandler, RotateApiKeyHandler, ManagedKeys, OrphanedSecrets],
  exports: [OrphanedSecrets],
})
export class ApiKeysModule {}
