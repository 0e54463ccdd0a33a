import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { CommandsModule } from '../commands/commands.module';
import { LimitsModule } from '../limits/limits.module';
import { Housekeeping } from './housekeeping';

@Module({ imports: [AuthModule, CommandsModule, LimitsModule], providers: [Housekeeping] })
export class HousekeepingModule {}
