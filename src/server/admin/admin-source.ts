import type { TurnSummary } from '../../store/ports.ts';
import type { AdminModel, AdminStatus, LiveTurn } from './schema.ts';

/** What the admin API asks of the gateway. */
export interface AdminSource {
  status(): Promise<AdminStatus> | AdminStatus;
  models(): Promise<readonly AdminModel[]> | readonly AdminModel[];
  liveTurns(): readonly LiveTurn[];
  /** The newest first. */
  recentTurns(limit: number): Promise<readonly TurnSummary[]>;
  /** False when no such turn is live. */
  cancelTurn(turnId: string): boolean;
}
