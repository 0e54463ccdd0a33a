import { Agent, request } from 'node:http';

/** A field that a filter is about, as the API takes it. */
export interface Filter {
  readonly field: string;
  readonly op: 'eq';
  readonly value: string;
}

/** A type by its name, or with options of its own. */
export type Parameter = string | { readonly name: string; readonly [option: string]: unknown };

export interface Query {
  readonly subject: string;
  readonly types: readonly Parameter[];
  readonly startDate: string;
  readonly endDate: string;
  readonly timezone?: string;
  readonly filters?: readonly Filter[];
  readonly limit?: number;
}

interface QueryResult {
  readonly parameter: string;
  readonly success: boolean;
  readonly error?: string;
  readonly data: readonly Readonly<Record<string, unknown>>[];
}

/** Sends queries over keep-alive connections, as a dashboard does. */
export class QueryClient {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(
    private readonly apiUrl: string,
    private readonly apiKey: string,
  ) {}

  /** @throws Error when any of the types is not answered */
  async ask({ subject, types: parameters, ...more }: Query): Promise<readonly QueryResult[]> {
    const { data } = await this.send<{ data?: readonly QueryResult[] }>('POST', `/v1/query?${subject}`, {
      parameters,
      ...more,
    });
    const failed = data?.find(({ success }) => !success);
    if (data === undefined || failed)
      throw new Error(`${failed?.parameter ?? 'The request'}: ${failed?.error ?? 'no data'}`);
    return data;
  }

  async types(): Promise<readonly QueryTypeInfo[]> {
    type Configs = Readonly<Record<string, Omit<QueryTypeInfo, 'name'>>>;
    const { configs } = await this.send<{ configs: Configs }>('GET', '/v1/query/types');
    return Object.entries(configs).map(([name, config]) => ({ name, ...config }));
  }

  /** Returns the number of links a page of the list holds. */
  async links(wanted: Readonly<Record<string, string>>): Promise<number> {
    type Page = { readonly data: readonly unknown[] };
    const { data } = await this.send<Page>('GET', `/v1/links?${new URLSearchParams(wanted).toString()}`);
    return data.length;
  }

  close(): void {
    this.agent.destroy();
  }

  private send<T>(method: string, path: string, body?: object): Promise<T> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'x-api-key': this.apiKey };
    return new Promise((resolve, reject) => {
      const sent = request(this.apiUrl + path, { method, headers, agent: this.agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const answer = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve(JSON.parse(answer) as T);
          else reject(new Error(`${response.statusCode ?? '?'} ${answer.slice(0, 300)}`));
        });
      });
      sent.on('error', reject);
      sent.end(text);
    });
  }
}

export interface QueryTypeInfo {
  readonly name: string;
  readonly about: 'website' | 'link' | 'monitor';
  readonly allowedFilters: readonly string[];
  readonly requiredFilters?: readonly string[];
  /** Options that it can be asked with. */
  readonly example?: object;
}
