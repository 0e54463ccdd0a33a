import { Module } from '@nestjs/common';
import { RequestCounts } from './request-counts';

@Module({ providers: [RequestCounts], exports: [RequestCounts] })
export class CountsModule {}
