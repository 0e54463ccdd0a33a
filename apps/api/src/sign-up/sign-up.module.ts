import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { OrganizationsModule } from '../organizations/organizations.module';
import { SignUpController } from './sign-up.controller';
import { SignUpRules } from './sign-up-rules';

/** How people get accounts. */
@Module({
  imports: [AccountsModule, OrganizationsModule],
  controllers: [SignUpController],
  providers: [SignUpRules],
})
export class SignUpModule {}
