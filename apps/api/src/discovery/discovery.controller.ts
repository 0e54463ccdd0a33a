import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, type OpenAPIObject } from '@nestjs/swagger';
import { Public } from '../http/route';
import { OpenApi } from './open-api';

const DOCUMENT = { type: 'object', description: 'An OpenAPI 3.1 document' };

/** What programs read to find their way. */
@ApiTags('Discovery')
@Controller()
@Public()
export class DiscoveryController {
  constructor(private readonly openApi: OpenApi) {}

  @Get('openapi.json')
  @ApiOperation({ summary: 'This description as JSON' })
  @ApiOkResponse({ content: { 'application/json': { schema: DOCUMENT } } })
  json(): OpenAPIObject {
    return this.openApi.document();
  }
}
