// Bodies the tests read, with the shapes they expect; a wrong shape fails the assertion that follows.
export interface ErrorBody {
  readonly error: { readonly message: string; readonly type: string; readonly code?: string | null };
}

export interface TurnsBody {
  readonly live: readonly { readonly turnId: string }[];
  readonly recent: readonly { readonly turnId: string; readonly outcome: string }[];
}

export interface CreatedKeyBody {
  readonly secret: string;
}

export async function readBody<Body>(response: Promise<Response> | Response): Promise<Body> {
  return (await (await response).json()) as Body; // the caller's assertions check it
}
