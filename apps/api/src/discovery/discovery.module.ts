import { Module } from '@nestjs/common';
import { DiscoveryController } from './discovery.controller';
import { OpenApi } from './open-api';

@Module({ controllers: [DiscoveryController], providers: [OpenApi] })
export class DiscoveryModule {}
