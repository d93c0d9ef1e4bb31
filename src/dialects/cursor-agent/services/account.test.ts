import { describe, expect, it } from 'vitest';
import { ServerTimeRequestSchema, ServerTimeResponseSchema } from '../../../gen/aiserver/v1/ai_service_pb.ts';
import {
  SubmitLogsRequestSchema,
  SubmitLogsResponseSchema,
  TrackEventsRequestSchema,
  TrackEventsResponseSchema,
} from '../../../gen/aiserver/v1/analytics_pb.ts';
import {
  GetMeRequestSchema,
  GetMeResponseSchema,
  GetUserPrivacyModeRequestSchema,
  GetUserPrivacyModeResponseSchema,
  PrivacyMode,
} from '../../../gen/aiserver/v1/dashboard_pb.ts';
import { createServicesWorld } from './fixtures/call-service.ts';

describe('the account', () => {
  it('has privacy without conditions', async () => {
    const mode = await createServicesWorld().call(
      '/aiserver.v1.DashboardService/GetUserPrivacyMode',
      GetUserPrivacyModeRequestSchema,
      GetUserPrivacyModeResponseSchema,
    );
    expect(mode).toMatchObject({ privacyMode: PrivacyMode.NO_STORAGE, partnerDataShare: false });
  });

  it('is the key, under an address that nobody can have', async () => {
    const me = (context: object) =>
      createServicesWorld({ context }).call(
        '/aiserver.v1.DashboardService/GetMe',
        GetMeRequestSchema,
        GetMeResponseSchema,
      );
    expect(await me({ owner: 'key_1', keyName: 'My Laptop' })).toMatchObject({
      authId: 'crosspoint|key_1',
      email: 'my-laptop@crosspoint.invalid',
      firstName: 'My Laptop',
    });
    expect(await me({})).toMatchObject({ authId: 'crosspoint|local', email: 'local@crosspoint.invalid' });
  });
});

describe('what reports home', () => {
  it('is thrown away and counted', async () => {
    const swallowed: string[] = [];
    const { call } = createServicesWorld({ onSwallowed: (method) => swallowed.push(method) });
    const service = '/aiserver.v1.AnalyticsService';
    await call(`${service}/TrackEvents`, TrackEventsRequestSchema, TrackEventsResponseSchema);
    await call(`${service}/SubmitLogs`, SubmitLogsRequestSchema, SubmitLogsResponseSchema);
    expect(swallowed).toEqual(['TrackEvents', 'SubmitLogs']);
  });
});

describe('the time', () => {
  it('is ours', async () => {
    const time = await createServicesWorld().call(
      '/aiserver.v1.AiService/ServerTime',
      ServerTimeRequestSchema,
      ServerTimeResponseSchema,
    );
    expect(time).toMatchObject({ receiveTimestamp: 1_700_000_000_000, transmitTimestamp: 1_700_000_000_000 });
  });
});
