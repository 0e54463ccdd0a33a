import { Injectable, type OnModuleInit } from '@nestjs/common';
import { permissionsOf } from '../http/route';
import { Routes } from '../http/routes';

/** Refuses to start while a route states neither `@Public()` nor `@Requires(…)`. */
@Injectable()
export class StatedPermissions implements OnModuleInit {
  constructor(private readonly routes: Routes) {}

  onModuleInit(): void {
    const silent = this.routes.all().filter(({ controller, method }) => !permissionsOf(method, controller));
    const names = silent.map(({ controller, method }) => `${controller.name}.${method.name}`);
    if (names.length > 0) throw new Error(`These routes do not say who may use them: ${names.join(', ')}`);
  }
}
