import { describe } from 'vitest'
import { describesHost } from '../hosts/checks.js'
import { onNode } from '../hosts/host.js'

// The parser of Express has a limit of its own, which is as large as that of the gateway.
describe('Express behind `express.json()`', () =>
  describesHost({ command: onNode('express/program.ts'), path: '/api/lms' }, { tooLarge: /PayloadTooLargeError|too large/ }))
