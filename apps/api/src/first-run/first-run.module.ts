import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { AuthModule } from '../auth/auth.module';
import { CommandsModule } from '../commands/commands.module';
import { Demo } from './demo';
import { DemoCommands } from './demo-commands';

@Module({ imports: [AccountsModule, AuthModule, CommandsModule], providers: [Demo, DemoCommands] })
export class FirstRunModule {}
