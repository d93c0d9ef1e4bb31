// COMPUTER_USE (54): `aiserver.v1.ComputerUseParams`. The original works on the screen of a cloud machine; here on one
// that was connected on purpose, never on the user's own by default.
import { z } from 'zod';
import { omitUndefined } from '../../../core/index.ts';
import { defineTool } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { portTouches, type ScreenReport, screenPort } from './media-ports.ts';
import { screenActionSchema } from './screen-actions.ts';
import { settleWeb } from './web-fault.ts';

const args = toolArguments(
  {
    actions: z.array(screenActionSchema).min(1).max(50).describe('The steps, done in order.'),
    description: z.string().max(500).optional().describe('What they are for, in a few words.'),
  },
  {
    rewrite: (given) => {
      if (given.actions !== undefined || (given.action ?? given.type) === undefined) return;
      const { description, ...action } = given;
      for (const key of Object.keys(action)) delete given[key];
      given.actions = [action];
      if (description !== undefined) given.description = description;
    },
  },
);

export const computerUse = defineTool({
  number: 54,
  name: 'computer_use',
  description:
    'Work with a connected screen: move, click, drag, scroll, type, press keys, wait, take a screenshot. Take a screenshot first, and after steps whose effect you need to see.',
  args,
  risk: 'execute',
  modes: ['agent', 'debug'],
  parallel: 'alone',
  status: 'local',
  touches: (given, context) => {
    const port = context.resources.get(screenPort);
    return port?.touchesOf?.(given.actions, context) ?? portTouches(port);
  },
  preview: (given) => given.actions.map((action) => JSON.stringify(action)).join('\n'),
  run: (given, context) =>
    settleWeb(context, async () => {
      const port = context.resources.get(screenPort);
      if (!port) {
        return fail(
          'UNAVAILABLE',
          'No screen is connected. Configure an MCP server that has one (crosspoint.yaml, section mcp; for pages in a browser Playwright’s with --caps=vision) and name it under tools.screen, or check the work without a screen: tests, curl, the shell.',
        );
      }
      const started = context.nowMs();
      const report = await port.perform(given.actions, context);
      const attachments = { duration_ms: context.nowMs() - started };
      const data = { ...reportData(report), duration_ms: attachments.duration_ms };
      if (report.error !== undefined) {
        return fail(
          'FAILED',
          `${report.actionCount} of ${given.actions.length} steps were done, then: ${report.error}`,
          {
            attachments,
            data: { error: { ...data, error: report.error } },
          },
        );
      }
      const parts = report.screenshot === undefined ? [] : [pictureOf(report.screenshot)];
      return succeed(describeReport(report), { parts, attachments, data: { success: data } });
    }),
});

function describeReport(report: ScreenReport): string {
  return [
    `${report.actionCount} steps done.`,
    report.cursor && `The pointer is at ${report.cursor.x}, ${report.cursor.y}.`,
    report.screenshot && 'A screenshot is attached.',
    report.log,
  ]
    .filter(Boolean)
    .join('\n');
}

function pictureOf(picture: NonNullable<ScreenReport['screenshot']>) {
  const data = Buffer.from(picture.bytes).toString('base64');
  return { type: 'image', source: { type: 'base64', data, mediaType: picture.mediaType } } as const;
}

function reportData(report: ScreenReport) {
  return omitUndefined({
    action_count: report.actionCount,
    log: report.log,
    cursor_position: report.cursor && { x: report.cursor.x, y: report.cursor.y },
  });
}
