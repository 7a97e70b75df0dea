import type { Gateway } from './execute.js'
import { progressLines, schoolLines } from './school.js'

const gateway: Gateway = {
  url: process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql',
  authorization: process.env.AUTHORIZATION,
  trusted: process.env.TRUSTED === 'true',
}
for (const line of [...(await schoolLines(gateway)), ...(await progressLines(gateway, 3))]) console.log(line)
