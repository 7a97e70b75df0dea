import type { Plugin } from 'graphql-yoga'
import type { AnswerHeaders } from '../responses.js'

/** Adds the security and CORS headers to every answer, and `no-store` where nothing says how to keep it. Answers preflights. */
export const useAnswerHeaders = (answerHeaders: AnswerHeaders): Plugin => ({
  onRequest({ request, endResponse, fetchAPI: { Response } }) {
    if (request.method !== 'OPTIONS') return
    const { headers } = request
    const preflight = answerHeaders.preflight(headers.get('origin'), headers.get('access-control-request-headers'))
    endResponse(new Response(null, { status: 204, headers: { allow: 'GET, POST', 'content-length': '0', ...preflight } }))
  },
  onResponse({ request, response: { headers } }) {
    // Caches may keep answers to `GET` without it, for a time of their choice.
    if (request.method === 'GET' && !headers.has('cache-control')) headers.set('cache-control', 'no-store')
    for (const [name, value] of Object.entries(answerHeaders.headersFor(request.headers.get('origin')))) {
      if (name === 'vary' && headers.has(name)) headers.append(name, value)
      else if (!headers.has(name)) headers.set(name, value)
    }
  },
})
