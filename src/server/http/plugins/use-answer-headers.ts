import type { Plugin } from 'graphql-yoga'
import type { Guard } from '../../limits/guard.js'

/** Puts on every answer what keeps strange pages from it, and answers browsers that ask which pages may come in. */
export const useAnswerHeaders = (guard: Guard): Plugin => ({
  onRequest({ request, endResponse, fetchAPI: { Response } }) {
    if (request.method !== 'OPTIONS') return
    const { headers } = request
    const preflight = guard.cors.preflight(headers.get('origin'), headers.get('access-control-request-headers'))
    endResponse(new Response(null, { status: 204, headers: { allow: 'GET, POST', 'content-length': '0', ...preflight } }))
  },
  onResponse({ request, response: { headers } }) {
    for (const [name, value] of Object.entries(guard.headersFor(request.headers.get('origin')))) {
      if (name === 'vary' && headers.has(name)) headers.append(name, value)
      else if (!headers.has(name)) headers.set(name, value)
    }
  },
})
