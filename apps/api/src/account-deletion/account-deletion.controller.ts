import { Body, Controller, Headers, HttpCode, Post, Res, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { DeleteUserDto, DoneDto } from '../accounts/account.dto';
import { Accounts, cookieOf, setCookies } from '../accounts/accounts';
import { OwnPagesGuard } from '../http/origins';
import { RequestContext, type CommandContext } from '../commands/command-context';
import type { Plain } from '../http/record.dto';
import { Budget, Refuses, Requires } from '../http/route';
import { userOf } from '../organizations/managed-organizations';
import { AccountDeletion, Departures } from './account-deletion';

@ApiTags('Accounts')
@Controller('v1/auth')
@Requires('person')
@Budget('accounts')
@UseGuards(OwnPagesGuard)
export class AccountDeletionController {
  constructor(
    private readonly accounts: Accounts,
    private readonly departures: Departures,
    private readonly deletion: AccountDeletion,
  ) {}

  @Post('delete-user')
  @Refuses('CONFLICT')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Delete the own account',
    description:
      'Revokes the grants of the person, removes them from their organizations, and deletes the account with its sessions. The last owner of an organization is refused. What the person did stays in the audit logs of these organizations until an owner erases the person there (`POST /v1/erasures`).',
  })
  @ApiOkResponse({ type: DoneDto })
  async delete(
    @Body() { currentPassword }: DeleteUserDto,
    @Headers('cookie') cookie: string | undefined,
    @RequestContext() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plain<DoneDto>> {
    await this.accounts.assertPassword(cookie, currentPassword);
    const { id } = userOf(context.caller);
    const organizationIds = await this.departures.organizationsOf(id);
    this.departures.assertOtherOwners(organizationIds, id);
    for (const organizationId of organizationIds) await this.departures.remove(organizationId, id, context);
    await this.deletion.delete(id);
    const request = { headers: cookieOf(cookie), returnHeaders: true as const };
    setCookies(reply, (await this.accounts.call((api) => api.signOut(request))).headers);
    return { success: true };
  }
}
