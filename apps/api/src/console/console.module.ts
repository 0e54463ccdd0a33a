import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { ConsoleController } from './console.controller';

/** The pages for people, which use the api as every other client does. */
@Module({ imports: [AuthModule], controllers: [ConsoleController] })
export class ConsoleModule {}
