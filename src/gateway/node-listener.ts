import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { sendNodeResponse } from '@whatwg-node/server'
import type { YogaServerInstance } from 'graphql-yoga'
import type { Entered } from './plugins/use-door.js'
import { FAULTY } from './refusals.js'
import { refusedHead } from './request-head.js'
import { send } from './send.js'

/** Serves requests by Yoga, whose own listener shows the stack of what goes wrong before GraphQL is reached. */
export const yogaListener =
  (yoga: YogaServerInstance<Entered, any>, onFault: (fault: unknown) => void) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const context = { req: request, res: response } as never
      await sendNodeResponse(await yoga.handleNodeRequestAndResponse(request, response, context), response, request, true)
    } catch (fault) {
      onFault(fault)
      if (response.headersSent) response.destroy()
      else send(response, FAULTY)
    }
  }

/** Refuses requests whose head is wrong before anything is made of them. */
export const frontListener =
  (serve: RequestListener): RequestListener =>
  (request, response) => {
    const refusal = refusedHead(request)
    if (refusal) send(response, refusal)
    else serve(request, response)
  }
