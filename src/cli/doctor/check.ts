/** One thing the doctor looked at. */
export interface Check {
  readonly name: string;
  readonly level: 'ok' | 'warning' | 'failure';
  readonly message: string;
  /** What to do; always there unless all is well. */
  readonly remedy?: string;
}

export function ok(name: string, message: string): Check {
  return { name, level: 'ok', message };
}

export function warning(name: string, message: string, remedy: string): Check {
  return { name, level: 'warning', message, remedy };
}

export function failure(name: string, message: string, remedy: string): Check {
  return { name, level: 'failure', message, remedy };
}
