import { Body, Controller, HttpCode, Post, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type CommandContext, CurrentCommandContext } from '../../commands/command-context';
import { attachment } from '../../http/csv';
import { Budget, Requires, clientDisconnectSignal } from '../../http/route';
import { PreviewErasureDto, wantedVisitor } from './erasure.dto';
import { PersonExport } from './person-export';

@ApiTags('Erasures')
@Controller('v1/people')
@Requires('owner')
export class PeopleController {
  constructor(private readonly exports: PersonExport) {}

  @Post('export')
  @HttpCode(200)
  @Budget('export')
  @ApiOperation({
    summary: 'Everything that is held about a visitor, as a file; the export itself is an entry of the audit log',
    description:
      'For owners. Each line is a record with a `kind`: first `subject`, then every `event` and `identification` of the intake log that an erasure of the visitor would reach, last `end` with their number. Without it the export is not complete. Sessions and figures follow from these events.',
  })
  @ApiOkResponse({ content: { 'application/x-ndjson': { schema: { type: 'string' } } } })
  async export(
    @Body() { organizationId, subject }: PreviewErasureDto,
    @CurrentCommandContext() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const wanted = { organizationId, subject: wantedVisitor(subject) };
    const records = await this.exports.start(wanted, context, clientDisconnectSignal(reply));
    const type = 'application/x-ndjson; charset=utf-8';
    return new StreamableFile(records, { type, disposition: attachment(['visitor'], 'ndjson') });
  }
}
