import { Controller, Get, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Public, Requires, Routes } from '../../http/route';
import { StatedPermissions } from './auth.module';

describe('a route that does not say who may use it', () => {
  it('keeps the api from starting, by name', async () => {
    await expect(start(Silent)).rejects.toThrow('do not say who may use them: Silent.two, Silent.three');
  });

  it('does not exist where each route, or its whole controller, says so', async () => {
    const app = await start(Spoken, Whole);
    await app.close();
  });
});

@Controller('silent')
class Silent {
  @Get('one')
  @Public()
  one(): number {
    return 1;
  }

  @Get('two')
  two(): number {
    return 2;
  }

  @Get()
  three(): number {
    return 3;
  }

  helper(): number {
    return 4;
  }
}

@Controller('spoken')
class Spoken {
  @Get()
  @Requires('read:data')
  one(): number {
    return 1;
  }
}

@Public()
@Controller('whole')
class Whole {
  @Get()
  one(): number {
    return 1;
  }
}

async function start(...controllers: (new () => object)[]) {
  @Module({ imports: [DiscoveryModule], controllers, providers: [Routes, StatedPermissions] })
  class App {}
  const testing = await Test.createTestingModule({ imports: [App] }).compile();
  return testing.init();
}
