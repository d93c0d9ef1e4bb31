import { describe, expect, it } from 'vitest';
import { callBytes, createServicesWorld } from './fixtures/call-service.ts';
import { AGENT_SERVICES } from './index.ts';

/** Every unary call that the public sources name, the append of the HTTP/1.1 fallback aside. */
const KNOWN_CALLS: Readonly<Record<string, readonly string[]>> = {
  'agent.v1.AgentService': [
    'NameAgent',
    'GetUsableModels',
    'GetDefaultModelForCli',
    'GetAllowedModelIntents',
    'UpdateConversationMetadata',
    'CreateTranscriptOverview',
    'UploadConversationBlobs',
    'NotifyConversationClone',
    'GetSignedUrlForAttachedMedia',
    'GetNewChatNudgeLegacyModelPicker',
    'GetNewChatNudgeParameterizedModelPicker',
    'UploadLocalAgentRunToPromptQuality',
    'GetPromptContextUsage',
  ],
  'aiserver.v1.AiService': [
    'AvailableModels',
    'GetUsableModels',
    'GetDefaultModelForCli',
    'GetDefaultModel',
    'GetDefaultModelNudgeData',
    'GetEffectiveTokenLimit',
    'GetServerConfig',
    'ServerTime',
    'HealthCheck',
  ],
  'aiserver.v1.ServerConfigService': ['GetServerConfig'],
  'aiserver.v1.DashboardService': [
    'GetUserPrivacyMode',
    'GetMe',
    'GetTeams',
    'GetCurrentPeriodUsage',
    'GetUsageLimitStatusAndActiveGrants',
    'GetEffectiveUserPlugins',
    'GetManagedSkills',
    'GetTeamAdminSettingsOrEmptyIfNotInTeam',
    'GetTeamReposOrEmptyIfNotInTeam',
    'GetPlanInfo',
    'GetUserProfile',
  ],
  'aiserver.v1.AnalyticsService': [
    'BootstrapStatsig',
    'TrackEvents',
    'SubmitLogs',
    'GetFirstWindowStatsigDecision',
  ],
  'aiserver.v1.NetworkService': ['IsConnected'],
  'aiserver.v1.HealthService': ['Unary'],
};

const paths = Object.entries(KNOWN_CALLS).flatMap(([service, names]) =>
  names.map((name) => `/${service}/${name}`),
);
/** Calls that say in words what they need or cannot do. */
const REFUSING = new Set([
  '/agent.v1.AgentService/UpdateConversationMetadata',
  '/agent.v1.AgentService/UploadConversationBlobs',
  '/agent.v1.AgentService/NotifyConversationClone',
  '/agent.v1.AgentService/GetSignedUrlForAttachedMedia',
]);

describe('the calls beside runs', () => {
  it('are all there, each once', () => {
    const { methods } = createServicesWorld();
    expect(methods.map(({ path }) => path).sort()).toEqual([...paths].sort());
    expect([...AGENT_SERVICES].sort()).toEqual(Object.keys(KNOWN_CALLS).sort());
  });

  it.each(paths.filter((path) => !REFUSING.has(path)))('%s answers an empty request', async (path) => {
    const { methods, context } = createServicesWorld();
    const method = methods.find((known) => known.path === path);
    if (!method) throw new Error(`there is no ${path}`);
    expect(await callBytes(method, new Uint8Array(), context)).toBeInstanceOf(Uint8Array);
  });

  it.each([...REFUSING])('%s says what is wrong with an empty request', async (path) => {
    const { methods, context } = createServicesWorld();
    const method = methods.find((known) => known.path === path);
    if (!method) throw new Error(`there is no ${path}`);
    await expect(callBytes(method, new Uint8Array(), context)).rejects.toMatchObject({
      name: 'GatewayError',
    });
  });
});
