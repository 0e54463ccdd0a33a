import { join } from 'node:path';

/** A way through the product. */
interface Flow {
  readonly name: string;
  /** Every file that runs, in the order in which it is first reached once caches are filled. */
  readonly files: readonly string[];
  /** Declarations that files of the flow import: nothing in them runs. */
  readonly declares: readonly string[];
}

/** The files of a list; a folder with a slash at its end is that of the files after it. */
function filesIn(list: string): string[] {
  let folder = '';
  return list
    .trim()
    .split(/\s+/)
    .flatMap((path) => {
      if (!path.endsWith('/')) return [join(folder, path)];
      folder = path;
      return [];
    });
}

/** Around every controller of the api. */
const REQUEST = filesIn(`
  apps/api/src/ console/console.controller.ts http-adapter.ts
  libs/platform/src/ http/json-body.ts
  apps/api/src/ identity/auth/auth.module.ts http/route.ts identity/auth/authenticator.ts
  libs/platform/src/ api-keys/secret-store.ts registry/registry-lease.ts
  libs/domain/src/ registry/registry.ts access/caller.ts
  apps/api/src/ http/limits.module.ts silent-database.interceptor.ts http/log-position.ts http/validation.ts
    http/bounded.ts http/nested.ts
`);

/** `POST /v1/query` to rollups of pages and the rows of `top_pages`, unless they are cached. */
const QUESTION = filesIn(`
  apps/api/src/ query/http/query.controller.ts query/execution/query-runner.ts query/request/query-targets.ts
    query/request/read-requests.ts query/request/query-request.dto.ts query/types/catalogue.ts
  libs/domain/src/ query/date-range.ts
  apps/api/src/ query/snapshot/answer-cache.ts query/snapshot/request-lifetime.ts query/snapshot/snapshot.ts
  libs/platform/src/ read-stores/read-stores.ts intake-log/intake-log.ts table-versions/live-tables.ts
    intake-log/as-of.ts
  libs/domain/src/ query/buckets.ts
  apps/api/src/ query/session-columns/memory-budget.ts query/execution/answer.ts query/execution/expired.ts query/execution/check-parameter.ts
    query/declaration/fields.ts query/execution/executors.ts
  libs/aggregation/src/ plan-nodes.ts
  apps/api/src/ query/execution/request-aggregates.ts query/sql/dictionary.ts query/session-columns/rollup-parts.ts
    query/session-columns/column-cache.ts query/session-columns/session-counter.ts
  libs/aggregation/src/ tasks.ts evaluate-aggregate.ts evaluate-rollup.ts rollup-range.ts rollup-codec.ts
    rollup-part.ts integer-column.ts groups.ts
  libs/domain/src/ query/rows.ts
  apps/api/src/ query/execution/response.ts
`);

/** A question with two filters. */
const NOT_IN_COUNT = filesIn(`
  apps/api/src/ query/session-columns/rollup-parts.ts
  libs/aggregation/src/ evaluate-rollup.ts rollup-range.ts rollup-codec.ts rollup-part.ts integer-column.ts
`);

const COUNT = [
  ...QUESTION.filter((file) => !NOT_IN_COUNT.includes(file)),
  ...filesIn(`
  apps/api/src/ http/filter.dto.ts query/execution/filters.ts
  libs/contracts/src/ attributes.ts criterion.ts
  libs/domain/src/ query/filters.ts
  libs/aggregation/src/ scope.ts select-sessions.ts aggregate-terms.ts
  apps/api/src/ query/session-columns/session-columns.ts query/session-columns/sealed-days.ts
    query/session-columns/open-days.ts query/sql/sessions.ts
  libs/platform/src/ session-days/read-session-slices.ts
  libs/contracts/src/ read-models/session-days.ts
  libs/aggregation/src/ worker.ts row-sources.ts session-day.ts session-slice.ts
`),
];

/** `POST /v1/links` to the stored event. */
const COMMAND = filesIn(`
  apps/api/src/ commands/command-context.ts http/fields.ts
  libs/domain/src/ links/link-addresses.ts
  apps/api/src/ links/link.dto.ts commands/resource.controller.ts commands/resource.commands.ts
    commands/resource.ts links/links.ts
  libs/platform/src/ ids/new-ulid.ts
  apps/api/src/ commands/command-runner.ts
  libs/domain/src/ decider.ts
  libs/platform/src/ personal-data/personal-data-cipher.ts event-store/event-store.ts
  libs/domain/src/ links/link.decider.ts
  libs/platform/src/ registry/live-registry.ts event-store/postgres-event-store.ts event-store/appended-events.ts
    event-store/postgres-appender.ts
  libs/domain/src/ registry/record-changes.ts
  libs/contracts/src/ record-kinds.ts record-kind.ts
`);

/** `GET /:slug` to the intake log. */
const CLICK = filesIn(`
  apps/tracker/src/ http/http-adapter.ts redirect/redirect.controller.ts redirect/pages.ts
  libs/platform/src/ registry/link-lookup.ts log/timing.ts
  libs/domain/src/ registry/record-changes.ts links/link-addresses.ts
  libs/platform/src/ registry/stored-registry.ts event-store/postgres-event-store.ts
  libs/domain/src/ registry/registry.ts registry/organizations.ts
  apps/tracker/src/ visitors/user-agent.ts
  libs/domain/src/ links/click-id.ts
  apps/tracker/src/ visitors/geo-database.ts
  libs/platform/src/ salts/visitor-salts.ts
  apps/tracker/src/ click-spool/click-recorder.ts click-spool/click-spool.ts click-spool/spool-file.ts
    click-spool/click-replay.ts
  libs/platform/src/ intake-log/postgres-intake-log.ts intake-log/encoded-hit.ts intake-log/intake-log.ts
    intake-log/hit-sender.ts intake-log/flush.ts intake-log/deduplication.ts intake-log/segment-format.ts
`);

/** `POST /batch` to the intake log. */
const HIT = filesIn(`
  apps/tracker/src/ http/http-adapter.ts
  libs/platform/src/ http/json-body.ts
  apps/tracker/src/ intake/intake.controller.ts
  libs/platform/src/ api-keys/secret-store.ts
  apps/tracker/src/ visitors/user-agent.ts intake/intake-context.ts intake/intake.ts intake/steps.ts
    http/rate-limits.ts intake/payloads.ts intake/read-field.ts parse.ts
  libs/domain/src/ links/click-id.ts registry/registry.ts
  apps/tracker/src/ intake/identify-visitor.step.ts visitors/geo-database.ts visitors/visit-periods.ts
  libs/platform/src/ salts/visitor-salts.ts
  apps/tracker/src/ intake/record-hits.ts tracker.module.ts
  libs/platform/src/ intake-log/postgres-intake-log.ts intake-log/encoded-hit.ts intake-log/intake-log.ts
    intake-log/hit-sender.ts intake-log/flush.ts intake-log/deduplication.ts intake-log/segment-format.ts
`);

/** A page view from the intake log to rollups. */
const FACT = filesIn(`
  apps/projector/src/ runner/run-partition.ts runner/partition-runner.ts runner/batch-reader.ts
  libs/platform/src/ intake-log/postgres-intake-log.ts intake-log/intake-log.ts intake-log/segment-reader.ts
    intake-log/segment-chain.ts intake-log/segment-format.ts
  libs/domain/src/ erasures/erasure-rules.ts
  apps/projector/src/ projections/websites/websites-group.ts runner/batch-writer.ts projections/websites/read-hit.ts
    projections/websites/dictionary.ts
  libs/domain/src/ referrers/source-of.ts
  libs/contracts/src/ sessions/session.ts
  libs/platform/src/ database/binary-array.ts
  apps/projector/src/ projections/websites/session-rows.ts
  libs/platform/src/ database/read-model-rows.ts
  apps/projector/src/ projections/websites/batch-changes.ts projections/websites/changed-days.ts
  libs/aggregation/src/ batch-deltas.ts
  apps/projector/src/ projections/websites/fact-changes.ts
  libs/domain/src/ sessions/add-hits.ts
  libs/aggregation/src/ changed-sessions.ts changed-rows.ts rollup-part.ts deltas.ts delta-groups.ts row-sources.ts
    distinct-deltas.ts groups.ts rollup-codec.ts integer-column.ts evaluate-aggregate.ts aggregate-terms.ts
  libs/platform/src/ database/read-model-upsert.ts
  apps/projector/src/ projections/projection-group.ts
  libs/platform/src/ log/log-change-listener.ts database/postgres-notifications.ts
`);

const TYPES_OF_PAGES = ['apps/api/src/query/types/website/dimensions.query-type.ts'];

/** The files of Request are around those of Question, Count and Command. */
export const FLOWS: readonly Flow[] = [
  { name: 'Request', files: REQUEST, declares: [] },
  { name: 'Question', files: QUESTION, declares: TYPES_OF_PAGES },
  { name: 'Count', files: COUNT, declares: TYPES_OF_PAGES },
  { name: 'Command', files: COMMAND, declares: [] },
  { name: 'Click', files: CLICK, declares: [] },
  { name: 'Hit', files: HIT, declares: ['libs/contracts/src/tracking-items.ts'] },
  { name: 'Fact', files: FACT, declares: [] },
];

/**
 * Files that may be in any of them: pools and SQL, batches, telemetry, the HTTP server, ids, texts and times, columns
 * of numbers.
 */
export const READ_ONCE = filesIn(`
  libs/platform/src/ database/pool.ts database/sql.ts database/database-errors.ts database/semaphore.ts
  libs/platform/src/ log/batcher.ts log/timing.ts
  libs/platform/src/ tracing/tracing.ts metrics/log-metrics.ts processes/store-checks.ts processes/heartbeat.ts
    processes/poll.ts logging/outage-log.ts
  libs/platform/src/ http/host-adapter.ts http/address.ts http/observe-requests.ts
  libs/contracts/src/ events/event-id.ts events/event-versions.ts parse-url.ts json.ts read-models/event-kinds.ts
    read-models/binary-format.ts
  libs/domain/src/ normal-forms.ts time/zones.ts
  libs/aggregation/src/ columns.ts tables.ts scratch.ts
`);
