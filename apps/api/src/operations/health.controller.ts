import { Controller, Get, HttpStatus, Inject, Module, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { VERSION } from '@ledgerline/contracts/version';
import type { Settings } from '@ledgerline/platform/config/settings';
import { mayReadMetrics } from '@ledgerline/platform/metrics/metrics';
import { arraySchema, object, text, whole } from '../http/record.dto';
import { Budget, OwnCredential, Public, Requires } from '../http/route';
import { QueryModule } from '../query/http/query.controller';
import { SETTINGS } from '../tokens';
import { COPIER_REPORT, DEGRADATIONS, type Degradation } from './degradations';
import { FINDING_REPORTS } from './findings';
import { PROCESS_REPORT } from './process-reports';
import { Readiness, type ReadinessReport } from './readiness';
import type { ProjectionReport } from './reports';

const PROJECTION = object(
  {
    group: text,
    store: { ...whole, description: 'The place of its read store; absent for the registry' },
    version: whole,
    status: {
      ...text,
      enum: ['ok', 'stopped', 'rebuilding', 'differs', 'parked'],
      description:
        'rebuilding: tables are filled beside those that answer · differs: they are filled, and wait to be accepted · parked: they wait until events that failed in them are retried or accepted',
    },
    reason: text,
    events: whole,
    rebuilt: { ...whole, description: 'How many of the events are in the version that is filled beside it' },
    pending: {
      ...arraySchema(text),
      description: 'Tables that are filled after an upgrade; absent when there are none',
    },
    asOf: { type: ['string', 'null'], format: 'date-time' },
    lagMs: whole,
    parked: {
      ...whole,
      description: 'Events that it left out because they failed, until an operator has seen to them',
    },
  },
  'store',
  'reason',
  'rebuilt',
  'parked',
  'pending',
);
const READ_STORE = object({ store: whole, status: { ...text, enum: ['ok', 'empty', 'unknown', 'down'] } });
const SEALING_FAULT = object({ organization: text, reason: text, since: { ...text, format: 'date-time' } });
const DEGRADATION = object(
  {
    kind: {
      ...text,
      enum: [...DEGRADATIONS],
      description:
        'parked: events that a projection left out because they failed · unreconciled: tables that differ from the log · process: one has no heartbeat, or none of a program runs · store: a process cannot read or write one · lag: answers do not include what is older than eight seconds · monitors: their checks are overdue · deliveries: nothing is sent to destinations · sealing: events of organizations are not sealed · unknown: a finding is older than ten seconds, so its last value is shown',
    },
    group: { ...text, description: 'A group of projections, or what else it is about: a program or a store' },
    store: whole,
    reason: text,
    since: { ...text, format: 'date-time' },
  },
  'store',
  'since',
);
const MEMORY = {
  ...object({ heap: whole, heapLimit: whole, queries: whole, queriesLimit: whole, waiting: whole }),
  description:
    'MB of this api: of its heap, what questions hold and may hold (by estimate, with what is kept for them), and how many questions wait',
};
const STORE = {
  ...text,
  enum: ['ok', 'down'],
  description: 'down: this api cannot read it or write to it, or it answered nothing for ten seconds',
};
const DELIVERIES = {
  ...object({ destinations: whole, heldBack: whole, off: whole, setAside: whole }),
  description: 'Destinations, and of them those held back and off; messages set aside. Absent when there are none',
};
/** The schema of the report that operators read. */
const REPORT = object(
  {
    status: {
      ...text,
      enum: ['ok', 'degraded', 'unavailable'],
      description:
        'degraded: websites and links of a read store that is not ok are refused, or query types whose tables are being rebuilt, or `degradations` says what is missing',
    },
    reason: text,
    eventStore: STORE,
    database: STORE,
    readStores: arraySchema(READ_STORE),
    projections: arraySchema(PROJECTION),
    processes: {
      ...arraySchema(PROCESS_REPORT),
      description: 'By their heartbeats; one that ended without removing itself is shown for five minutes',
    },
    memory: MEMORY,
    findings: FINDING_REPORTS,
    copier: COPIER_REPORT,
    deliveries: DELIVERIES,
    sealing: {
      ...arraySchema(SEALING_FAULT),
      description: 'Organizations whose events are not sealed, at most 100; absent when there are none',
    },
    sealingLagMs: {
      ...whole,
      description:
        'How long the oldest event that sealing has not come to has been waiting, and a few seconds more; only with EventStoreDB',
    },
    backup: {
      ...object({
        at: { ...text, format: 'date-time' },
        verifiedAt: {
          type: ['string', 'null'],
          format: 'date-time',
          description: 'Of the newest one that was verified',
        },
      }),
      description: 'The last backup; absent where none was made',
    },
    degradations: {
      ...arraySchema(DEGRADATION),
      description: 'What an operator has to see to, while everything is answered; absent when there is nothing',
    },
  },
  'reason',
  'copier',
  'deliveries',
  'sealing',
  'sealingLagMs',
  'backup',
  'degradations',
);

/**
 * The schema of the report that everybody may read: the members of the report that are not required are for operators.
 */
const PUBLIC_REPORT = {
  ...REPORT,
  properties: {
    ...REPORT.properties,
    projections: arraySchema({ ...PROJECTION, required: ['group', 'status', 'lagMs'] }),
    degradations: arraySchema({ ...DEGRADATION, required: ['kind', 'group'] }),
  },
  required: ['status', 'eventStore', 'database', 'readStores', 'projections'],
};

const ALIVE = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['ok'] },
    version: { type: 'string', description: 'Of the api, by semantic versioning', example: VERSION },
  },
};

@ApiTags('Health')
@Controller('health')
@Public()
@Budget('probes')
@OwnCredential()
class HealthController {
  constructor(
    private readonly readiness: Readiness,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Liveness: the process responds' })
  @ApiOkResponse({ schema: ALIVE })
  alive(): { status: 'ok'; version: string } {
    return { status: 'ok', version: VERSION };
  }

  @Get('ready')
  @ApiOperation({
    summary: 'Readiness: the stores respond and every projection advances; 200 while degraded',
    description:
      'Answered at once, from what is polled every two seconds. Figures of the whole installation, reasons and processes are added for who may read `/metrics`: `METRICS_TOKEN` as `Authorization: Bearer`, or without one configured requests of the same machine. `GET /v1/projections` shows them to operators. Public.',
  })
  @ApiOkResponse({ schema: PUBLIC_REPORT })
  @ApiServiceUnavailableResponse({
    description: 'The same report; `reason` and `status` name the cause',
    schema: PUBLIC_REPORT,
  })
  ready(
    @Req() { raw }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): ReadinessReport | PublicReport {
    const report = this.readiness.report();
    if (report.status === 'unavailable') void reply.status(HttpStatus.SERVICE_UNAVAILABLE).header('retry-after', '5');
    return mayReadMetrics(raw, this.settings.metricsToken) ? report : publicReport(report);
  }
}

/** Reports how far the installation is with what it counts: of all organizations together, as they share it. */
@ApiTags('Health')
@Controller('v1/projections')
@Requires('operator')
class ProjectionsController {
  constructor(private readonly readiness: Readiness) {}

  @Get()
  @ApiOperation({
    summary: 'The state of the installation, with figures of all organizations together',
    description:
      'For operators who are signed in: people whose account has an address of `OPERATOR_EMAILS`; no API key may read it. The report is that of `/health/ready`, and answered with 200 whatever it says.',
  })
  @ApiOkResponse({ schema: REPORT })
  read(): ReadinessReport {
    return this.readiness.report();
  }
}

/** A report without figures of all organizations together, and without what names one, a process or a cause. */
interface PublicReport extends Pick<ReadinessReport, 'status' | 'eventStore' | 'database' | 'readStores'> {
  readonly projections: readonly Pick<ProjectionReport, 'group' | 'store' | 'status' | 'lagMs'>[];
  readonly degradations?: readonly Pick<Degradation, 'kind' | 'group' | 'store' | 'since'>[];
}

/** Returns what callers without METRICS_TOKEN may see of whether this process can do its work. */
function publicReport({ degradations, ...report }: ReadinessReport): PublicReport {
  const { status, eventStore, database, readStores, projections } = report;
  return {
    status,
    eventStore,
    database,
    readStores,
    projections: projections.map(({ group, store, status: state, lagMs }) => ({
      group,
      ...(store === undefined ? {} : { store }),
      status: state,
      lagMs,
    })),
    ...(degradations === undefined
      ? {}
      : {
          degradations: degradations.map(({ kind, group, store, since }) => ({
            kind,
            group,
            ...(store === undefined ? {} : { store }),
            ...(since === undefined ? {} : { since }),
          })),
        }),
  };
}

@Module({
  imports: [QueryModule],
  controllers: [HealthController, ProjectionsController],
  providers: [Readiness],
  exports: [Readiness],
})
export class HealthModule {}
