import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** A span as it was exported. */
export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Absent for the first one of a trace. */
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A metric as it was exported last. */
interface ReceivedMetric {
  readonly service: string;
  readonly name: string;
  readonly points: readonly ReceivedPoint[];
}

interface ReceivedPoint {
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The value of a counter or gauge. */
  readonly asDouble?: number;
  readonly asInt?: number | string;
  /** The count of a histogram. */
  readonly count?: number | string;
  readonly bucketCounts?: readonly (number | string)[];
  readonly explicitBounds?: readonly number[];
}

/** A receiver that speaks OTLP over HTTP in JSON, and keeps what it is sent. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  metrics(): readonly ReceivedMetric[];
  /** Everything that came, as it was sent. */
  text(): string;
  close(): Promise<void>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const metrics = new Map<string, ReceivedMetric>();
  const texts: string[] = [];
  const receive = async (request: IncomingMessage) => {
    const body = await buffer(request);
    const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
    texts.push(text);
    const sent = JSON.parse(text) as Exported;
    if (request.url === '/v1/traces') spans.push(...spansIn(sent));
    else if (request.url === '/v1/metrics')
      for (const metric of metricsIn(sent)) metrics.set(`${metric.service} ${metric.name}`, metric);
    else throw new Error(`${request.url} is no path of OTLP`);
  };
  const server = createServer((request, response) => {
    receive(request).then(
      () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
      (error: unknown) => response.writeHead(400).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics: () => [...metrics.values()],
    text: () => texts.join('\n'),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Attribute = { readonly key: string; readonly value: AnyValue };
type AnyValue = Readonly<Record<string, unknown>> & { readonly arrayValue?: { readonly values: readonly AnyValue[] } };

interface Scope {
  readonly resource: { readonly attributes: readonly Attribute[] };
  readonly scopeSpans?: readonly { readonly spans: readonly (ReceivedSpan & Described)[] }[];
  readonly scopeMetrics?: readonly { readonly metrics: readonly Metric[] }[];
}
interface Described {
  readonly attributes: readonly Attribute[];
}
interface Exported {
  readonly resourceSpans?: readonly Scope[];
  readonly resourceMetrics?: readonly Scope[];
}
type Points = { readonly dataPoints: readonly (ReceivedPoint & Described)[] };
interface Metric {
  readonly name: string;
  readonly sum?: Points;
  readonly gauge?: Points;
  readonly histogram?: Points;
}

const spansIn = ({ resourceSpans = [] }: Exported): ReceivedSpan[] =>
  resourceSpans.flatMap((scope) =>
    (scope.scopeSpans ?? []).flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, service: serviceOf(scope), attributes: valuesOf(span.attributes) })),
    ),
  );

const metricsIn = ({ resourceMetrics = [] }: Exported): ReceivedMetric[] =>
  resourceMetrics.flatMap((scope) =>
    (scope.scopeMetrics ?? []).flatMap(({ metrics }) =>
      metrics.map(({ name, sum, gauge, histogram }) => {
        const { dataPoints } = sum ?? gauge ?? histogram ?? { dataPoints: [] };
        const points = dataPoints.map((point) => ({ ...point, attributes: valuesOf(point.attributes) }));
        return { service: serviceOf(scope), name, points };
      }),
    ),
  );

const serviceOf = ({ resource }: Scope): string => String(valuesOf(resource.attributes)['service.name']);

const valuesOf = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));

const valueOf = ({ arrayValue, ...value }: AnyValue): unknown =>
  arrayValue ? arrayValue.values.map(valueOf) : Object.values(value)[0];
