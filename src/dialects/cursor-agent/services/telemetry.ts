// aiserver.v1.AnalyticsService and what else reports home: taken, counted and thrown away. Gates and experiments are off.
import { AgentService } from '../../../gen/agent/v1/agent_service_pb.ts';
import { AnalyticsService } from '../../../gen/aiserver/v1/analytics_pb.ts';
import type { UnaryMethod } from '../../native-front.ts';
import { defineEmpty } from './define-empty.ts';
import type { AgentServicesOptions } from './services-options.ts';

const { method: agent } = AgentService;
const { method: analytics } = AnalyticsService;

const REPORTS = [analytics.trackEvents, analytics.submitLogs, agent.uploadLocalAgentRunToPromptQuality];
const QUESTIONS = [
  analytics.bootstrapStatsig,
  analytics.getFirstWindowStatsigDecision,
  agent.getNewChatNudgeLegacyModelPicker,
  agent.getNewChatNudgeParameterizedModelPicker,
];

export function createTelemetryMethods({ onSwallowed = () => {} }: AgentServicesOptions): UnaryMethod[] {
  return [
    ...REPORTS.map((method) => defineEmpty(method, () => onSwallowed(method.name))),
    ...QUESTIONS.map((method) => defineEmpty(method)),
  ];
}
