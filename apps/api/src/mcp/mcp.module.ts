import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { CommandsModule } from '../commands/commands.module';
import { DiscoveryModule } from '../discovery/discovery.controller';
import { McpController } from './mcp.controller';
import { McpServers } from './mcp-servers';
import { ServerCardController } from './server-card.controller';
import { ToolDescriptions } from './catalogue';

/** Tools for agents. */
@Module({
  imports: [AuthModule, CommandsModule, DiscoveryModule],
  controllers: [McpController, ServerCardController],
  providers: [McpServers, ToolDescriptions],
})
export class McpModule {}
