import { isIP } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length } from 'class-validator';
import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import {
  MONITOR_INTERVAL,
  MONITOR_METHODS,
  MONITOR_TIMEOUT,
  type MonitorDetails,
  type MonitorMethod,
  type MonitorSettings,
} from '@ledgerline/contracts/events/monitor.events';
import type { Monitor } from '@ledgerline/contracts/records';
import { omit } from '@ledgerline/domain/decider';
import { plainMonitor } from '@ledgerline/domain/monitors/monitor.decider';
import type { Settings } from '@ledgerline/platform/config/settings';
import { isPublicAddress } from '@ledgerline/platform/outbound/guarded-fetch';
import { SubjectKeys } from '@ledgerline/platform/personal-data/personal-data-cipher';
import { type SealedValue, SealedValues, type ValueOwner } from '@ledgerline/platform/personal-data/sealed-values';
import type { StartedCommand } from '../commands/command-context';
import { recordOf, Resource, updateDtoClass, recordOfFields } from '../commands/resource';
import { ChoiceField, Id, Text, WebAddress, WholeNumber, YesOrNo } from '../http/fields';
import { invalid } from '../http/problems';
import { type PlainData } from '../http/record.dto';
import { type HeaderValues, SentHeaders } from '../http/sent-headers';
import { SETTINGS } from '../tokens';

/** A monitor with its headers in the clear. */
type OpenMonitor = Omit<MonitorDetails, keyof SealedHeaders> & { readonly headers: HeaderValues };
type SealedHeaders = Pick<MonitorSettings, 'headerNames' | 'sealedHeaders'>;
type Changes = Partial<OpenMonitor>;

@Injectable()
export class Monitors extends Resource<Monitor, OpenMonitor, PlainData<MonitorDto>> {
  readonly kind = 'monitors';
  readonly defaults = { ...omit(plainMonitor, 'headerNames', 'sealedHeaders'), headers: {} };
  /** Encrypted for events; those that are no longer in force are made unreadable. */
  private readonly values: SealedValues<HeaderValues>;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    keys: SubjectKeys,
  ) {
    super();
    this.values = new SealedValues(keys);
  }

  /** Refuses what each check would refuse, as far as that is certain without resolving names. */
  override check({ url }: Changes): void {
    if (url === undefined || this.settings.monitorAllowPrivate) return;
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    const isPrivate = isIP(host) > 0 ? !isPublicAddress(host) : /(^|\.)localhost\.?$/.test(host);
    if (isPrivate) throw invalid([{ field: 'url', message: 'url must lead to a public address' }]);
  }

  /** Leaves of a stream the headers of the monitor as it is, also of an update that did not get here. */
  override async stored(changes: Changes | null, after: Monitor | null, history: readonly Recorded[]): Promise<void> {
    if (changes && !changes.headers) return;
    await this.values.destroy(history.flatMap(sealedIn).filter(({ sealed }) => sealed !== after?.sealedHeaders));
  }

  override records(monitors: readonly Monitor[]): readonly PlainData<MonitorDto>[] {
    return monitors.map((each) => recordOf(omit(each, 'sealedHeaders')));
  }

  /** Headers are encrypted anew each time, so those that stay the same are no change. */
  override async data({ headers, ...input }: Changes, { id }: StartedCommand, current?: Monitor): Promise<object> {
    if (!headers || (current && (await this.isSame(current, headers)))) return input;
    const { organizationId = '' } = current ?? input;
    return { ...input, ...(await this.sealed({ organizationId, id }, headers)) };
  }

  private async sealed(owner: ValueOwner, headers: HeaderValues): Promise<SealedHeaders> {
    const headerNames = Object.keys(headers).sort();
    return { headerNames, sealedHeaders: headerNames.length === 0 ? null : await this.values.seal(owner, headers) };
  }

  private async isSame(current: Monitor, headers: HeaderValues): Promise<boolean> {
    const sealed = sealedOf(current);
    const opened = sealed.sealed === null ? {} : (await this.values.open([sealed])).get(sealed.sealed);
    return isDeepStrictEqual(opened, headers);
  }
}

const sealedOf = ({ organizationId, id, sealedHeaders }: ValueOwner & MonitorDetails): SealedValue => ({
  organizationId,
  id,
  sealed: sealedHeaders,
});

const sealedIn = (event: Recorded): readonly SealedValue[] =>
  event.type === 'MonitorCreated' || event.type === 'MonitorUpdated'
    ? [sealedOf({ ...omit(event.data, 'monitorId'), id: event.data.monitorId })]
    : [];

const maybe = { optional: true, nullable: true } as const;
const compared = { ...maybe, isCompared: true } as const;

/** The settings of a new monitor; null = the default. */
export class CreateMonitorDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, 100, { description: 'Display name', example: 'Shop' })
  name: string;

  @WebAddress({ description: 'What is checked: a public address', example: 'https://example.com/' })
  url: string;

  @ChoiceField(MONITOR_METHODS, plainMonitor.method)
  method?: MonitorMethod | null;

  @WholeNumber(MONITOR_INTERVAL, 'Between two checks')
  intervalSeconds?: number | null;

  @WholeNumber(MONITOR_TIMEOUT, 'How long a check may take, redirects included')
  timeoutSeconds?: number | null;

  @WholeNumber({ min: 100, max: 599 }, 'The only status that counts as up; null = 200 to 299, behind redirects')
  expectedStatus?: number | null;

  @Text(1, 255, { description: 'A text that the first MiB of the body must hold; null = any body', ...compared })
  expectedText?: string | null;

  @Text(1, 255, { description: 'A text that the first MiB of the body must not hold; null = any body', ...compared })
  unwantedText?: string | null;

  @WholeNumber({ min: 1, max: 30_000 }, 'A check that takes longer, in ms, is degraded; null = none is')
  slowAfterMs?: number | null;

  @WholeNumber(
    { min: 1, max: 365 },
    'Degraded while the certificate is valid for fewer days; null = it does not matter until it expires',
  )
  certificateDays?: number | null;

  @YesOrNo(false, 'Up also with a certificate that is not trusted: an attacker on the way can answer in its place')
  ignoreTlsErrors?: boolean | null;

  @ApiPropertyOptional({
    type: String,
    description: 'What a POST sends, as JSON or a form unless a header says its type; shown to members',
  })
  @IsOptional()
  @IsString()
  @Length(1, 10_000)
  body?: string | null;

  @SentHeaders(
    'Sent with every check, but not to another origin that a redirect leads to; encrypted, and never shown',
    20,
  )
  headers?: HeaderValues | null;

  @YesOrNo(false, 'A paused monitor is not checked')
  paused?: boolean | null;
}

/** The changes of a monitor: what is left out stays as it is. */
export class UpdateMonitorDto extends updateDtoClass(CreateMonitorDto, 'organizationId') {}

export class MonitorDto extends recordOfFields<MonitorDetails, CreateMonitorDto>(
  CreateMonitorDto,
  plainMonitor,
  'headers',
) {
  @ApiProperty({ type: [String], description: 'The headers that are sent; their values are never shown' })
  headerNames: readonly string[];
}
