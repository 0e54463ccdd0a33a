import { Controller, Get, Query, Req, Res, StreamableFile, Module } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthModule } from '../auth/auth.module';
import { Id } from '../http/fields';
import { object, text, yes } from '../http/json-schema';
import { Budget, clientDisconnectSignal, CurrentCaller, IsHead, Requires } from '../http/route';
import { QueryModule } from '../query/http/query.module';
import { ANSWER } from '../query/http/query-schemas';
import type { RequestAnswer } from '../query/execution/response';
import { LIVE_MINUTES, LiveAnswers } from './live-answers';
import { LiveStreams, MAX_STREAMS } from './live-streams';

const EVENT_STREAM = 'text/event-stream';

class LiveDto {
  @Id('The website')
  website_id: string;
}

const DESCRIPTION = `The answer to \`active_stats\` and the \`realtime_…\` types over the last ${LIVE_MINUTES} minutes of the clock, as \`POST /v1/query\` gives it. With \`Accept: ${EVENT_STREAM}\` it is a stream of Server-Sent Events: each message is the whole answer, sent at first and within a second after it changes. Streams end after a quarter of an hour, when the caller may not read any more, and when the process ends; a client connects again. Beyond ${MAX_STREAMS.ofCaller} streams of a key or person or ${MAX_STREAMS.ofOrganization} of an organization a process answers 429, beyond ${MAX_STREAMS.ofProcess} in all 503. For keys with \`read:data\` and members of the organization.`;

@ApiTags('Query')
@Controller('v1/live')
export class LiveController {
  constructor(
    private readonly streams: LiveStreams,
    private readonly answers: LiveAnswers,
  ) {}

  @Get()
  @ApiOperation({ summary: 'What happens on a website just now, once or as a stream', description: DESCRIPTION })
  @ApiOkResponse({
    content: {
      'application/json': { schema: object({ success: yes, ...ANSWER }) },
      [EVENT_STREAM]: { schema: text },
    },
  })
  @Requires('read:data')
  @Budget('query')
  async show(
    @Query() { website_id: websiteId }: LiveDto,
    @CurrentCaller() caller: Caller,
    @Req() { headers }: FastifyRequest,
    @IsHead() isHead: boolean,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RequestAnswer | StreamableFile> {
    const signal = clientDisconnectSignal(reply);
    if (isHead || !headers.accept?.includes(EVENT_STREAM)) {
      const target = await this.streams.targetFor(caller, websiteId);
      return (await this.answers.read(target, signal)).answer;
    }
    const stream = await this.streams.start({ caller, headers, signal }, websiteId);
    void reply.header('x-accel-buffering', 'no'); // of nginx, which would keep messages back
    return new StreamableFile(stream, { type: EVENT_STREAM });
  }
}

/** What happens on websites just now. */
@Module({
  imports: [AuthModule, QueryModule],
  controllers: [LiveController],
  providers: [LiveAnswers, LiveStreams],
})
export class LiveModule {}
