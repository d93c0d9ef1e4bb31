// The request target of HTTP/1.1 (RFC 9112, section 3.2) and the :path of HTTP/2.

export interface RequestTarget {
  /** Always begins with `/`, or is `*`. Percent-escapes stay as they came. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Only the absolute form names a host; it then counts instead of the Host header. */
  readonly host: string | undefined;
}

export function parseRequestTarget(target: string | undefined): RequestTarget {
  if (target === undefined || target === '')
    return { path: '/', query: new URLSearchParams(), host: undefined };
  const absolute = /^https?:\/\/([^/?#]*)/i.exec(target);
  const rest = absolute ? target.slice(absolute[0].length) : target;
  const [beforeFragment = ''] = rest.split('#', 1);
  const mark = beforeFragment.indexOf('?');
  const path = mark === -1 ? beforeFragment : beforeFragment.slice(0, mark);
  const query = mark === -1 ? '' : beforeFragment.slice(mark + 1);
  return {
    path: path === '*' || path.startsWith('/') ? path : `/${path}`,
    query: new URLSearchParams(query),
    host: absolute?.[1],
  };
}
