import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { CommandsModule } from '../commands/commands.module';
import { AuditEntries } from './audit-entries';
import { AuditExports, RecordExportHandler } from './audit-exports';
import { AuditLogController } from './audit-log.controller';
import { AuditVerification, VerifyAuditLogHandler } from './verify-audit-log.query';
import { ReadAuditLogHandler } from './read-audit-log.query';

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
