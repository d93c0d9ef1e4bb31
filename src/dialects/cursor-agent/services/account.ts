// aiserver.v1.DashboardService: whose account it is and what it may do. There is no account here, only a gateway key.
// Most answers are empty messages, which every official client accepts (seen with the SDK, known from public servers).
import {
  DashboardService,
  GetMeRequestSchema,
  GetMeResponseSchema,
  GetUserPrivacyModeRequestSchema,
  GetUserPrivacyModeResponseSchema,
  PrivacyMode,
} from '../../../gen/aiserver/v1/dashboard_pb.ts';
import { defineUnary, type UnaryMethod } from '../../native-front.ts';
import { defineEmpty } from './define-empty.ts';

const SERVICE = '/aiserver.v1.DashboardService';

const { method: calls } = DashboardService;
const EMPTY = [
  calls.getTeams,
  calls.getCurrentPeriodUsage,
  calls.getUsageLimitStatusAndActiveGrants,
  calls.getEffectiveUserPlugins,
  calls.getManagedSkills,
  calls.getTeamAdminSettingsOrEmptyIfNotInTeam,
  calls.getTeamReposOrEmptyIfNotInTeam,
  calls.getPlanInfo,
  calls.getUserProfile,
];

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
    ...EMPTY.map((method) => defineEmpty(method)),
  ];
}
