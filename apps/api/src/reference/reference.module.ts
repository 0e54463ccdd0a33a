import { Module } from '@nestjs/common';
import { DiscoveryModule } from '../discovery/discovery.module';
import { ReferenceController } from './reference.controller';

/** The reference for people, over the OpenAPI document. */
@Module({ imports: [DiscoveryModule], controllers: [ReferenceController] })
export class ReferenceModule {}
