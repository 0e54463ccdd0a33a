import { Injectable, RequestMethod, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';

type Method = (...args: unknown[]) => unknown;

/** A route of the api: what states its permission and budget. */
interface RouteTarget {
  /** As Fastify has it: `GET /v1/links/:id`. */
  readonly name: string;
  readonly controller: new () => unknown;
  readonly method: Method;
}

/** Every route of the api. */
@Injectable()
export class Routes implements OnModuleInit {
  private targets = new Map<string, RouteTarget>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  onModuleInit(): void {
    this.targets = new Map(this.all().map((target) => [target.name, target]));
  }

  /** The target of a request, by what Fastify has matched. */
  find(method: string, url: string | undefined): RouteTarget | undefined {
    const verb = method === 'HEAD' ? 'GET' : method;
    return this.targets.get(`${verb} ${url ?? ''}`) ?? this.targets.get(`ALL ${url ?? ''}`);
  }

  all(): readonly RouteTarget[] {
    return this.discovery.getControllers().flatMap(({ instance, metatype }) => {
      const controller = metatype as new () => unknown;
      const methods = instance as Record<string, Method | undefined>;
      return this.scanner
        .getAllMethodNames(Object.getPrototypeOf(methods) as object)
        .map((name) => methods[name])
        .filter((method) => method !== undefined && Reflect.hasMetadata('path', method))
        .flatMap((method) => targetsOf(controller, method as Method));
    });
  }
}

function targetsOf(controller: new () => unknown, method: Method): RouteTarget[] {
  const verb = RequestMethod[Reflect.getMetadata('method', method) as RequestMethod];
  return pathsOf(controller).flatMap((start) =>
    pathsOf(method).map((rest) => ({ name: `${verb} ${joined(start, rest)}`, controller, method })),
  );
}

const pathsOf = (target: object): readonly string[] =>
  [Reflect.getMetadata('path', target) as string | string[]].flat();

const joined = (...parts: readonly string[]): string =>
  `/${parts
    .flatMap((part) => part.split('/'))
    .filter(Boolean)
    .join('/')}`;
