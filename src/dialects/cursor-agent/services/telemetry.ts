// aiserver.v1.AnalyticsService and what else reports home: taken, counted and thrown away. Gates and experiments are off.
import {
  GetNewChatNudgeLegacyModelPickerRequestSchema,
  GetNewChatNudgeLegacyModelPickerResponseSchema,
  GetNewChatNudgeParameterizedModelPickerRequestSchema,
  GetNewChatNudgeParameterizedModelPickerResponseSchema,
  UploadLocalAgentRunToPromptQualityRequestSchema,
  UploadLocalAgentRunToPromptQualityResponseSchema,
} from '../../../gen/agent/v1/agent_service_pb.ts';
import {
  BootstrapStatsigRequestSchema,
  BootstrapStatsigResponseSchema,
  GetFirstWindowStatsigDecisionRequestSchema,
  GetFirstWindowStatsigDecisionResponseSchema,
  SubmitLogsRequestSchema,
  SubmitLogsResponseSchema,
  TrackEventsRequestSchema,
  TrackEventsResponseSchema,
} from '../../../gen/aiserver/v1/analytics_pb.ts';
import type { UnaryMethod } from '../../native-front.ts';
import { defineEmpty } from './define-empty.ts';
import type { AgentServicesOptions } from './services-options.ts';

const ANALYTICS = '/aiserver.v1.AnalyticsService';
const AGENT = '/agent.v1.AgentService';

export function createTelemetryMethods({ onSwallowed = () => {} }: AgentServicesOptions): UnaryMethod[] {
  return [
    defineEmpty(
      `${ANALYTICS}/BootstrapStatsig`,
      BootstrapStatsigRequestSchema,
      BootstrapStatsigResponseSchema,
    ),
    defineEmpty(
      `${ANALYTICS}/GetFirstWindowStatsigDecision`,
      GetFirstWindowStatsigDecisionRequestSchema,
      GetFirstWindowStatsigDecisionResponseSchema,
    ),
    defineEmpty(`${ANALYTICS}/TrackEvents`, TrackEventsRequestSchema, TrackEventsResponseSchema, () =>
      onSwallowed('TrackEvents'),
    ),
    defineEmpty(`${ANALYTICS}/SubmitLogs`, SubmitLogsRequestSchema, SubmitLogsResponseSchema, () =>
      onSwallowed('SubmitLogs'),
    ),
    defineEmpty(
      `${AGENT}/UploadLocalAgentRunToPromptQuality`,
      UploadLocalAgentRunToPromptQualityRequestSchema,
      UploadLocalAgentRunToPromptQualityResponseSchema,
      () => onSwallowed('UploadLocalAgentRunToPromptQuality'),
    ),
    defineEmpty(
      `${AGENT}/GetNewChatNudgeLegacyModelPicker`,
      GetNewChatNudgeLegacyModelPickerRequestSchema,
      GetNewChatNudgeLegacyModelPickerResponseSchema,
    ),
    defineEmpty(
      `${AGENT}/GetNewChatNudgeParameterizedModelPicker`,
      GetNewChatNudgeParameterizedModelPickerRequestSchema,
      GetNewChatNudgeParameterizedModelPickerResponseSchema,
    ),
  ];
}
