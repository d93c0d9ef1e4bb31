import type { UnaryMethod } from '../../native-front.ts';
import type { AgentHost } from '../front/agent-host.ts';
import { createAccountMethods } from './account.ts';
import { createConversationMethods } from './conversations.ts';
import { createHealthMethods } from './health.ts';
import { createModelMethods } from './models.ts';
import { createNamingMethods } from './naming.ts';
import { createServerConfigMethods } from './server-config.ts';
import type { AgentServicesOptions } from './services-options.ts';
import { createTelemetryMethods } from './telemetry.ts';

/** The services of which the calls below are; what else they have is answered empty and counted. */
export const AGENT_SERVICES: readonly string[] = [
  'agent.v1.AgentService',
  'aiserver.v1.AiService',
  'aiserver.v1.AnalyticsService',
  'aiserver.v1.DashboardService',
  'aiserver.v1.HealthService',
  'aiserver.v1.NetworkService',
  'aiserver.v1.ServerConfigService',
];

/** Every unary call that official clients make beside their runs. */
export function createAgentServices(
  host: AgentHost,
  options: AgentServicesOptions = {},
): readonly UnaryMethod[] {
  return [
    ...createNamingMethods(host, options),
    ...createModelMethods(host),
    ...createServerConfigMethods(options),
    ...createConversationMethods(),
    ...createAccountMethods(),
    ...createTelemetryMethods(options),
    ...createHealthMethods(),
  ];
}
