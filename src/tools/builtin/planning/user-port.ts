import { defineResource } from '../../resources.ts';
import type { ToolContext } from '../../tool-context.ts';
import { fail, type ToolOutcome } from '../../tool-outcome.ts';
import { settle } from '../files/file-fault.ts';
import { untilAborted } from './until-aborted.ts';

export interface QuestionOption {
  readonly id: string;
  readonly label: string;
}

export interface Question {
  readonly id: string;
  readonly prompt: string;
  /** None means that only free text is asked for. */
  readonly options: readonly QuestionOption[];
  readonly allowMultiple: boolean;
}

export interface Answer {
  readonly questionId: string;
  readonly selectedOptionIds: readonly string[];
  /** What the user wrote instead of, or beside, the options. */
  readonly freeformText?: string;
}

export type Answers =
  | { readonly type: 'answered'; readonly answers: readonly Answer[] }
  | { readonly type: 'dismissed'; readonly reason?: string };

export interface ProposedPlan {
  readonly name: string;
  readonly overview: string;
  readonly markdown: string;
  /** The plan as a file, for a user who would rather read it in an editor. */
  readonly path: string;
}

export type PlanReview =
  | { readonly type: 'accepted' }
  | { readonly type: 'rejected'; readonly reason?: string }
  | { readonly type: 'modified'; readonly markdown: string };

export interface Confirmation {
  readonly isAgreed: boolean;
  readonly reason?: string;
}

/** The person behind the session: a terminal, a console, an editor. Each promise may wait as long as people do. */
export interface UserPort {
  ask(title: string, questions: readonly Question[], signal: AbortSignal): Promise<Answers>;
  reviewPlan(plan: ProposedPlan, signal: AbortSignal): Promise<PlanReview>;
  confirm(
    question: { readonly title: string; readonly detail?: string },
    signal: AbortSignal,
  ): Promise<Confirmation>;
  notify(message: string, signal: AbortSignal): Promise<void>;
}

/** Set by whoever has a user to speak with; a runtime alone has none. */
export const userPort = defineResource<UserPort | undefined>({ name: 'user-port', create: () => undefined });

/** Speaks with the user if there is one; an abort ends the wait even where the port itself does not notice it. */
export function withUser(
  context: ToolContext,
  toolName: string,
  speak: (user: UserPort) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  return settle(context, async () => {
    const user = context.resources.get(userPort);
    if (user) return untilAborted(speak(user), context.signal);
    return fail(
      'UNAVAILABLE',
      `${toolName} needs a person and nobody is connected to this tool runtime. Decide with what is known and say so in your answer, or run the task where a user can reply (crosspoint chat, the console, an editor).`,
    );
  });
}
