import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController, type OpenAPIObject } from '@nestjs/swagger';
import { Public } from '../http/route';
import { OpenApi } from './open-api';

@ApiExcludeController()
@Controller()
export class DiscoveryController {
  constructor(private readonly openApi: OpenApi) {}

  @Get('openapi.json')
  @Public()
  schema(): OpenAPIObject {
    return this.openApi.document();
  }
}
