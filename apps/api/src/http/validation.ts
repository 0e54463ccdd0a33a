import { ValidationPipe } from '@nestjs/common';
import { fieldErrors } from './field-errors';
import { invalid } from './problems';

/** Refuses what a DTO does not describe, naming every wrong field. */
export const validation = (): ValidationPipe =>
  new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    validationError: { target: true, value: false },
    exceptionFactory: (errors) => invalid(errors.flatMap((error) => fieldErrors(error))),
  });
