import { Module } from '@nestjs/common';
import { ResourcesModule } from '../resources/resources.module';
import { Annotations } from './annotations';
import { AnnotationsController } from './annotations.controller';

/** What people and programs note about times. */
@Module({ imports: [ResourcesModule], controllers: [AnnotationsController], providers: [Annotations] })
export class AnnotationsModule {}
