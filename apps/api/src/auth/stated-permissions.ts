import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { permissionsOf } from '../http/route';

type Method = (...args: unknown[]) => unknown;

/** Refuses to start while a route states neither `@Public()` nor `@Requires(…)`. */
@Injectable()
export class StatedPermissions implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  onModuleInit(): void {
    const missing = this.discovery.getControllers().flatMap(({ instance, metatype }) => {
      const methods = instance as Record<string, Method | undefined>;
      return this.scanner
        .getAllMethodNames(Object.getPrototypeOf(methods) as object)
        .filter((name) => isRoute(methods[name]) && !permissionsOf(methods[name], metatype as new () => unknown))
        .map((name) => `${metatype?.name ?? 'a controller'}.${name}`);
    });
    if (missing.length > 0) throw new Error(`These routes do not say who may use them: ${missing.join(', ')}`);
  }
}

const isRoute = (method: Method | undefined): method is Method =>
  method !== undefined && Reflect.getMetadata('path', method) !== undefined;
