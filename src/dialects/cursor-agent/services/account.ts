// aiserver.v1.DashboardService: whose account it is and what it may do. There is no account here, only a gateway key.
// Most answers are empty messages, which every official client accepts (seen with the SDK, known from public servers).
import {
  GetCurrentPeriodUsageRequestSchema,
  GetCurrentPeriodUsageResponseSchema,
  GetEffectiveUserPluginsRequestSchema,
  GetEffectiveUserPluginsResponseSchema,
  GetManagedSkillsRequestSchema,
  GetManagedSkillsResponseSchema,
  GetMeRequestSchema,
  GetMeResponseSchema,
  GetPlanInfoRequestSchema,
  GetPlanInfoResponseSchema,
  GetTeamAdminSettingsOrEmptyIfNotInTeamRequestSchema,
  GetTeamAdminSettingsOrEmptyIfNotInTeamResponseSchema,
  GetTeamReposOrEmptyIfNotInTeamRequestSchema,
  GetTeamReposOrEmptyIfNotInTeamResponseSchema,
  GetTeamsRequestSchema,
  GetTeamsResponseSchema,
  GetUsageLimitStatusAndActiveGrantsRequestSchema,
  GetUsageLimitStatusAndActiveGrantsResponseSchema,
  GetUserPrivacyModeRequestSchema,
  GetUserPrivacyModeResponseSchema,
  GetUserProfileRequestSchema,
  GetUserProfileResponseSchema,
  PrivacyMode,
} from '../../../gen/aiserver/v1/dashboard_pb.ts';
import { defineUnary, type UnaryMethod } from '../../native-front.ts';
import { defineEmpty } from './define-empty.ts';

const SERVICE = '/aiserver.v1.DashboardService';

export function createAccountMethods(): UnaryMethod[] {
  return [
    defineUnary({
      path: `${SERVICE}/GetUserPrivacyMode`,
      input: GetUserPrivacyModeRequestSchema,
      output: GetUserPrivacyModeResponseSchema,
      handle: async () => ({
        privacyMode: PrivacyMode.NO_STORAGE,
        isEnforcedByTeam: false,
        partnerDataShare: false,
        hasAcknowledgedGracePeriodDisclaimer: true,
      }),
    }),
    defineUnary({
      path: `${SERVICE}/GetMe`,
      input: GetMeRequestSchema,
      output: GetMeResponseSchema,
      handle: async (_request, { owner, keyName = 'local' }) => ({
        authId: `crosspoint|${owner || 'local'}`,
        userId: 1,
        // A name that no mail server has (RFC 2606): clients show it, and some take its absence for a logout.
        email: `${keyName.toLowerCase().replace(/[^\w.-]+/g, '-')}@crosspoint.invalid`,
        firstName: keyName,
        isEnterpriseUser: false,
      }),
    }),
    defineEmpty(`${SERVICE}/GetTeams`, GetTeamsRequestSchema, GetTeamsResponseSchema),
    defineEmpty(
      `${SERVICE}/GetCurrentPeriodUsage`,
      GetCurrentPeriodUsageRequestSchema,
      GetCurrentPeriodUsageResponseSchema,
    ),
    defineEmpty(
      `${SERVICE}/GetUsageLimitStatusAndActiveGrants`,
      GetUsageLimitStatusAndActiveGrantsRequestSchema,
      GetUsageLimitStatusAndActiveGrantsResponseSchema,
    ),
    defineEmpty(
      `${SERVICE}/GetEffectiveUserPlugins`,
      GetEffectiveUserPluginsRequestSchema,
      GetEffectiveUserPluginsResponseSchema,
    ),
    defineEmpty(`${SERVICE}/GetManagedSkills`, GetManagedSkillsRequestSchema, GetManagedSkillsResponseSchema),
    defineEmpty(
      `${SERVICE}/GetTeamAdminSettingsOrEmptyIfNotInTeam`,
      GetTeamAdminSettingsOrEmptyIfNotInTeamRequestSchema,
      GetTeamAdminSettingsOrEmptyIfNotInTeamResponseSchema,
    ),
    defineEmpty(
      `${SERVICE}/GetTeamReposOrEmptyIfNotInTeam`,
      GetTeamReposOrEmptyIfNotInTeamRequestSchema,
      GetTeamReposOrEmptyIfNotInTeamResponseSchema,
    ),
    defineEmpty(`${SERVICE}/GetPlanInfo`, GetPlanInfoRequestSchema, GetPlanInfoResponseSchema),
    defineEmpty(`${SERVICE}/GetUserProfile`, GetUserProfileRequestSchema, GetUserProfileResponseSchema),
  ];
}
