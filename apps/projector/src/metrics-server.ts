import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Settings } from '@ledgerline/platform/config/settings';
import { internalProblem, statusOf } from '@ledgerline/platform/http/problem.filter';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { assertMayReadMetrics, type Metrics } from '@ledgerline/platform/metrics/metrics';

/** The HTTP server of the projector: `GET /metrics`, and `GET /health` while the process responds. */
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly server: Server;

  constructor(
    private readonly metrics: Metrics,
    private readonly settings: Pick<Settings, 'listenAddress' | 'metricsToken' | 'projectorMetricsPort'>,
    private readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>,
  ) {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  /** A port that is taken does not keep the process from projecting. */
  onApplicationBootstrap(): void {
    const { projectorMetricsPort: port, listenAddress } = this.settings;
    this.server.on('error', (err) => this.logger.warn({ err, port }, 'the metrics of the projector cannot be served'));
    this.server.listen(port, listenAddress, () => this.logger.info({ port }, 'the metrics can be read'));
  }

  onApplicationShutdown(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (request.url !== '/metrics' && request.url !== '/health') throw new Problem('NOT_FOUND', 'No such route');
      if (request.method !== 'GET') throw new Problem('METHOD_NOT_ALLOWED', 'This path does not have that method');
      if (request.url === '/health') {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ status: 'ok' }));
        return;
      }
      assertMayReadMetrics(request, this.settings.metricsToken);
      const text = await this.metrics.text();
      response.writeHead(200, { 'content-type': this.metrics.registry.contentType }).end(text);
    } catch (error) {
      if (!(error instanceof Problem)) this.logger.error({ err: error }, 'the metrics could not be read');
      const problem = error instanceof Problem ? error : internalProblem();
      const body = { success: false, error: problem.message, code: problem.code };
      response.writeHead(statusOf(problem), { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }
  }
}
