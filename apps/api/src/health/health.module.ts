import { Module } from '@nestjs/common';
import { HealthController } from './health.controller';
import { ProjectionsController } from './projections.controller';
import { Readiness } from './readiness';

@Module({ controllers: [HealthController, ProjectionsController], providers: [Readiness], exports: [Readiness] })
export class HealthModule {}
