import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { CommandsModule } from '../commands/commands.module';
import { AuditEntries } from './audit-entries';
import { AuditExports } from './audit-exports';
import { AuditLogController } from './audit-log.controller';
import { AuditVerification } from './audit-verification';
import { ReadAuditLogHandler } from './read-audit-log.query';
import { RecordExportHandler } from './record-export.command';
import { VerifyAuditLogHandler } from './verify-audit-log.query';

@Module({
  imports: [AuthModule, CommandsModule],
  controllers: [AuditLogController],
  providers: [
    AuditEntries,
    AuditExports,
    AuditVerification,
    ReadAuditLogHandler,
    VerifyAuditLogHandler,
    RecordExportHandler,
  ],
})
export class AuditLogModule {}
