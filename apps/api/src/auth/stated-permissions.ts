import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { PERMISSIONS } from './permissions';

/** Refuses to start while a route states neither `@Public()` nor `@Requires(…)`. */
@Injectable()
export class StatedPermissions implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    const silent = this.discovery.getControllers().flatMap(({ instance, metatype }) => {
      const routes = instance as Record<string, (...args: unknown[]) => unknown>;
      return this.scanner
        .getAllMethodNames(Object.getPrototypeOf(routes) as object)
        .filter((name) => this.isSilent(routes[name], metatype))
        .map((name) => `${metatype?.name ?? 'a controller'}.${name}`);
    });
    if (silent.length > 0) throw new Error(`These routes do not say who may use them: ${silent.join(', ')}`);
  }

  private isSilent(route: ((...args: unknown[]) => unknown) | undefined, metatype: unknown): boolean {
    if (!route || Reflect.getMetadata('path', route) === undefined) return false;
    const places = [route, ...(typeof metatype === 'function' ? [metatype as () => unknown] : [])];
    return this.reflector.getAllAndOverride(PERMISSIONS, places) === undefined;
  }
}
