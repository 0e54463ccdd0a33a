import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { CommandsModule } from '../commands/commands.module';
import { CountsModule } from '../limits/counts.module';
import { Housekeeping } from './housekeeping';

@Module({ imports: [AuthModule, CommandsModule, CountsModule], providers: [Housekeeping] })
export class HousekeepingModule {}
